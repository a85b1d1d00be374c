// The text's part of models that also see, and what is left out of others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "runtime/model/file_header.h"
#include "tests/runtime/model/model_bytes.h"
#include "tests/support/places.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"
#include "tests/tools/convert/checkpoint_tensors.h"
#include "tests/tools/error_of.h"
#include "tools/convert/convert.h"

namespace rondo::convert {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr const char* kSees = R"({"architectures": ["Mistral3ForConditionalGeneration"],
    "model_type": "mistral3", "text_config": {"model_type": "mistral", "vocab_size": 40,
    "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2,
    "num_key_value_heads": 1, "head_dim": 8}})";
constexpr const char* kPrefix = "model.language_model.";

class TextPart : public testing::Test {
 protected:
  void Make(const char* config) {
    WriteCheckpointOf(folder_ / "model", config);
    tensors_ = ReadTensors(folder_ / "model");
  }
  void AddTensor(const std::string& name) { tensors_[name] = {{1}, {0.5f}}; }
  void Rename(const std::string& begin, const std::string& other) {
    CheckpointTensors renamed;
    for (const auto& [name, tensor] : tensors_) {
      renamed[name.starts_with(begin) ? other + name.substr(begin.size()) : name] = tensor;
    }
    tensors_ = std::move(renamed);
  }
  std::vector<uint8_t> Converted() {
    WriteTensors(folder_ / "model", tensors_);
    ConvertOptions options;
    options.directory = folder_ / "model";
    options.output = folder_ / "model.rondo";
    notes_ = Convert(options, [](uint64_t, uint64_t) {}).notes;
    const ModelBytes bytes(options.output);
    return {bytes.bytes().begin(), bytes.bytes().end()};
  }
  // The file's sections. Behind them it also says what its tensors were called, for adapters.
  std::vector<uint8_t> ConvertedSections() {
    const std::vector<uint8_t> file = Converted();
    FileHeader header;
    std::memcpy(&header, file.data(), sizeof header);
    return {file.begin() + sizeof header,
            file.begin() + static_cast<ptrdiff_t>(header.metadata_offset)};
  }

  TempFolder folder_;
  CheckpointTensors tensors_;
  std::vector<std::string> notes_;
};

TEST_F(TextPart, EachWayToNameItMakesTheSameTensors) {
  Make(kSees);
  ASSERT_TRUE(tensors_.contains("model.language_model.layers.1.mlp.up_proj.weight"));
  const std::vector<uint8_t> first = ConvertedSections();
  Rename(kPrefix, "model.text_model.");
  EXPECT_EQ(ConvertedSections(), first);
  Rename("model.text_model.", "language_model.model.");
  Rename("lm_head.", "language_model.lm_head.");
  EXPECT_EQ(ConvertedSections(), first);
}

TEST_F(TextPart, SaysWhatIsLeftOut) {
  Make(kSees);
  AddTensor("vision_tower.patch_conv.weight");
  AddTensor("multi_modal_projector.norm.weight");
  Converted();
  EXPECT_THAT(notes_, Contains(HasSubstr("left out of the text's model: multi_modal_projector.* "
                                         "(1 tensors); vision_tower.* (1 tensors)")));
}

// Trained further without what sees, whose config is still there.
TEST_F(TextPart, WithoutATowerTheTextIsAll) {
  const std::filesystem::path seeing = std::filesystem::path(kTestData) / "seeing";
  std::ifstream file(seeing / "config.json");
  const std::string config{std::istreambuf_iterator<char>(file), {}};
  Make(config.c_str());
  for (const char* other : {"processor_config.json", "tokenizer.json"}) {
    std::filesystem::copy_file(seeing / other, folder_ / "model" / other);
  }
  Converted();
  EXPECT_THAT(notes_, Contains(HasSubstr("no tensors of what sees")));
}

TEST_F(TextPart, RefusesTensorsOfNoPartThatIsKnown) {
  Make(kSees);
  AddTensor("model.crystal_ball.weight");
  EXPECT_THAT(SentenceOf([&] { Converted(); }),
              HasSubstr("tensor model.crystal_ball.weight has no place"));
}

TEST_F(TextPart, WithoutAHeadTheEmbeddingIsIt) {
  Make(kSees);
  const size_t with_head = Converted().size();
  tensors_.erase("lm_head.weight");
  EXPECT_LT(Converted().size(), with_head);
}

TEST_F(TextPart, RefusesTheLackOfAHeadThatConfigPromises) {
  std::string config = kSees;
  config.insert(1, R"("tie_word_embeddings": false, )");
  Make(config.c_str());
  tensors_.erase("lm_head.weight");
  EXPECT_THAT(SentenceOf([&] { Converted(); }), HasSubstr("lm_head.weight"));
}

TEST_F(TextPart, TokensOfTheTextsConfig) {
  std::string config = kSees;
  config.insert(config.find("\"vocab_size\""), R"("eos_token_id": 7, )");
  Make(config.c_str());
  const std::vector<uint8_t> with = Converted();
  Make(kSees);
  EXPECT_NE(Converted(), with);
}

// GLM 4.5 has a layer behind its last one that predicts the token after the next.
TEST_F(TextPart, LayersThatPredictFurtherAreLeftOut) {
  Make(R"({"architectures": ["Glm4MoeForCausalLM"], "vocab_size": 40, "hidden_size": 16,
      "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2,
      "num_key_value_heads": 1, "head_dim": 8, "n_routed_experts": 4, "num_experts_per_tok": 2,
      "moe_intermediate_size": 8, "num_nextn_predict_layers": 1})");
  AddTensor("model.layers.2.enorm.weight");
  Converted();
  EXPECT_THAT(notes_, Contains(HasSubstr("model.layers.2.* (1 tensors)")));
  AddTensor("model.layers.3.enorm.weight");
  EXPECT_THAT(SentenceOf([&] { Converted(); }), HasSubstr("has no place"));
}

}  // namespace
}  // namespace rondo::convert
