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

namespace rondo {
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

}  // namespace
}  // namespace rondo
