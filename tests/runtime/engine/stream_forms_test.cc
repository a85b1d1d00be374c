// What is done to the residual stream and between an MLP's matrices, and ropes of long sequences,
// in every form that a file can ask for: the engine against the forward pass in plain loops, and
// against itself however its rows are cut; and what a damaged file is refused for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "tests/runtime/engine/plain_loops.h"
#include "tests/runtime/model/model_bytes.h"
#include "tests/runtime/model/sublayers.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo::stream_forms_test {
namespace {

using format::ModelT, format::NormT;
using testing::HasSubstr;

ModelBytes Converted(const char* config) {
  const TempFolder folder;
  convert::WriteCheckpointOf(folder / "model", config);
  convert::ConvertOptions options;
  options.directory = folder / "model";
  options.output = folder / "model.rondo";
  options.weights = options.embedding = format::TensorFormat::F32;
  convert::Convert(options, [](uint64_t, uint64_t) {});
  return ModelBytes(options.output);
}

// An MLP of two matrices with xIELU between them. Its second is [32, 64], o_proj [32, 32].
ModelBytes Apertus() {
  return Converted(R"({"architectures": ["ApertusForCausalLM"], "vocab_size": 40,
      "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
      "num_key_value_heads": 2, "max_position_embeddings": 64,
      "rope_parameters": {"rope_type": "default", "rope_theta": 100.0}})");
}

format::MlpT& Mlp(ModelT& m) { return *SublayerAt(m, 1, 1).op.AsMlp(); }
// Of the same shape as those of the stream; layer `from`'s.
std::unique_ptr<NormT> AnyNorm(ModelT& m, size_t from) {
  return std::make_unique<NormT>(*SublayerAt(m, from, 0).norm);
}
std::unique_ptr<NormT> AnyLayerNorm(ModelT& m, size_t from) {
  auto norm = AnyNorm(m, from);
  norm->kind = format::NormKind::kLayerNorm;
  norm->bias = static_cast<int32_t>(SublayerAt(m, 0, 1).norm->weight);
  return norm;
}

struct Form {
  const char* name;
  std::function<void(ModelT&)> change;
};

const std::vector<Form> kForms = {
    {"Xielu", [](ModelT&) {}},
    {"GatedXielu",
     [](ModelT& m) {
       Mlp(m).plain = false;
       Mlp(m).intermediate_size = 32;
       Mlp(m).down->weight = AttentionOf(m, 1).output->weight;
     }},
    {"CutGateOfXielu",
     [](ModelT& m) {
       Mlp(m).plain = false;
       Mlp(m).intermediate_size = 32;
       Mlp(m).down->weight = AttentionOf(m, 1).output->weight;
       Mlp(m).gate_cutoff = std::make_unique<format::GateCutoffT>();
       Mlp(m).gate_cutoff->deviations = 0.5f;
     }},
    {"NormOfTheEmbedding", [](ModelT& m) { m.embedding_norm = AnyNorm(m, 1); }},
    {"LayerNormOfTheEmbedding", [](ModelT& m) { m.embedding_norm = AnyLayerNorm(m, 1); }},
    {"NormsInTheStream",
     [](ModelT& m) {
       SublayerAt(m, 0, 0).residual_norm = AnyLayerNorm(m, 1);
       SublayerAt(m, 0, 1).residual_norm = AnyNorm(m, 1);
     }},
    {"NormsBehindFactorAndNorm",
     [](ModelT& m) {
       SublayerAt(m, 0, 0).residual_norm = AnyNorm(m, 1);
       SublayerAt(m, 0, 0).factor = 0.5f;
       SublayerAt(m, 0, 1).residual_norm = AnyLayerNorm(m, 1);
       SublayerAt(m, 0, 1).post_norm = AnyNorm(m, 0);
     }},
    {"NormsBehindFactorsOfTheStream",
     [](ModelT& m) {
       SublayerAt(m, 0, 0).residual_norm = AnyLayerNorm(m, 1);
       SublayerAt(m, 0, 0).residual_factor = 0.25f;
       SublayerAt(m, 0, 1).residual_norm = AnyNorm(m, 1);
       SublayerAt(m, 0, 1).residual_factor = -0.5f;
       SublayerAt(m, 0, 1).factor = 2.0f;
     }},
    {"NormsInTheStreamAlone",
     [](ModelT& m) {
       for (size_t i = 0; i < 2; ++i) {
         SublayerAt(m, 1, i).residual_norm = AnyLayerNorm(m, 0);
         SublayerAt(m, 1, i).norm.reset();
       }
     }},
    {"NormInsideTheMlp",
     [](ModelT& m) {  // of 32 channels, as those of the stream
       Mlp(m).intermediate_size = 32;
       Mlp(m).plain = false;
       Mlp(m).down->weight = AttentionOf(m, 1).output->weight;
       Mlp(m).inner_norm = AnyNorm(m, 0);
     }},
    {"NormBetweenNeighbours",
     [](ModelT& m) {
       SublayerAt(m, 1, 0).residual_norm = AnyLayerNorm(m, 0);
       SublayerAt(m, 1, 1).reads_previous_input = true;
     }},
};

class StreamForms : public testing::TestWithParam<Form> {};

TEST_P(StreamForms, EqualPlainLoops) {
  const ModelBytes bytes = Rewrite(Apertus(), GetParam().change);
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  ExpectPlainLoops(*file);
}

INSTANTIATE_TEST_SUITE_P(Every, StreamForms, testing::ValuesIn(kForms),
                         [](const auto& info) { return info.param.name; });

ModelBytes LongRope() {
  return Converted(R"({"architectures": ["Phi3ForCausalLM"], "vocab_size": 40, "hidden_size": 32,
      "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
      "max_position_embeddings": 64, "original_max_position_embeddings": 20,
      "rope_scaling": {"type": "longrope", "short_factor": [1, 1.5, 2, 3],
      "long_factor": [2, 4, 9, 9]}})");
}

// Up to 20 tokens a text has the bits of a model that has no numbers for long ones; then those of
// one that knows nothing else, at every position.
TEST(LongRopes, HaveAScaleOfTheirOwn) {
  const ModelBytes both = Rewrite(LongRope(), [](ModelT& m) { m.ropes[0]->long_scale = 1.75f; });
  const ModelBytes only_long = Rewrite(both, [](ModelT& m) {
    format::RopeT& rope = *m.ropes[0];
    rope.frequencies = std::exchange(rope.long_frequencies, {});
    rope.scale = std::exchange(rope.long_scale, 0.0f);
    rope.short_context = 0;
  });
  const ModelBytes only_short = Rewrite(both, [](ModelT& m) {
    m.ropes[0]->long_frequencies.clear();
    m.ropes[0]->long_scale = 0;
    m.ropes[0]->short_context = 0;
  });
  std::vector<int32_t> ids(30);
  std::iota(ids.begin(), ids.end(), 3);
  const auto logits = [&](const ModelBytes& bytes, uint32_t rows) {
    return LogitsOf(*ModelFile::Open(bytes.bytes()), FormOptions(rows, KvFormat::kInt8), ids);
  };
  std::vector<float> expected = logits(only_long, 30);
  const std::vector<float> until_20 = logits(only_short, 30);
  ASSERT_NE(expected, until_20);
  std::copy_n(until_20.begin(), until_20.size() / 30 * 20, expected.begin());
  for (const uint32_t rows : {1u, 7u, 30u}) EXPECT_EQ(logits(both, rows), expected) << rows;
}

struct Bad {
  const char* name;
  std::function<void(ModelT&)> change;
  const char* message;
};

const std::vector<Bad> kBad = {
    {"NumbersLacking", [](ModelT& m) { Mlp(m).xielu = -1; },
     "layer 1's mlp lacks the numbers of its activation"},
    {"NumbersNegative", [](ModelT& m) { Mlp(m).xielu = -2; },
     "layer 1's mlp lacks the numbers of its activation"},
    {"NumbersAbsent", [](ModelT& m) { Mlp(m).xielu = 100000; },
     "layer 1's mlp points at a tensor that is absent"},
    {"NumbersOfOtherLength",
     [](ModelT& m) { Mlp(m).xielu = static_cast<int32_t>(m.final_norm->weight); },
     "is 1 x 32, the model's sizes ask for 1 x 4"},
    {"NumbersOfNothing", [](ModelT& m) { Mlp(m).activation = format::Activation::kSilu; },
     "layer 1's mlp has numbers of an activation that it has not"},
    {"NormOfTheEmbeddingOfOtherLength",
     [](ModelT& m) {
       m.embedding_norm = AnyNorm(m, 0);
       m.embedding_norm->weight = static_cast<uint32_t>(Mlp(m).xielu);
     },
     "is 1 x 4, the model's sizes ask for 1 x 32"},
    {"NormOfTheEmbeddingOfOtherKind",
     [](ModelT& m) {
       m.embedding_norm = AnyNorm(m, 0);
       m.embedding_norm->kind = static_cast<format::NormKind>(9);
     },
     "the model's embedding norm asks for norm kind 9"},
    {"NormInTheStreamOfOtherLength",
     [](ModelT& m) {
       SublayerAt(m, 1, 1).residual_norm = AnyNorm(m, 0);
       SublayerAt(m, 1, 1).residual_norm->weight = static_cast<uint32_t>(Mlp(m).xielu);
     },
     "is 1 x 4, the model's sizes ask for 1 x 32"},
    {"NormInTheStreamWithoutEpsilon",
     [](ModelT& m) {
       SublayerAt(m, 1, 0).residual_norm = AnyNorm(m, 0);
       SublayerAt(m, 1, 0).residual_norm->epsilon = NAN;
     },
     "layer 1's norm of the residual stream has an epsilon that is not a finite number above 0"},
    {"LongScaleNegative", [](ModelT& m) { m.ropes[0]->long_scale = -1; },
     "a rope's scale for long sequences is -1"},
    {"LongScaleNan", [](ModelT& m) { m.ropes[0]->long_scale = NAN; },
     "a rope's scale for long sequences is nan"},
    {"LongScaleAlone", [](ModelT& m) { m.ropes[0]->long_scale = 2; },
     "a rope has a scale for long sequences, but no frequencies for them"},
};

class BadStream : public testing::TestWithParam<Bad> {};

TEST_P(BadStream, IsRefused) {
  const ModelBytes bytes = Rewrite(Apertus(), GetParam().change);
  const Status status = ModelFile::Open(bytes.bytes()).status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(Every, BadStream, testing::ValuesIn(kBad),
                         [](const auto& info) { return info.param.name; });

// Open reads no values; an engine does.
TEST(Xielu, NumbersThatAreNotFiniteAreRefused) {
  ModelBytes bytes = Apertus();
  format::Section old;
  const ModelBytes damaged = Rewrite(bytes, [&](ModelT& m) {
    format::TensorT& numbers = *m.tensors[static_cast<size_t>(Mlp(m).xielu)];
    old = *numbers.data;
    const float bad = INFINITY;
    std::memcpy(bytes.bytes().data() + old.offset() + sizeof bad, &bad, sizeof bad);
    const format::Section sealed(old.offset(), old.bytes(),
                                 Checksum(bytes.bytes().subspan(old.offset(), old.bytes())));
    *numbers.data = sealed;
    for (format::Section& section : m.sections) {
      if (section.offset() == old.offset()) section = sealed;
    }
  });
  const Result<ModelFile> file = ModelFile::Open(damaged.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  const Status status =
      Engine::Create(*file, nullptr, FormOptions(1, KvFormat::kInt8), nullptr, 0).status();
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr("value 1 of tensor layers.1.mlp.xielu is not a finite"));
}

}  // namespace
}  // namespace rondo::stream_forms_test
