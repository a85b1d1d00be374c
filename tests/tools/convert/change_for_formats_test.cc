// Which sources' channels are scaled before they get few bits.
#include "tools/convert/change_for_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tools/convert/architectures/read_config.h"
#include "tests/tools/convert/identities/random_tensors.h"

namespace rondo::convert::change_for_formats_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Matrices of integers with a scale for each row, which q8 takes as they are.
class IntegerTensors final : public RandomTensors {
 public:
  explicit IntegerTensors(const DecoderSpec& spec) : RandomTensors(spec, "I8", 1) {}
  uint32_t IntegerBits(const std::string& name) const override {
    return tensors().at(name).type == "I8" ? 8 : 0;
  }
};

class ChangeForFormatsTest : public testing::Test {
 protected:
  // The power of the one loud channel between up and down.
  int PowerIn(RandomTensors& tensors) {
    tensors.Multiply("model.layers.0.mlp.up_proj", 32, false, 7, 8);
    tensors.Multiply("model.layers.0.mlp.down_proj", 48, true, 7, 1 / 8.0f);
    DecoderSpec changed = spec_;
    ConvertOptions options;  // the default
    options.keep_weights = options.keep_embedding = true;
    ChangeForFormats(options, tensors, changed, notes_);
    const auto& down =
        *std::ranges::find(changed.tensors, "layers.0.mlp.down", &TensorRecipe::name);
    return down.col_powers.empty() ? 0 : down.col_powers.at(7);
  }

  const DecoderSpec spec_ = Read("LlamaForCausalLM", R"({"num_hidden_layers": 1})");
  std::vector<std::string> notes_;
};

TEST_F(ChangeForFormatsTest, FloatsAreScaled) {
  RandomTensors tensors(spec_);
  EXPECT_EQ(PowerIn(tensors), 3);
}

// No format of ours holds them, so that they are rounded to q8 in any case.
TEST_F(ChangeForFormatsTest, WhatIsRoundedAnewIsScaled) {
  for (const char* type : {"F8_E4M3", "Q6_K", "Q5_K"}) {
    RandomTensors tensors(spec_, type, 1);
    EXPECT_EQ(PowerIn(tensors), 3) << type;
  }
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(ChangeForFormatsTest, WhatIsTakenKeepsItsBits) {
  IntegerTensors tensors(spec_);
  EXPECT_EQ(PowerIn(tensors), 0);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("keeps the bits of the source")));
}

}  // namespace
}  // namespace rondo::convert::change_for_formats_test
