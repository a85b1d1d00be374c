// Several residual streams: forms of them that a file can ask for against the forward pass in plain
// loops, and what is refused.
#include <gmock/gmock.h>
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

namespace rondo::alt_up_test {
namespace {

using format::ModelT;
using testing::HasSubstr;

constexpr const char* kConfig = R"({"architectures": ["Gemma3nForCausalLM"], "vocab_size": 40,
    "hidden_size": 32, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 400, "head_dim": 8, "sliding_window": 9,
    "layer_types": ["sliding_attention", "full_attention"], "num_kv_shared_layers": 0,
    "hidden_size_per_layer_input": 8, "vocab_size_per_layer_input": 40, "laurel_rank": 6,
    "altup_num_inputs": 3, "activation_sparsity_pattern": [0.7, 0.0]})";

ModelBytes Changed(const std::function<void(ModelT&)>& change) {
  const TempFolder folder;
  convert::WriteCheckpointOf(folder / "model", kConfig);
  convert::ConvertOptions options;
  options.directory = folder / "model";
  options.output = folder / "model.rondo";
  options.weights = options.embedding = format::TensorFormat::F32;
  convert::Convert(options, [](uint64_t, uint64_t) {});
  return Rewrite(ModelBytes(options.output), change);
}

struct Form {
  const char* name;
  std::function<void(ModelT&)> change;
};

format::LayerAltUpT& Own(ModelT& m) { return *m.layers[1]->alt_up; }
std::unique_ptr<format::SublayerT>& Last(ModelT& m) { return m.layers[1]->sublayers.back(); }
format::LaurelT& Laurel(ModelT& m) { return *SublayerAt(m, 1, 0).op.AsLaurel(); }
format::MlpT& Mlp(ModelT& m) { return *SublayerAt(m, 0, 2).op.AsMlp(); }

const std::vector<Form> kForms = {
    {"AsConverted", [](ModelT&) {}},
    {"OtherActive", [](ModelT& m) { m.alt_up->active = 2; }},
    {"WithoutScale", [](ModelT& m) { Own(m).scale = -1; }},
    {"WithoutLayerEmbedding",
     [](ModelT& m) {
       m.layers[1]->sublayers.pop_back();
       Own(m).scale = -1;
     }},
    {"LaurelBehindAttention",
     [](ModelT& m) {
       auto& sublayers = m.layers[1]->sublayers;
       std::swap(sublayers[0], sublayers[1]);
       sublayers[0]->reads_previous_input = false;
       sublayers[1]->reads_previous_input = true;
     }},
    {"LaurelAlone",
     [](ModelT& m) {
       SublayerAt(m, 1, 1).reads_previous_input = false;
       Laurel(m).norm.reset();
       SublayerAt(m, 1, 0).factor = 0.5f;
     }},
    {"ResidualFactors",
     [](ModelT& m) {
       SublayerAt(m, 1, 2).residual_factor = -1.5f;
       SublayerAt(m, 1, 2).factor = 0.25f;
       SublayerAt(m, 0, 2).post_norm.reset();
       SublayerAt(m, 0, 2).residual_factor = 0.5f;
     }},
    {"GateCutoffBelowMean", [](ModelT& m) { Mlp(m).gate_cutoff->deviations = -0.5f; }},
};

class Streams : public testing::TestWithParam<Form> {};

TEST_P(Streams, EqualPlainLoops) {
  const ModelBytes bytes = Changed(GetParam().change);
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  const std::vector<int32_t> ids = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4};
  const auto expected = PlainForward(*file).Logits({ids.begin(), ids.end()});
  const auto logits_of = [&](uint32_t max_rows) {
    EngineOptions options;
    options.max_rows = max_rows;
    options.threads = 2;
    options.kv_format = KvFormat::kFloat32;
    const auto engine = Engine::Create(*file, nullptr, options, nullptr, 0);
    if (!engine.ok()) throw std::runtime_error(engine.status().message());
    return AllLogits(*NewSession(**engine), ids);
  };
  const auto logits = logits_of(4);
  ASSERT_EQ(logits.size(), expected.size());
  double largest = 0, difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    difference = std::max(difference, std::abs(expected[i] - logits[i]));
  }
  EXPECT_GT(largest, 0.01);
  EXPECT_LT(difference / largest, 2e-5);
  EXPECT_EQ(logits, logits_of(1));
  EXPECT_EQ(logits, logits_of(20));
}

INSTANTIATE_TEST_SUITE_P(Every, Streams, testing::ValuesIn(kForms),
                         [](const auto& info) { return info.param.name; });

// What a damaged file is refused for.
struct Bad {
  const char* name;
  std::function<void(ModelT&)> change;
  const char* message;
};

const std::vector<Bad> kBad = {
    {"None", [](ModelT& m) { m.alt_up->n_streams = 1; }, "streams is 1, expected 2 to 16"},
    {"TooMany", [](ModelT& m) { m.alt_up->n_streams = 17; }, "streams is 17, expected 2 to 16"},
    {"Active", [](ModelT& m) { m.alt_up->active = 3; }, "stream is 3, expected 0 to 2"},
    {"OtherNumber", [](ModelT& m) { m.alt_up->n_streams = 4; }, "ask for 96 x 32"},
    {"EmbedAbsent", [](ModelT& m) { m.alt_up->embed.reset(); }, "projection to streams is absent"},
    {"UnembedLacking", [](ModelT& m) { m.alt_up->unembed.pop_back(); },
     "projections from 1 streams, expected one for each of 2"},
    {"UnembedShape", [](ModelT& m) { m.alt_up->unembed[0]->weight = m.head->weight; },
     "ask for 32 x 32"},
    {"ModelOnly", [](ModelT& m) { m.layers[1]->alt_up.reset(); },
     "update of residual streams is absent, but the model has several"},
    {"LayerOnly", [](ModelT& m) { m.alt_up.reset(); },
     "update of residual streams is there, but the model has only one"},
    {"RouterNorm", [](ModelT& m) { Own(m).router_norm.reset(); }, "has no norm of its router"},
    {"Router", [](ModelT& m) { Own(m).router = m.final_norm->weight; }, "ask for 3 x 32"},
    {"Predict", [](ModelT& m) { Own(m).predict = Own(m).correct; }, "ask for 9 x 3"},
    {"Correct", [](ModelT& m) { Own(m).correct = Own(m).predict; }, "ask for 3 x 3"},
    {"Scale", [](ModelT& m) { Own(m).scale = static_cast<int32_t>(Own(m).correct); },
     "ask for 1 x 32"},
    {"ScaleOfNothing", [](ModelT& m) { m.layers[1]->sublayers.pop_back(); },
     "has a scale, but no layer embedding"},
    {"ScaleOfLayer", [](ModelT& m) { m.layers[1]->scale = Own(m).scale; },
     "stands beside a scale of the one stream"},
    {"LayerEmbeddingInside",
     [](ModelT& m) { std::swap(m.layers[1]->sublayers[2], m.layers[1]->sublayers[3]); },
     "has a layer embedding that is not the last sublayer"},
    {"LayerEmbeddingBeside", [](ModelT& m) { Last(m)->reads_previous_input = true; },
     "has a layer embedding that reads what the sublayer before it read"},
    {"LeftAbsent", [](ModelT& m) { Laurel(m).left.reset(); }, "laurel has no left matrix"},
    {"LeftNowhere", [](ModelT& m) { Laurel(m).left->weight = 1000; },
     "laurel points at a tensor that is absent"},
    {"RightAbsent", [](ModelT& m) { Laurel(m).right.reset(); }, "laurel's right is absent"},
    {"RightOther", [](ModelT& m) { Laurel(m).right->weight = Laurel(m).left->weight; },
     "ask for 32 x 6"},
    {"LaurelTwice",
     [](ModelT& m) {
       auto& sublayers = m.layers[1]->sublayers;
       sublayers.insert(sublayers.begin(), std::make_unique<format::SublayerT>(*sublayers[0]));
       sublayers[1]->reads_previous_input = true;
     },
     "one of each"},
    {"ResidualFactor", [](ModelT& m) { SublayerAt(m, 1, 1).residual_factor = INFINITY; },
     "has a factor that is not finite"},
    {"CutoffNotFinite", [](ModelT& m) { Mlp(m).gate_cutoff->deviations = NAN; },
     "has a cutoff of its gate that is not finite"},
    {"CutoffAndLimit", [](ModelT& m) { Mlp(m).limit = 1; },
     "has a cutoff of its gate, but is plain or has a limit"},
};

class BadStreams : public testing::TestWithParam<Bad> {};

// Some at open, where the file contradicts itself, others where an engine is planned.
TEST_P(BadStreams, AreRefused) {
  const ModelBytes bytes = Changed(GetParam().change);
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  Status status = file.status();
  if (status.ok()) status = Engine::Create(*file, nullptr, {}, nullptr, 0).status();
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(Every, BadStreams, testing::ValuesIn(kBad),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace rondo::alt_up_test
