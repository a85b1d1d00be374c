// A mixture of experts in every form that a file can ask for: the engine against the forward pass
// in plain loops, and against itself however its rows are cut; and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "runtime/engine/session.h"
#include "tests/runtime/model/plain_forward.h"
#include "tests/runtime/model/sublayers.h"
#include "tests/support/packed_model.h"
#include "tests/support/test_model.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo::experts_test {
namespace {

using format::ExpertsT, format::ModelT;
using testing::HasSubstr;

// As many experts as hidden channels, so that norms' weights serve as vectors of the experts.
ModelBytes Mixture(format::TensorFormat weights, int intermediate = 24) {
  const TempFolder folder;
  convert::WriteCheckpointOf(folder / "model", R"({"architectures": ["MixtralForCausalLM"],
      "vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
      "num_key_value_heads": 1, "max_position_embeddings": 64, "num_local_experts": 16,
      "num_experts_per_tok": 3, "intermediate_size": )" +
                                                   std::to_string(intermediate) + "}");
  convert::ConvertOptions options;
  options.directory = folder / "model";
  options.output = folder / "model.rondo";
  options.weights = options.embedding = weights;
  convert::Convert(options, [](uint64_t, uint64_t) {});
  return ModelBytes(options.output);
}

ExpertsT& ExpertsOf(ModelT& m, size_t layer = 1) { return *SublayerAt(m, layer, 1).op.AsExperts(); }
int32_t VectorOfExperts(ModelT& m) {
  return static_cast<int32_t>(SublayerAt(m, 0, 1).norm->weight);
}
std::unique_ptr<format::NormT> OtherNorm(ModelT& m, double epsilon) {
  auto norm = std::make_unique<format::NormT>(*SublayerAt(m, 0, 1).norm);
  norm->epsilon = epsilon;
  return norm;
}
void Share(ModelT& m) {
  ExpertsT& experts = ExpertsOf(m);
  experts.shared = std::make_unique<format::ExpertT>(*experts.experts[5]);
  experts.shared_size = experts.intermediate_size;
}

struct Case {
  const char* name;
  std::function<void(ModelT&)> change;
};

const std::vector<Case> kCases = {
    {"AsConverted", [](ModelT&) {}},
    {"NormBehindThem", [](ModelT& m) { SublayerAt(m, 1, 1).residual_norm = OtherNorm(m, 1); }},
    {"Sigmoid", [](ModelT& m) { ExpertsOf(m).scoring = format::Scoring::kSigmoid; }},
    {"NotNormalized",
     [](ModelT& m) {
       ExpertsOf(m).normalize = false;
       ExpertsOf(m).weight_scale = 2.5f;
     }},
    {"LeastSum",
     [](ModelT& m) {
       ExpertsOf(m).normalize_epsilon = 0.25f;
       ExpertsOf(m).normalize_min = 0.9f;
     }},
    {"ChoiceBias", [](ModelT& m) { ExpertsOf(m).choice_bias = VectorOfExperts(m); }},
    {"Groups",
     [](ModelT& m) {
       ExpertsOf(m).n_groups = 4;
       ExpertsOf(m).n_groups_used = 2;
       ExpertsOf(m).group_best = 2;
     }},
    {"SparseMixer",
     [](ModelT& m) {
       ExpertsOf(m).scoring = format::Scoring::kSparseMixer;
       ExpertsOf(m).n_used = 2;
       ExpertsOf(m).jitter = 0.2f;
       ExpertsOf(m).normalize = false;
     }},
    {"WeightScales", [](ModelT& m) { ExpertsOf(m).weight_scales = VectorOfExperts(m); }},
    {"WeighInput", [](ModelT& m) { ExpertsOf(m).weigh_input = true; }},
    {"Limits",
     [](ModelT& m) {
       ExpertsOf(m).activation = format::Activation::kGeluQuick;
       ExpertsOf(m).limit = 0.4f;
       ExpertsOf(m).up_offset = 1;
       Share(m);
     }},
    {"Shared", Share},
    {"SharedGate",  // the last expert's row of the router becomes its gate
     [](ModelT& m) {
       Share(m);
       ExpertsOf(m).experts.pop_back();
       ExpertsOf(m).shared_gate = true;
     }},
    {"OwnNorms",
     [](ModelT& m) {
       Share(m);
       ExpertsOf(m).router_norm = OtherNorm(m, 0.5);
       ExpertsOf(m).shared_norm = OtherNorm(m, 0.75);
       ExpertsOf(m).experts_post_norm = OtherNorm(m, 1);
       ExpertsOf(m).shared_post_norm = OtherNorm(m, 2);
     }},
};

const std::vector<int32_t> kIds = {3, 1, 4, 1, 5, 9, 2, 6, 5, 35, 8, 9, 7, 39};

std::vector<float> Logits(const ModelFile& file, uint32_t max_rows, uint32_t threads, KvFormat kv) {
  EngineOptions options;
  options.max_rows = max_rows;
  options.threads = threads;
  options.kv_format = kv;
  const auto engine = Engine::Create(file, nullptr, options, nullptr, 0);
  if (!engine.ok()) throw std::runtime_error(engine.status().message());
  return AllLogits(*NewSession(**engine), kIds);
}

class Mixtures : public testing::TestWithParam<Case> {};

TEST_P(Mixtures, EqualPlainLoops) {
  const ModelBytes bytes = Rewrite(Mixture(format::TensorFormat::F32), GetParam().change);
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  const std::vector<double> expected =
      PlainForward(*file).Logits(std::vector<uint32_t>(kIds.begin(), kIds.end()));
  const std::vector<float> logits = Logits(*file, 4, 2, KvFormat::kFloat32);
  ASSERT_EQ(logits.size(), expected.size());
  double largest = 0, difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    difference = std::max(difference, std::abs(expected[i] - logits[i]));
  }
  EXPECT_GT(largest, 0.01);
  EXPECT_LT(difference / largest, 2e-5);
}

TEST_P(Mixtures, SameBitsForAnyCutAndThreads) {
  const ModelBytes bytes = Rewrite(Mixture(format::TensorFormat::Q8), GetParam().change);
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  const std::vector<float> whole = Logits(*file, 14, 1, KvFormat::kInt8);
  for (const float logit : whole) ASSERT_TRUE(std::isfinite(logit));
  for (const uint32_t rows : {1u, 3u, 14u}) {
    const std::vector<float> cut = Logits(*file, rows, 2, KvFormat::kInt8);
    EXPECT_EQ(std::memcmp(cut.data(), whole.data(), whole.size() * sizeof(float)), 0) << rows;
  }
}

// Where rows are int8, their scale carries the weight. Without it an expert's share would be
// several times as small or large; what int8 itself costs is far less.
TEST(Mixture, WeighsInt8InputLikePlainLoops) {
  const ModelBytes bytes = Rewrite(Mixture(format::TensorFormat::Q8), [](ModelT& m) {
    for (size_t layer = 0; layer < 2; ++layer) {
      ExpertsOf(m, layer).weigh_input = true;
      ExpertsOf(m, layer).weight_scale = 8;
    }
  });
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  const std::vector<double> expected =
      PlainForward(*file).Logits(std::vector<uint32_t>(kIds.begin(), kIds.end()));
  const std::vector<float> logits = Logits(*file, 4, 2, KvFormat::kFloat32);
  double largest = 0, difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    difference = std::max(difference, std::abs(expected[i] - logits[i]));
  }
  EXPECT_LT(difference / largest, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Every, Mixtures, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

struct Bad {
  const char* name;
  std::function<void(ModelT&)> change;
  const char* words;  // in the message
};

const std::vector<Bad> kBad = {
    {"NoExperts", [](ModelT& m) { ExpertsOf(m).experts.clear(); }, "has no experts"},
    {"NoneUsed", [](ModelT& m) { ExpertsOf(m).n_used = 0; }, "layer 1 uses 0 of 16 experts"},
    {"MoreUsedThanThereAre", [](ModelT& m) { ExpertsOf(m).n_used = 17; }, "uses 17 of 16 experts"},
    {"FewerThanTheRouterHas", [](ModelT& m) { ExpertsOf(m).experts.pop_back(); },
     "is 16 x 16, the model's sizes ask for 15 x 16"},
    {"UnknownScoring", [](ModelT& m) { ExpertsOf(m).scoring = static_cast<format::Scoring>(9); },
     "scoring 9"},
    {"SparseMixerOfThree", [](ModelT& m) { ExpertsOf(m).scoring = format::Scoring::kSparseMixer; },
     "is a SparseMixer that does not use two"},
    {"SparseMixerOfOne",
     [](ModelT& m) {
       ExpertsOf(m).scoring = format::Scoring::kSparseMixer;
       ExpertsOf(m).n_used = 1;
     },
     "is a SparseMixer that does not use two"},
    {"JitterWithoutMixer", [](ModelT& m) { ExpertsOf(m).jitter = 0.1f; }, "has a jitter"},
    {"BiasAbsent", [](ModelT& m) { ExpertsOf(m).choice_bias = 100000; },
     "bias of choice points at a tensor that is absent"},
    {"BiasOfOtherSize",
     [](ModelT& m) { ExpertsOf(m).choice_bias = static_cast<int32_t>(m.embedding); },
     "ask for 1 x 16"},
    {"ScalesNegative", [](ModelT& m) { ExpertsOf(m).weight_scales = -2; }, "negative index"},
    {"EpsilonNegative", [](ModelT& m) { ExpertsOf(m).normalize_epsilon = -1; }, "has an epsilon"},
    {"LeastSumNan", [](ModelT& m) { ExpertsOf(m).normalize_min = NAN; }, "least sum"},
    {"ScaleInfinite", [](ModelT& m) { ExpertsOf(m).weight_scale = INFINITY; },
     "scale of weights that is not finite"},
    {"GroupsDoNotDivide",
     [](ModelT& m) {
       ExpertsOf(m).n_groups = 3;
       ExpertsOf(m).n_groups_used = ExpertsOf(m).group_best = 1;
     },
     "uses 1 of 3 groups of its 16 experts, expected groups of equal size"},
    {"MoreGroupsThanThereAre",
     [](ModelT& m) {
       ExpertsOf(m).n_groups = 4;
       ExpertsOf(m).n_groups_used = 5;
       ExpertsOf(m).group_best = 1;
     },
     "uses 5 of 4 groups"},
    {"GroupsTooSmallForTheirBest",
     [](ModelT& m) {
       ExpertsOf(m).n_groups = 16;
       ExpertsOf(m).n_groups_used = 4;
       ExpertsOf(m).group_best = 2;
     },
     "by their 2 best of 1 experts"},
    {"GroupsTooSmallForThoseUsed",
     [](ModelT& m) {
       ExpertsOf(m).n_groups = 8;
       ExpertsOf(m).n_groups_used = 1;
       ExpertsOf(m).group_best = 1;
     },
     "uses 3 experts, but its 1 groups have only 2"},
    {"NoGroupsButSomeUsed", [](ModelT& m) { ExpertsOf(m).n_groups_used = 2; }, "but has none"},
    {"LimitNegative", [](ModelT& m) { ExpertsOf(m).limit = -1; }, "has a limit that is not"},
    {"OffsetNan", [](ModelT& m) { ExpertsOf(m).up_offset = NAN; }, "has a limit that is not"},
    {"LimitOfPlain",
     [](ModelT& m) {
       ExpertsOf(m).plain = true;
       ExpertsOf(m).limit = 1;
     },
     "but is plain"},
    {"SharedOfNoSize",
     [](ModelT& m) {
       Share(m);
       ExpertsOf(m).shared_size = 0;
     },
     "intermediate_size 0"},
    {"SharedOfOtherSize",
     [](ModelT& m) {
       Share(m);
       ExpertsOf(m).shared_size = 8;
     },
     "ask for 16 x 16"},
    {"SizeOfNoShared", [](ModelT& m) { ExpertsOf(m).shared_size = 8; },
     "shared expert that is absent"},
    {"GateOfNoShared", [](ModelT& m) { ExpertsOf(m).shared_gate = true; },
     "gate for a shared expert that is absent"},
    {"ActivationWithNumbers",
     [](ModelT& m) { ExpertsOf(m).activation = format::Activation::kXielu; },
     "layer 1's mixture of experts lacks the numbers of its activation"},
    {"NormOfOtherKind",
     [](ModelT& m) {
       ExpertsOf(m).router_norm = OtherNorm(m, 1);
       ExpertsOf(m).router_norm->kind = static_cast<format::NormKind>(7);
     },
     "norm kind 7"},
    {"SomeInFloat32",
     [](ModelT& m) { ExpertsOf(m).experts[3]->gate_up->weight = ExpertsOf(m).router->weight; },
     "ask for 48 x 16"},
};

class BadMixtures : public testing::TestWithParam<Bad> {};

TEST_P(BadMixtures, AreRefusedByName) {
  const ModelBytes bytes = Rewrite(Mixture(format::TensorFormat::Q8), GetParam().change);
  const Status status = ModelFile::Open(bytes.bytes()).status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr(GetParam().words));
}

// The router's matrix is of float32, and here as large as what leads out of an expert.
TEST(BadMixturesByFormat, ExpertsAreAllOfFloatsOrNone) {
  const ModelBytes bytes = Rewrite(Mixture(format::TensorFormat::Q8, 16), [](ModelT& m) {
    ExpertsOf(m).experts[3]->down->weight = ExpertsOf(m).router->weight;
  });
  const Status status = ModelFile::Open(bytes.bytes()).status();
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr("has float32 weights in some experts and not in others"));
}

INSTANTIATE_TEST_SUITE_P(Every, BadMixtures, testing::ValuesIn(kBad),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace rondo::experts_test
