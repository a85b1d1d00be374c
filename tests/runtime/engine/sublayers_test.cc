// A layer may be any list of sublayers, and matrices may share weights and tables: the engine
// against the forward pass in plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "runtime/engine/session.h"
#include "tests/runtime/model/plain_forward.h"
#include "tests/runtime/model/sublayers.h"
#include "tests/support/packed_model.h"
#include "tests/support/test_model.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo::sublayers_test {
namespace {

using format::ModelT;

struct Case {
  const char* name;
  std::function<void(ModelT&)> change;
};

std::vector<std::unique_ptr<format::SublayerT>>& Sublayers(ModelT& m) {
  return m.layers[1]->sublayers;
}
std::unique_ptr<format::SublayerT> Copy(const format::SublayerT& sublayer) {
  return std::make_unique<format::SublayerT>(sublayer);
}

const std::vector<Case> kCases = {
    {"AsConverted", [](ModelT&) {}},
    {"One", [](ModelT& m) { Sublayers(m).pop_back(); }},
    {"MlpTwice", [](ModelT& m) { Sublayers(m).push_back(Copy(*Sublayers(m)[1])); }},
    {"MlpFirst", [](ModelT& m) { std::swap(Sublayers(m)[0], Sublayers(m)[1]); }},
    {"NoAttentionAtAll",
     [](ModelT& m) {
       for (auto& layer : m.layers) layer->sublayers.erase(layer->sublayers.begin());
     }},
    {"AttentionTwice", [](ModelT& m) { Sublayers(m)[1] = Copy(*Sublayers(m)[0]); }},
    {"Factors",
     [](ModelT& m) {
       Sublayers(m)[0]->factor = -0.75f;
       Sublayers(m)[1]->factor = 0.5f;
     }},
    {"SideBySide", [](ModelT& m) { Sublayers(m)[1]->reads_previous_input = true; }},
    {"WiderValues",  // the same matrices as one head with values of 16
     [](ModelT& m) {
       format::AttentionT& attention = AttentionOf(m, 1);
       attention.n_heads = 1;
       attention.v_head_dim = 16;
     }},
};

// How far the engine's logits are from the plain loops', as a share of the largest.
double Difference(const ModelFile& file) {
  const std::vector<uint32_t> ids = {3, 1, 4, 1, 5, 9, 2, 6, 5};
  const std::vector<double> expected = PlainForward(file).Logits(ids);

  EngineOptions options;
  options.max_rows = 4;
  options.threads = 2;
  options.kv_format = KvFormat::kFloat32;
  const auto engine = Engine::Create(file, nullptr, options, nullptr, 0);
  if (!engine.ok()) throw std::runtime_error(engine.status().message());
  const std::vector<float> logits =
      AllLogits(*NewSession(**engine), std::vector<int32_t>(ids.begin(), ids.end()));
  EXPECT_EQ(logits.size(), expected.size());
  double largest = 0, difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    difference = std::max(difference, std::abs(expected[i] - logits[i]));
  }
  EXPECT_GT(largest, 0.01);
  return difference / largest;
}

class SublayerLists : public testing::TestWithParam<Case> {};

TEST_P(SublayerLists, EqualPlainLoops) {
  convert::CheckpointShape shape;
  shape.n_layers = 3;
  const ConvertedModel model(shape, format::TensorFormat::F32, format::TensorFormat::F32);
  const ModelBytes bytes = Rewrite(model.portable(), GetParam().change);
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_LT(Difference(*file), 2e-5);
}

INSTANTIATE_TEST_SUITE_P(Every, SublayerLists, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

// The head is q4 and serves the first layer as o_proj, too, so that tables take turns.
TEST(Tables, AreThoseOfEachMatrix) {
  convert::CheckpointShape shape;
  shape.vocab_size = shape.hidden_size = shape.intermediate_size = 64;
  shape.n_layers = 2;
  shape.n_heads = 8;
  const ConvertedModel model(shape, format::TensorFormat::Q3, format::TensorFormat::Q4);
  const auto share_head = [](ModelT& m) { AttentionOf(m, 0).output->weight = m.head->weight; };
  const ModelBytes portable = Rewrite(model.portable(), share_head);
  const Result<ModelFile> file = ModelFile::Open(portable.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_LT(Difference(*file), 0.05);
}

// Heads of latent attention may differ in format. What a block of 128 inputs holds behind the 16
// that there are is multiplied by zero, whatever it is, and not by a neighbour's row.
TEST(Padding, OfOneHeadMeetsNoOtherRow) {
  const TempFolder folder;
  convert::WriteCheckpointOf(folder / "model", R"({"architectures": ["YoutuForCausalLM"],
      "vocab_size": 16, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1,
      "num_attention_heads": 2, "num_key_value_heads": 2, "max_position_embeddings": 64,
      "q_lora_rank": null, "kv_lora_rank": 16, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8,
      "v_head_dim": 16, "tie_word_embeddings": false})");
  convert::ConvertOptions convert;
  convert.directory = folder / "model";
  convert.output = folder / "model.rondo";
  convert.weights = format::TensorFormat::Q4B;
  convert.block = 128;
  convert.embedding = format::TensorFormat::Q8;
  convert::Convert(convert, [](uint64_t, uint64_t) {});
  ModelBytes model(convert.output);
  const auto is_padded = [](const std::string& name) {
    return name == "layers.0.attention.key_up.1" || name == "layers.0.attention.value_up.1";
  };
  const ModelFile as_converted = *ModelFile::Open(model.bytes());
  for (const format::Tensor* tensor : *as_converted.model().tensors()) {
    if (!is_padded(tensor->name()->str())) continue;
    uint8_t* data = model.bytes().data() + tensor->data()->offset();
    for (size_t i = 0; i < tensor->data()->bytes(); ++i) {
      if (i % 64 >= 8) data[i] = 0xff;  // of each row's 64 bytes
    }
  }
  const ModelBytes bytes = Rewrite(model, [&](ModelT& m) {
    auto& attention = *SublayerAt(m, 0, 0).op.AsLatentAttention();
    attention.key_up[0]->weight = attention.value_up[0]->weight = m.embedding;  // 16 x 16 in q8
    const auto seal = [&](format::Section* section) {
      const auto data = model.bytes().subspan(section->offset(), section->bytes());
      *section = format::Section(section->offset(), section->bytes(), Checksum(data));
    };
    for (format::Section& section : m.sections) seal(&section);
    for (auto& tensor : m.tensors) {
      if (is_padded(tensor->name)) seal(tensor->data.get());
    }
  });
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  const auto logits = [&](uint32_t max_rows) {
    EngineOptions options;
    options.max_rows = max_rows;
    const auto engine = Engine::Create(*file, nullptr, options, nullptr, 0);
    if (!engine.ok()) throw std::runtime_error(engine.status().message());
    return AllLogits(*NewSession(**engine), {3, 1, 4, 1, 5, 9, 2, 6});
  };
  EXPECT_EQ(logits(1), logits(4));
  EXPECT_EQ(logits(8), logits(4));
}

}  // namespace
}  // namespace rondo::sublayers_test
