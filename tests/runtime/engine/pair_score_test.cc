// Scores of pairs by heads of one number: the engine against the forward pass in plain loops.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/runtime/model/plain_forward.h"
#include "tests/support/test_model.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/classifier_of.h"

namespace rondo::pair_score_test {
namespace {

TestModel Converted(const nlohmann::json& config) {
  const TempFolder folder;
  convert::WriteClassifierOf(folder / "model", config);
  return TestModel(folder / "model", format::TensorFormat::F32);
}

float Score(Engine& engine, const std::vector<int32_t>& pair) {
  Session* const session = NewSession(engine);
  const size_t count = pair.size();
  float score = 0;
  const Status status =
      Session::Embed(&engine, {&session, 1}, {pair.data(), {&count, 1}, 1, &score});
  engine.CloseSession(session);
  if (!status.ok()) throw std::runtime_error(status.message());
  return score;
}

// [CLS] (1) and [SEP] (2) around the two.
const std::vector<int32_t> kPair = {1, 40, 50, 60, 2, 70, 80, 2};
const std::vector<int32_t> kLongerQuery = {1, 40, 50, 60, 70, 2, 80, 2};
const std::vector<int32_t> kTextAlone = {1, 40, 50, 60};

class PairScore : public testing::TestWithParam<bool> {};

TEST_P(PairScore, EqualsPlainLoops) {
  const TestModel model =
      Converted(GetParam() ? convert::ModernBertClassifier() : convert::BertClassifier());
  for (const KernelSet* set : AllKernelSets()) {
    if (!set->available()) continue;
    EngineOptions options;
    options.kernels = set->name;
    options.kv_format = KvFormat::kFloat32;
    const auto engine = model.NewEngine(options);
    for (const auto& pair : {kPair, kLongerQuery, kTextAlone}) {
      const auto expected = PlainForward(model.file()).Vector({pair.begin(), pair.end()});
      ASSERT_EQ(expected.size(), 1u);
      EXPECT_NEAR(Score(*engine, pair), expected[0], 1e-5) << set->name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, PairScore, testing::Bool(),
                         [](const auto& info) { return info.param ? "ModernBert" : "Bert"; });

// BERT's second text has an offset of its own, from behind the first separator on.
TEST(PairScoreTest, OfBertKnowsWhichTextIsWhich) {
  const TestModel model = Converted(convert::BertClassifier());
  EXPECT_EQ(model.file().model().embedder()->separator(), 2);
  nlohmann::json alike = convert::BertClassifier();
  const TempFolder folder;
  convert::WriteClassifierOf(folder / "model", alike);
  std::ofstream(folder / "model/tokenizer_config.json")
      << R"({"model_input_names": ["input_ids", "attention_mask"]})";
  const TestModel one_type(folder / "model", format::TensorFormat::F32);
  EXPECT_EQ(one_type.file().model().embedder()->separator(), -1);
  EngineOptions options;
  options.kv_format = KvFormat::kFloat32;
  const auto two = model.NewEngine(options), one = one_type.NewEngine(options);
  EXPECT_EQ(Score(*two, kTextAlone), Score(*one, kTextAlone));
  EXPECT_NE(Score(*two, kPair), Score(*one, kPair));
}

}  // namespace
}  // namespace rondo::pair_score_test
