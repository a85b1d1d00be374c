// Attention in every form that a file can ask for: the engine against the forward pass in plain
// loops, and against itself however its rows are cut, dropped, forked and restored.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "runtime/engine/session.h"
#include "tests/runtime/engine/plain_loops.h"
#include "tests/runtime/model/sublayers.h"
#include "tests/support/packed_model.h"
#include "tests/support/test_model.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo::attention_forms_test {
namespace {

using format::AttentionT, format::ModelT;
using testing::HasSubstr;

// Two layers, hidden size 16. Matrices and vectors of the file that have the right shape serve for
// what the form needs.
struct Form {
  const char* name;
  uint32_t intermediate;  // 2 * intermediate rows serve as qkv where that is wider
  uint32_t heads;
  std::function<void(ModelT&, AttentionT&)> change;
};

uint32_t GateUp(ModelT& m) { return SublayerAt(m, 1, 1).op.AsMlp()->gate_up->weight; }
uint32_t Vector(ModelT& m) { return SublayerAt(m, 1, 1).norm->weight; }
std::unique_ptr<format::NormT> HeadNorm(ModelT& m) {
  auto norm = std::make_unique<format::NormT>(*SublayerAt(m, 1, 1).norm);
  norm->group = 8;
  return norm;
}

const std::vector<Form> kForms = {
    {"Gate", 32, 2,
     [](ModelT& m, AttentionT& a) {
       a.qkv->weight = GateUp(m);
       a.gate = format::GateKind::kSigmoid;
     }},
    {"GateByHead", 25, 2,
     [](ModelT& m, AttentionT& a) {
       a.qkv->weight = GateUp(m);
       a.gate = format::GateKind::kSoftplus;
       a.gate_by_head = true;
     }},
    {"Norms", 24, 2,
     [](ModelT& m, AttentionT& a) {
       a.q_norm = HeadNorm(m);
       a.k_norm = HeadNorm(m);
       a.v_norm = HeadNorm(m);
       a.output_norm = HeadNorm(m);
     }},
    {"NormsBehindRope", 24, 2,
     [](ModelT& m, AttentionT& a) {
       a.q_norm = HeadNorm(m);
       a.k_norm = HeadNorm(m);
       a.norms_after_rope = true;
     }},
    {"Sinks", 24, 16,
     [](ModelT& m, AttentionT& a) { a.sink_logits = static_cast<int32_t>(Vector(m)); }},
    {"Alibi", 24, 2,
     [](ModelT&, AttentionT& a) {
       a.rope = -1;
       a.alibi_slopes = {0.5f, 0.0625f};
     }},
    {"ChunksAndQueryScale", 24, 2,
     [](ModelT&, AttentionT& a) {
       a.chunk = 5;
       a.query_scale = std::make_unique<format::QueryScaleT>();
       a.query_scale->factor = 0.5f;
       a.query_scale->period = 3;
       a.query_scale->offset = 1;
     }},
    {"WindowAndCap", 24, 2,
     [](ModelT&, AttentionT& a) {
       a.window = 3;
       a.soft_cap = 1.5f;
     }},
    {"SharedKeys", 24, 2,
     [](ModelT&, AttentionT& a) {
       a.qkv->weight = a.output->weight;
       a.kv_layer = 0;
     }},
};

class AttentionForms : public testing::TestWithParam<Form> {};

TEST_P(AttentionForms, EqualPlainLoops) {
  convert::CheckpointShape shape;
  shape.n_layers = 2;
  shape.intermediate_size = GetParam().intermediate;
  shape.n_heads = shape.n_kv_heads = GetParam().heads;
  const ConvertedModel model(shape, format::TensorFormat::F32, format::TensorFormat::F32);
  const ModelBytes bytes =
      Rewrite(model.portable(), [](ModelT& m) { GetParam().change(m, AttentionOf(m, 1)); });
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  ExpectPlainLoops(*file);
}

INSTANTIATE_TEST_SUITE_P(Every, AttentionForms, testing::ValuesIn(kForms),
                         [](const auto& info) { return info.param.name; });

// Models with latent attention, and with layer embeddings, shared keys and heads of two sizes.
struct Model {
  const char* name;
  const char* config;
};

constexpr Model kModels[] = {
    {"Latent", R"({"architectures": ["YoutuForCausalLM"], "vocab_size": 40, "hidden_size": 32,
      "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 6,
      "num_key_value_heads": 6, "max_position_embeddings": 400, "q_lora_rank": 12,
      "kv_lora_rank": 24, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 24})"},
    {"LatentWithoutRank", R"({"architectures": ["YoutuForCausalLM"], "vocab_size": 40,
      "hidden_size": 32, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4,
      "num_key_value_heads": 4, "max_position_embeddings": 400, "q_lora_rank": null,
      "kv_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 16, "v_head_dim": 8,
      "rope_interleave": false, "tie_word_embeddings": false})"},
    {"LayerEmbeddings", R"({"architectures": ["Gemma4ForCausalLM"], "vocab_size": 40,
      "hidden_size": 32, "intermediate_size": 24, "num_hidden_layers": 4, "num_attention_heads": 4,
      "num_key_value_heads": 2, "max_position_embeddings": 400, "head_dim": 8,
      "global_head_dim": 16, "sliding_window": 9, "layer_types": ["sliding_attention",
      "full_attention", "sliding_attention", "full_attention"], "num_kv_shared_layers": 2,
      "hidden_size_per_layer_input": 8, "vocab_size_per_layer_input": 30,
      "use_double_wide_mlp": true, "final_logit_softcapping": 5.0})"},
    {"Streams", R"({"architectures": ["Gemma3nForCausalLM"], "vocab_size": 40, "hidden_size": 32,
      "intermediate_size": [24, 24, 32, 32], "num_hidden_layers": 4, "num_attention_heads": 4,
      "num_key_value_heads": 2, "max_position_embeddings": 400, "head_dim": 8, "sliding_window": 9,
      "layer_types": ["sliding_attention", "full_attention", "sliding_attention",
      "full_attention"], "num_kv_shared_layers": 2, "hidden_size_per_layer_input": 8,
      "vocab_size_per_layer_input": 30, "laurel_rank": 6, "altup_num_inputs": 3,
      "altup_active_idx": 1, "activation_sparsity_pattern": [0.9, 0.5, 0.0, 0.0]})"},
};

class AttentionModels : public testing::TestWithParam<Model> {
 protected:
  AttentionModels() { convert::WriteCheckpointOf(folder_ / "model", GetParam().config); }
  TestModel Load(format::TensorFormat weights) const { return {folder_ / "model", weights}; }

  const TempFolder folder_;
};

TEST_P(AttentionModels, EqualPlainLoops) {
  ExpectPlainLoops(Load(format::TensorFormat::F32).file());
}

TEST_P(AttentionModels, SlideUndoForkAndSnapshotKeepTheBits) {
  const TestModel model = Load(format::TensorFormat::Q8);
  std::vector<int32_t> ids(330);
  std::mt19937 random(5);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % 40);
  for (const ContextPolicy policy : {ContextPolicy::kStop, ContextPolicy::kSlide}) {
    EngineOptions options = FormOptions(32, KvFormat::kInt8);
    options.policy = policy;
    options.max_sessions = 3;
    if (policy == ContextPolicy::kSlide) {
      options.context = 192;
      options.sink_tokens = 4;
    }
    const auto engine = model.NewEngine(options);
    Session* session = NewSession(*engine);
    const auto expected = AllLogits(*session, ids);
    const size_t vocab = engine->limits().vocab_size;
    const std::vector<int32_t> tail(ids.end() - 20, ids.end());
    const auto expect_tail = [&](Session& other, const char* what) {
      const auto logits = AllLogits(other, tail);
      EXPECT_EQ(std::memcmp(logits.data(), expected.data() + (ids.size() - 20) * vocab,
                            logits.size() * sizeof(float)),
                0)
          << what;
    };
    ASSERT_TRUE(session->Undo(20).ok());
    const Result<Session*> fork = engine->ForkSession(*session, {});
    ASSERT_TRUE(fork.ok()) << fork.status().message();
    size_t bytes = 0;
    static_cast<void>(session->Save({}, &bytes));
    std::vector<uint8_t> saved(bytes);
    ASSERT_TRUE(session->Save(saved, &bytes).ok());
    Session* restored = NewSession(*engine);
    const Status status = restored->Restore(saved);
    ASSERT_TRUE(status.ok()) << status.message();
    expect_tail(*session, "undone");
    expect_tail(**fork, "forked");
    expect_tail(*restored, "restored");
    EngineOptions one = options;
    one.max_rows = 1;
    const auto single = AllLogits(*NewSession(*model.NewEngine(one)), ids);
    EXPECT_EQ(std::memcmp(single.data(), expected.data(), single.size() * sizeof(float)), 0);
  }
}

ModelBytes Float32(const char* config) {
  const TempFolder folder;
  convert::WriteCheckpointOf(folder / "model", config);
  convert::ConvertOptions options;
  options.directory = folder / "model";
  options.output = folder / "model.rondo";
  options.weights = options.embedding = format::TensorFormat::F32;
  convert::Convert(options, [](uint64_t, uint64_t) {});
  return ModelBytes(options.output);
}

TEST(LatentAttention, ScalesItsQueries) {
  const ModelBytes bytes = Rewrite(Float32(kModels[0].config), [](ModelT& m) {
    auto& scale = SublayerAt(m, 1, 0).op.AsLatentAttention()->query_scale;
    scale = std::make_unique<format::QueryScaleT>();
    scale->factor = 0.5f;
    scale->period = 3;
    scale->offset = 1;
  });
  ExpectPlainLoops(*ModelFile::Open(bytes.bytes()));
}

// What a token says to the layers is said before its position is added.
TEST(LayerEmbeddings, KnowNoPositions) {
  const ModelBytes bytes = Rewrite(Float32(kModels[2].config), [](ModelT& m) {
    m.context_length = 40;  // rows of the embedding, which serves as the table of positions
    m.positions = static_cast<int32_t>(m.embedding);
  });
  ExpectPlainLoops(*ModelFile::Open(bytes.bytes()));
}

// A file that is packed is computed like the portable one.
TEST_P(AttentionModels, PackedLikePortable) {
  convert::ConvertOptions options;
  options.directory = folder_ / "model";
  options.output = folder_ / "model.rondo";
  options.weights = options.embedding = format::TensorFormat::Q8;
  convert::Convert(options, [](uint64_t, uint64_t) {});
  convert::Pack({options.output, folder_ / "scalar.rondo", LayoutNamed("scalar")},
                [](uint64_t, uint64_t) {});
  const ModelBytes portable(options.output), packed(folder_ / "scalar.rondo");
  EngineOptions scalar = FormOptions(8, KvFormat::kInt8);
  scalar.kernels = "scalar";
  const std::vector<int32_t> ids = {3, 1, 4, 1, 5, 39, 2, 6};
  EXPECT_EQ(LogitsOf(*ModelFile::Open(packed.bytes()), scalar, ids),
            LogitsOf(*ModelFile::Open(portable.bytes()), scalar, ids));
}

INSTANTIATE_TEST_SUITE_P(Every, AttentionModels, testing::ValuesIn(kModels),
                         [](const auto& info) { return info.param.name; });

// What a damaged file is refused for.
struct Bad {
  const char* name;
  const char* config;
  std::function<void(ModelT&)> change;
  const char* message;
};

AttentionT& A(ModelT& m) { return AttentionOf(m, 3); }
format::LatentAttentionT& L(ModelT& m) { return *SublayerAt(m, 1, 0).op.AsLatentAttention(); }

const std::vector<Bad> kBad = {
    {"SharesWithLater", kModels[2].config, [](ModelT& m) { A(m).kv_layer = 3; },
     "reads the keys and values of layer 3, expected one before"},
    {"SharesWithSharing", kModels[2].config,
     [](ModelT& m) {
       A(m).kv_layer = 2;
       A(m).window = 9;
     },
     "which has no attention of its own"},
    {"SharesOtherSizes", kModels[2].config, [](ModelT& m) { A(m).kv_layer = 0; },
     "with the same KV heads, head sizes, window and chunk"},
    {"SharesOtherValues", kModels[2].config, [](ModelT& m) { A(m).v_head_dim *= 2; },
     "with the same KV heads, head sizes, window and chunk"},
    {"NormOfOthersKeys", kModels[2].config,
     [](ModelT& m) { A(m).k_norm = std::make_unique<format::NormT>(*AttentionOf(m, 1).k_norm); },
     "has norms of keys or values, which are another layer's"},
    {"WindowAndChunk", kModels[2].config, [](ModelT& m) { AttentionOf(m, 0).chunk = 4; },
     "has a window and a chunk"},
    {"Slopes", kModels[2].config,
     [](ModelT& m) {
       A(m).alibi_slopes = {1, 2};
     },
     "has 2 ALiBi slopes for 4 heads"},
    {"SlopeNotFinite", kModels[2].config,
     [](ModelT& m) {
       A(m).alibi_slopes = {1, 2, INFINITY, 4};
     },
     "not finite"},
    {"SinkLogits", kModels[2].config, [](ModelT& m) { A(m).sink_logits = 0; },
     "the model's sizes ask for 1 x 4"},
    {"Gate", kModels[2].config, [](ModelT& m) { A(m).gate = static_cast<format::GateKind>(7); },
     "asks for gate 7"},
    {"GateRows", kModels[2].config, [](ModelT& m) { A(m).gate = format::GateKind::kSigmoid; },
     "ask for 128 x 32"},
    {"QueryScale", kModels[2].config,
     [](ModelT& m) { A(m).query_scale = std::make_unique<format::QueryScaleT>(); },
     "query_scale whose period is 0"},
    {"NormsBehindRope", kModels[2].config,
     [](ModelT& m) {
       AttentionOf(m, 0).norms_after_rope = true;
       AttentionOf(m, 0).q_norm->group = 16;
     },
     "has norms behind RoPE that are not of one head each"},
    {"NoTable", kModels[2].config, [](ModelT& m) { m.layer_embeddings.reset(); },
     "is there, but the model has no table of them"},
    {"TableAbsent", kModels[2].config, [](ModelT& m) { m.layer_embeddings->table = 1000; },
     "point at a tensor that is absent"},
    {"TableRows", kModels[2].config,
     [](ModelT& m) { m.layer_embeddings->table = m.final_norm->weight; },
     "layer embeddings have 1 rows"},
    {"LayerScale", kModels[2].config, [](ModelT& m) { m.layers[0]->scale = 0; }, "ask for 1 x 1"},
    {"HeadsLacking", kModels[0].config, [](ModelT& m) { L(m).key_up.pop_back(); },
     "key_up does not have a matrix for each head"},
    {"HeadsNone", kModels[0].config, [](ModelT& m) { L(m).value_up.clear(); },
     "value_up does not have a matrix for each head"},
    {"LatentTooWide", kModels[0].config,
     [](ModelT& m) {
       L(m).latent_dim = 512;
       L(m).rope_dim = 256;
     },
     "expected at most 640 together"},
    {"NoRope", kModels[0].config, [](ModelT& m) { L(m).rope = -1; }, "has no rope"},
    {"NormOfNothing", kModels[1].config,
     [](ModelT& m) { L(m).q_norm = std::make_unique<format::NormT>(*L(m).latent_norm); },
     "no q_down that it could be of"},
    {"QueriesAbsent", kModels[0].config, [](ModelT& m) { L(m).q.reset(); }, "q is absent"},
};

class BadAttention : public testing::TestWithParam<Bad> {};

TEST_P(BadAttention, IsRefused) {
  const TempFolder folder;
  convert::WriteCheckpointOf(folder / "model", GetParam().config);
  convert::ConvertOptions options;
  options.directory = folder / "model";
  options.output = folder / "model.rondo";
  convert::Convert(options, [](uint64_t, uint64_t) {});
  const ModelBytes bytes = Rewrite(ModelBytes(options.output), GetParam().change);
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.status().message(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(Every, BadAttention, testing::ValuesIn(kBad),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace rondo::attention_forms_test
