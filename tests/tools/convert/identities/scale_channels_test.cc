// Which scales channels get, and which keep theirs.
#include "tools/convert/identities/scale_channels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/tools/convert/architectures/read_config.h"
#include "tests/tools/convert/identities/random_tensors.h"

namespace rondo::convert::scale_channels_test {
namespace {

using testing::Each;
using testing::HasSubstr;

const std::string kLayer = "model.layers.0.";

class ScaleChannelsTest : public testing::Test {
 protected:
  static constexpr uint64_t kHidden = 32, kSize = 48, kHead = 8;

  ScaleChannelsTest()
      : spec_(Read("LlamaForCausalLM", R"({"num_hidden_layers": 1})")), tensors_(spec_) {}

  // By the name in the Rondo file.
  static const TensorRecipe& Of(const DecoderSpec& spec, const std::string& name) {
    return *std::ranges::find(spec.tensors, "layers.0." + name, &TensorRecipe::name);
  }
  DecoderSpec Scaled(uint32_t weight_bits = 8) const {
    DecoderSpec spec = spec_;
    ScaleChannels(
        tensors_, [](const TensorRecipe&) { return false; }, weight_bits, spec);
    return spec;
  }

  const DecoderSpec spec_;
  RandomTensors tensors_;
};

TEST_F(ScaleChannelsTest, WhatIsAlikeStays) {
  for (const TensorRecipe& recipe : Scaled().tensors) {
    if (recipe.name.ends_with("norm") || recipe.name.ends_with("output")) {
      EXPECT_THAT(recipe.row_powers, Each(0)) << recipe.name;
      EXPECT_THAT(recipe.col_powers, Each(0)) << recipe.name;
    }
  }
}

TEST_F(ScaleChannelsTest, AChannelOfANorm) {
  tensors_.Multiply(kLayer + "input_layernorm", 1, false, 5, 64);
  for (const char* name : {"q_proj", "k_proj", "v_proj"}) {
    tensors_.Multiply(kLayer + "self_attn." + name, kHidden, true, 5, 1 / 64.0f);
  }
  std::vector<int8_t> expected(kHidden);
  expected[5] = -6;
  const DecoderSpec spec = Scaled();
  EXPECT_EQ(Of(spec, "attention.norm").row_powers, expected);
  expected[5] = 6;
  EXPECT_EQ(Of(spec, "attention.qkv").col_powers, expected);
}

// Its channel may come in quiet.
TEST_F(ScaleChannelsTest, AGainAloneStays) {
  tensors_.Multiply(kLayer + "input_layernorm", 1, false, 5, 8);
  tensors_.Multiply(kLayer + "input_layernorm", 1, false, 6, 1 / 8.0f);
  const DecoderSpec spec = Scaled();
  EXPECT_THAT(Of(spec, "attention.norm").row_powers, Each(0));
  EXPECT_THAT(Of(spec, "attention.qkv").col_powers, Each(0));
}

TEST_F(ScaleChannelsTest, AChannelOfAnMlp) {
  tensors_.Multiply(kLayer + "mlp.up_proj", kHidden, false, 7, 16);
  tensors_.Multiply(kLayer + "mlp.down_proj", kSize, true, 7, 1 / 16.0f);
  const DecoderSpec spec = Scaled();
  EXPECT_EQ(Of(spec, "mlp.gate_up").row_powers.at(kSize + 7), -4);
  EXPECT_EQ(Of(spec, "mlp.gate_up").row_powers.at(7), 0);
  EXPECT_EQ(Of(spec, "mlp.down").col_powers.at(7), 4);
}

// What nothing makes good for is shared between rows in 8 bits and columns; of few bits these get
// less. Beyond 16 times rows are int8 twice and take all of it.
TEST_F(ScaleChannelsTest, ALoudChannelIsLeftToTheRowsWhereTheseHaveMoreBits) {
  const auto expect = [&](uint32_t bits, int8_t power, bool fine) {
    const DecoderSpec spec = Scaled(bits);
    EXPECT_EQ(Of(spec, "mlp.gate_up").row_powers.at(kSize + 7), power);
    EXPECT_EQ(Of(spec, "mlp.down").col_powers.at(7), -power);
    EXPECT_EQ(spec.layers[0].sublayers[1]->op.AsMlp()->down->fine_rows, fine);
    EXPECT_FALSE(spec.layers[0].sublayers[0]->op.AsAttention()->output->fine_rows);
  };
  tensors_.Multiply(kLayer + "mlp.up_proj", kHidden, false, 7, 12);
  tensors_.Multiply(kLayer + "mlp.up_proj", kHidden, false, 8, 1 / 12.0f);  // some channel is far
  tensors_.Multiply(kLayer + "mlp.down_proj", kSize, true, 8, 12);
  expect(8, -2, false);
  expect(4, -1, false);
  tensors_.Multiply(kLayer + "mlp.up_proj", kHidden, false, 7, 12);
  expect(8, -2, true);  // the columns were quiet beside such a channel
  tensors_.Multiply(kLayer + "mlp.up_proj", kHidden, false, 7, 1 / 144.0f);
  tensors_.Multiply(kLayer + "mlp.down_proj", kSize, true, 7, 12);
  expect(8, 1, false);
  expect(4, 3, false);
  tensors_.Multiply(kLayer + "mlp.down_proj", kSize, true, 7, 12);
  expect(8, 5, true);
}

TEST_F(ScaleChannelsTest, WhatIsBesideADeadChannelIsQuiet) {
  tensors_.Multiply(kLayer + "mlp.up_proj", kHidden, false, 7, 100);
  tensors_.Multiply(kLayer + "mlp.down_proj", kSize, true, 7, 0);
  tensors_.Multiply(kLayer + "mlp.gate_proj", kHidden, false, 8, 0);
  tensors_.Multiply(kLayer + "mlp.down_proj", kSize, true, 8, 100);
  tensors_.Multiply(kLayer + "self_attn.v_proj", kHidden, false, 3, 0);
  const DecoderSpec spec = Scaled(4);
  EXPECT_EQ(Of(spec, "mlp.gate_up").row_powers.at(kSize + 7), -20);
  EXPECT_EQ(Of(spec, "mlp.down").col_powers.at(8), -20);
  EXPECT_EQ(Of(spec, "attention.output").col_powers.at(3), -20);
  EXPECT_FALSE(spec.layers[0].sublayers[1]->op.AsMlp()->down->fine_rows);
}

// A gain of 0 whose readers are loud; these become as the others.
TEST_F(ScaleChannelsTest, WhatReadsAGainOfZeroIsNotLoud) {
  tensors_.Multiply(kLayer + "post_attention_layernorm", 1, false, 5, 0);
  for (const char* name : {"gate_proj", "up_proj"}) {
    tensors_.Multiply(kLayer + "mlp." + name, kHidden, true, 5, 64);
  }
  EXPECT_LE(Of(Scaled(), "mlp.gate_up").col_powers.at(5), -4);
}

// Channels 2 and 6 of the second key head turn together; heads 2 and 3 of the queries read it.
TEST_F(ScaleChannelsTest, APairOfKeys) {
  for (const uint64_t channel : {2, 6}) {
    tensors_.Multiply(kLayer + "self_attn.k_proj", kHidden, false, kHead + channel, 32);
    for (const uint64_t head : {2, 3}) {
      tensors_.Multiply(kLayer + "self_attn.q_proj", kHidden, false, head * kHead + channel,
                        1 / 32.0f);
    }
  }
  const DecoderSpec spec = Scaled();
  const std::vector<int8_t>& powers = Of(spec, "attention.qkv").row_powers;
  for (const uint64_t channel : {2, 6}) {
    EXPECT_EQ(powers.at(4 * kHead + kHead + channel), -5);
    EXPECT_EQ(powers.at(2 * kHead + channel), 5);
    EXPECT_EQ(powers.at(3 * kHead + channel), 5);
    EXPECT_EQ(powers.at(channel), 0);
  }
}

TEST_F(ScaleChannelsTest, NothingIsScaledBesideWhatKeepsItsBits) {
  tensors_.Multiply(kLayer + "input_layernorm", 1, false, 5, 64);
  tensors_.Multiply(kLayer + "post_attention_layernorm", 1, false, 5, 64);
  for (const char* name : {"gate_proj", "up_proj"}) {
    tensors_.Multiply(kLayer + "mlp." + name, kHidden, true, 5, 1 / 64.0f);
  }
  DecoderSpec spec = spec_;
  const ChannelScales scales = ScaleChannels(
      tensors_, [](const TensorRecipe& recipe) { return recipe.name.ends_with("attention.qkv"); },
      8, spec);
  EXPECT_TRUE(scales.beside_kept);
  EXPECT_THAT(scales.fact, HasSubstr("key channels, norm channels, value channels stay where the "
                                     "source's bits are kept"));
  EXPECT_TRUE(Of(spec, "attention.qkv").col_powers.empty());
  EXPECT_TRUE(Of(spec, "attention.qkv").row_powers.empty());
  EXPECT_TRUE(Of(spec, "attention.norm").row_powers.empty());
  EXPECT_LT(Of(spec, "mlp.norm").row_powers.at(5), 0);
}

}  // namespace
}  // namespace rondo::convert::scale_channels_test
