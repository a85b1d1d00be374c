// What an adapter's file says about itself is checked to the last number: each contradiction is
// refused by name.
#include "runtime/model/adapter_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/model/adapter_bytes.h"
#include "tests/support/adapter_models.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo {
namespace {

using testing::HasSubstr;

format::AdapterRun& FirstRun(format::AdapterT& adapter) { return adapter.matrices[0]->runs[0]; }

class AdapterFileTest : public testing::Test {
 protected:
  AdapterFileTest() {
    const TempFolder folder;
    convert::WriteCheckpointOf(folder.path(), R"({"architectures": ["LlamaForCausalLM"],
        "vocab_size": 32, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1,
        "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 64})");
    model_.emplace(folder.path());
    adapter_.emplace(*model_, 2, 1, "proj");
  }

  Status Open(ModelBytes bytes) const {
    return AdapterFile::Open(bytes.bytes(), model_->file()).status();
  }
  Status OpenChanged(const std::function<void(format::AdapterT&)>& change) {
    return Open(RewriteAdapter(adapter_->bytes(), change));
  }

  std::optional<ModelOnDisk> model_;
  std::optional<TestAdapter> adapter_;
};

TEST_F(AdapterFileTest, IsWhatWasWritten) {
  const AdapterFile& file = adapter_->file();
  EXPECT_EQ(file.rank(), 2u);
  EXPECT_EQ(file.n_matrices(), 4u);  // qkv, o, gate_up, down
  EXPECT_FALSE(file.is_bfloat16());
  EXPECT_EQ(file.digest(), DigestOf(adapter_->bytes().bytes()));
  EXPECT_TRUE(OpenChanged([](format::AdapterT&) {}).ok());
  EXPECT_EQ(file.Find(UINT32_MAX), nullptr);
  EXPECT_EQ(file.Find(model_->file().model().embedding()), nullptr);
  const AdapterMatrix* const qkv = file.Find(model_->file()
                                                 .model()
                                                 .layers()
                                                 ->Get(0)
                                                 ->sublayers()
                                                 ->Get(0)
                                                 ->op_as_Attention()
                                                 ->qkv()
                                                 ->weight());
  ASSERT_NE(qkv, nullptr);
  EXPECT_EQ(qkv->rank, 6u);
  EXPECT_EQ(qkv->inputs, 16u);
}

TEST_F(AdapterFileTest, OtherFilesAreToldByName) {
  EXPECT_THAT(Open(model_->bytes()).message(), HasSubstr("it is a model"));
  const Status as_model = ModelFile::Open(adapter_->bytes().bytes()).status();
  EXPECT_EQ(as_model.code(), StatusCode::kNotAModel);
  EXPECT_THAT(as_model.message(), HasSubstr("it is an adapter"));
  ModelBytes newer(adapter_->bytes().bytes());
  newer.bytes()[4] = kAdapterVersion + 1;
  EXPECT_EQ(Open(newer).code(), StatusCode::kNewerFormat);
}

TEST_F(AdapterFileTest, ContradictionsAreRefused) {
  const Status other = OpenChanged([](format::AdapterT& a) { a.model ^= 1; });
  EXPECT_EQ(other.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(other.message(), HasSubstr("of another model"));
  EXPECT_EQ(OpenChanged([](format::AdapterT& a) {
              a.format = static_cast<format::AdapterFormat>(7);
            }).code(),
            StatusCode::kUnsupported);

  using Change = std::function<void(format::AdapterT&)>;
  const std::pair<const char*, Change> kChanges[] = {
      {"rank is 0", [](auto& a) { a.rank = 0; }},
      {"rank is 1025", [](auto& a) { a.rank = 1025; }},
      {"rank 6, expected 1 to 4", [](auto& a) { a.rank = 1; }},
      {"rank 0", [](auto& a) { a.matrices[0]->rank = 0; }},
      {"lacks name or matrices", [](auto& a) { a.matrices.clear(); }},
      {"matrix 1 is of tensor", [](auto& a) { a.matrices[1]->tensor = a.matrices[0]->tensor; }},
      {"matrix 3 is of tensor", [](auto& a) { a.matrices[3]->tensor = 1u << 30; }},
      {"none that adapters may change", [](auto& a) { a.matrices[0]->tensor = 0; }},
      {"runs of", [](auto& a) { a.matrices[0]->runs.pop_back(); }},
      {"a run of 0 tiles", [](auto& a) { FirstRun(a) = format::AdapterRun(0, 0, 1); }},
      {"a run of 99 tiles", [](auto& a) { FirstRun(a) = format::AdapterRun(99, 0, 1); }},
      {"of rows 5 to 7 of 6", [](auto& a) { FirstRun(a) = format::AdapterRun(1, 5, 2); }},
      {"of rows 4294967295 to",
       [](auto& a) { FirstRun(a) = format::AdapterRun(1, UINT32_MAX, 2); }},
      {"expected a section of", [](auto& a) { FirstRun(a) = format::AdapterRun(1, 0, 1); }},
      {"expected a section of", [](auto& a) { std::swap(a.matrices[0]->up, a.matrices[0]->down); }},
      {"expected a section of", [](auto& a) { a.matrices[0]->up.reset(); }},
      {"expected a section of",
       [](auto& a) {
         const format::Section& old = *a.matrices[2]->down;
         *a.matrices[2]->down = format::Section(old.offset() + 64, old.bytes(), old.checksum());
       }},
      {"expected a section of", [](auto& a) { a.format = format::AdapterFormat::Bfloat16; }},
  };
  for (const auto& [sentence, change] : kChanges) {
    const Status status = OpenChanged(change);
    EXPECT_EQ(status.code(), StatusCode::kCorrupt) << sentence;
    EXPECT_THAT(status.message(), HasSubstr(sentence));
  }
}

// Rows that go through a tensor in another place have no room for what an adapter makes of them.
TEST_F(AdapterFileTest, TensorsThatServeElsewhereTooAreRefused) {
  const TempFolder folder;
  convert::WriteCheckpointOf(folder.path(), R"({"architectures": ["MixtralForCausalLM"],
      "vocab_size": 32, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1,
      "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 64,
      "num_local_experts": 16, "num_experts_per_tok": 2})");
  const ModelOnDisk model(folder.path());
  const TestAdapter adapter(model, 2, 1, "self_attn");
  const auto why = [&](const std::function<void(format::ModelT&, format::AttentionT&)>& change) {
    ModelBytes bytes = Rewrite(model.bytes(), [&](format::ModelT& m) {
      change(m, *m.layers[0]->sublayers[0]->op.AsAttention());
    });
    const ModelFile file = Opened(ModelFile::Open(bytes.bytes()));
    return std::string(AdapterFile::Open(adapter.bytes().bytes(), file).status().message());
  };
  EXPECT_EQ(why([](format::ModelT&, format::AttentionT&) {}), "");
  // As many tokens as channels of queries, keys and values; as many experts as channels.
  EXPECT_THAT(why([](format::ModelT& m, format::AttentionT& attention) {
                m.head->weight = attention.qkv->weight;
              }),
              HasSubstr("is none that adapters may change"));
  EXPECT_THAT(why([](format::ModelT& m, format::AttentionT& attention) {
                auto& experts = *m.layers[0]->sublayers[1]->op.AsExperts();
                experts.router->weight = attention.output->weight;
              }),
              HasSubstr("is none that adapters may change"));
}

// With the checksums of what was altered.
TEST_F(AdapterFileTest, ValuesAreFinite) {
  ModelBytes bytes(adapter_->bytes().bytes());
  const format::Adapter& metadata = adapter_->file().metadata();
  const format::Section section = *metadata.matrices()->Get(1)->up();
  const std::span<uint8_t> values = bytes.bytes().subspan(section.offset(), section.bytes());
  const uint32_t infinity = 0x7f800000;
  std::memcpy(values.data() + 8, &infinity, sizeof infinity);
  EXPECT_THAT(Open(bytes).message(), HasSubstr("the checksum does not match"));
  const uint64_t checksum = Checksum(values);
  const ModelBytes sealed = RewriteAdapter(bytes, [&](format::AdapterT& a) {
    for (format::Section& s : a.sections) {
      if (s.offset() == section.offset()) s = format::Section(s.offset(), s.bytes(), checksum);
    }
    *a.matrices[1]->up = format::Section(section.offset(), section.bytes(), checksum);
  });
  EXPECT_THAT(Open(sealed).message(), HasSubstr("a value of the adapter is not finite"));
}

}  // namespace
}  // namespace rondo
