// Which streams get another basis, and which keep theirs.
#include "tools/convert/identities/turn_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/convert/architectures/read_config.h"
#include "tests/tools/convert/identities/random_tensors.h"

namespace rondo::convert::turn_stream_test {
namespace {

constexpr uint64_t kHidden = 32, kSize = 48;

class TurnStreamTest : public testing::Test {
 protected:
  explicit TurnStreamTest(const std::string& keys = "")
      : spec_(Read("LlamaForCausalLM", R"({"num_hidden_layers": 1)" + keys + "}")),
        tensors_(spec_) {}

  StreamTurn Turn(const std::string& kept = "nothing") {
    return TurnStreamWhereNoiseShrinks(
        tensors_, [&](const TensorRecipe& recipe) { return recipe.name == kept; }, spec_);
  }
  // Channels that are large in all that reads the stream.
  void MakePeaks() {
    for (const char* name : {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj",
                             "mlp.gate_proj", "mlp.up_proj"}) {
      for (const uint64_t channel : {3, 9}) {
        tensors_.Multiply(std::string("model.layers.0.") + name, kHidden, true, channel, 8);
      }
    }
  }
  size_t Turned() const {
    return static_cast<size_t>(std::ranges::count_if(spec_.tensors, &TensorRecipe::IsChanged));
  }

  DecoderSpec spec_;
  RandomTensors tensors_;
};

TEST_F(TurnStreamTest, WhatIsAlikeStays) {
  const StreamTurn turn = Turn();
  EXPECT_FALSE(turn.turned);
  EXPECT_NEAR(turn.noise, 1, 0.15);
  EXPECT_EQ(turn.restriction, "");
  EXPECT_EQ(Turned(), 0u);
}

TEST_F(TurnStreamTest, PeaksAreSpread) {
  MakePeaks();
  const StreamTurn turn = Turn();
  EXPECT_TRUE(turn.turned);
  EXPECT_LT(turn.noise, 0.8);
  EXPECT_EQ(Turned(), 6u);  // the embedding, qkv, output, gate_up, down and the head
}

// Quiet channels that are read with large gains would get the rounding of the loud ones.
TEST_F(TurnStreamTest, WhatReadersMakeGoodForStays) {
  for (uint64_t channel = 0; channel < kHidden; ++channel) {
    const float quiet = static_cast<float>(1 + channel % 8);
    const std::string layer = "model.layers.0.";
    for (const char* norm : {"input_layernorm", "post_attention_layernorm"}) {
      tensors_.Multiply(layer + norm, 1, false, channel, quiet);
    }
    tensors_.Multiply("model.norm", 1, false, channel, quiet);
    tensors_.Multiply(layer + "self_attn.o_proj", kHidden, false, channel, 1 / quiet);
    tensors_.Multiply(layer + "mlp.down_proj", kSize, false, channel, 1 / quiet);
    tensors_.Multiply("model.embed_tokens", kHidden, true, channel, 1 / quiet);
  }
  const StreamTurn turn = Turn();
  EXPECT_FALSE(turn.turned);
  EXPECT_GT(turn.noise, 2);
}

TEST_F(TurnStreamTest, WhatKeepsItsBitsKeepsItsBasis) {
  MakePeaks();
  EXPECT_EQ(Turn("layers.0.mlp.down").restriction, "the source's bits are kept");
  EXPECT_EQ(Turned(), 0u);
}

class TiedTurn : public TurnStreamTest {
 protected:
  TiedTurn() : TurnStreamTest(R"(, "tie_word_embeddings": true)") {}
};

TEST_F(TiedTurn, GainsThatAreAlikeStayInPlace) {
  MakePeaks();
  EXPECT_TRUE(Turn().turned);
  EXPECT_EQ(Turned(), 5u);
}

TEST_F(TiedTurn, OneTensorCannotHaveGainsAndBeWithout) {
  MakePeaks();
  tensors_.Multiply("model.norm", 1, false, 5, 2);
  EXPECT_THAT(Turn().restriction, testing::HasSubstr("stored twice"));
  EXPECT_EQ(Turned(), 0u);
}

}  // namespace
}  // namespace rondo::convert::turn_stream_test
