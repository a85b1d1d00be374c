// Of what latent attention caches, both parts are made as large, and the model stays what it is.
#include "tools/convert/balance_latents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/runtime/model/model_bytes.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"
#include "tests/tools/convert/checkpoint_tensors.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/convert.h"
#include "tools/convert/sources/checkpoint_folder.h"

namespace rondo::convert::balance_latents_test {
namespace {

constexpr uint64_t kHidden = 16, kHeads = 2, kLatent = 16, kNope = 8, kTurned = 8;
const std::string kAttention = "model.layers.0.self_attn.";

class BalanceLatentsTest : public testing::Test {
 protected:
  BalanceLatentsTest() {
    WriteCheckpointOf(folder_ / "model", R"({"architectures": ["YoutuForCausalLM"],
        "vocab_size": 40, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1,
        "num_attention_heads": 2, "num_key_value_heads": 2, "q_lora_rank": null,
        "kv_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8, "v_head_dim": 8,
        "attention_bias": true, "max_position_embeddings": 64})");
    tensors_ = ReadTensors(folder_ / "model");
  }

  std::vector<float>& Of(const std::string& name) {
    const auto found = tensors_.find(name);
    EXPECT_NE(found, tensors_.end()) << name;
    return found->second.values;
  }
  // visit(value) for the rows of keys that turn, and for their biases.
  template <typename Visit>
  void ForTurnedKeys(const Visit& visit) {
    std::vector<float>& weights = Of(kAttention + "kv_a_proj_with_mqa.weight");
    std::for_each(weights.begin() + kLatent * kHidden, weights.end(), visit);
    std::vector<float>& biases = Of(kAttention + "kv_a_proj_with_mqa.bias");
    std::for_each(biases.begin() + kLatent, biases.end(), visit);
  }
  // The factor that the turned parts of keys and queries get; both have some parts that get none.
  struct Factors {
    float keys, biases, queries;
  };
  Factors Balanced() {
    WriteTensors(folder_ / "model", tensors_);
    DecoderSpec spec = ReadArchitecture(Config::Load(folder_ / "model" / "config.json"));
    BalanceLatents(CheckpointFolder(folder_ / "model"), spec);
    Factors factors{};
    for (const TensorRecipe& recipe : spec.tensors) {
      const size_t kept = recipe.name == "layers.0.attention.q" ? kHeads : 1;
      float* const factor = recipe.name == "layers.0.attention.kv_down"        ? &factors.keys
                            : recipe.name == "layers.0.attention.kv_down.bias" ? &factors.biases
                            : recipe.name == "layers.0.attention.q"            ? &factors.queries
                                                                               : nullptr;
      for (size_t i = 0; i < recipe.parts.size(); ++i) {
        if (factor == nullptr || i < kept) {
          EXPECT_EQ(recipe.parts[i].scale, 1) << recipe.name << " " << i;
        } else {
          if (i == kept) *factor = recipe.parts[i].scale;
          EXPECT_EQ(recipe.parts[i].scale, *factor) << recipe.name << " " << i;
        }
      }
    }
    return factors;
  }
  std::vector<uint8_t> Converted() {
    WriteTensors(folder_ / "model", tensors_);
    ConvertOptions options;
    options.directory = folder_ / "model";
    options.output = folder_ / "model.rondo";
    Convert(options, [](uint64_t, uint64_t) {});
    const ModelBytes bytes(options.output);
    return {bytes.bytes().begin(), bytes.bytes().end()};
  }

  TempFolder folder_;
  CheckpointTensors tensors_;
};

TEST_F(BalanceLatentsTest, TheTurnedPartBecomesAsLargeAsTheLatent) {
  // Normalised inputs leave the norm at 0.5, so keys that turn have 4 * 0.5 * 6, and the latent 2.
  std::ranges::fill(Of("model.layers.0.input_layernorm.weight"), 0.5f);
  std::ranges::fill(Of(kAttention + "kv_a_layernorm.weight"), 2.0f);
  ForTurnedKeys([](float& value) { value = 6; });
  std::ranges::fill(Of(kAttention + "kv_a_proj_with_mqa.bias"), 0.0f);
  const Factors plain = Balanced();
  EXPECT_EQ(plain.keys, 0.125f);  // the power of two that is nearest to 2 / 12
  EXPECT_EQ(plain.biases, 0.125f);
  EXPECT_EQ(plain.queries, 8);
  // With biases of 20 they have 23.3.
  ForTurnedKeys([](float& value) { value = value == 0 ? 20.0f : value; });
  EXPECT_EQ(Balanced().keys, 0.0625f);
}

TEST_F(BalanceLatentsTest, NothingIsMadeLargerThatIsZero) {
  ForTurnedKeys([](float& value) { value = 0; });
  EXPECT_EQ(Balanced().keys, 1);
}

// A factor between the turned parts of keys and queries changes no score: nor what is written.
TEST_F(BalanceLatentsTest, AFactorBetweenKeysAndQueriesLeavesTheFileAsItIs) {
  const std::vector<uint8_t> as_it_was = Converted();
  ForTurnedKeys([](float& value) { value *= 64; });
  std::vector<float>& queries = Of(kAttention + "q_proj.weight");
  for (size_t row = 0; row < queries.size() / kHidden; ++row) {
    if (row % (kNope + kTurned) < kNope) continue;
    for (size_t i = 0; i < kHidden; ++i) queries[row * kHidden + i] /= 64;
  }
  EXPECT_EQ(Converted(), as_it_was);
}

}  // namespace
}  // namespace rondo::convert::balance_latents_test
