// What llama.cpp's converter does to tensors, undone: on tensors small enough to write down.
#include "tools/convert/sources/gguf/gguf_checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/temp_folder.h"
#include "tests/tools/convert/sources/gguf/gguf_writer.h"
#include "tests/tools/error_of.h"
#include "tools/convert/architectures/gguf_rules_of.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/float_formats.h"

namespace rondo::convert {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;

// 0, 1, 2, ...
std::vector<float> Ramp(size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

class GgufCheckpointTest : public testing::Test {
 protected:
  // Two heads of four channels each, and one for keys and values.
  static GgufWriter Model(const std::string& name, uint32_t n_kv_heads = 1) {
    GgufWriter writer;
    writer.Key("general.architecture", name)
        .Key(name + ".block_count", uint32_t{1})
        .Key(name + ".embedding_length", uint32_t{8})
        .Key(name + ".attention.head_count", uint32_t{2})
        .Key(name + ".attention.head_count_kv", n_kv_heads);
    return writer;
  }
  void Open(const GgufWriter& writer) {
    file_ = std::make_unique<GgufFile>(writer.Save(folder_ / "model.gguf"));
    keys_ = std::make_unique<GgufKeys>(*file_);
    checkpoint_ = std::make_unique<GgufCheckpoint>(*keys_, GgufRulesOf(*keys_).names);
  }
  std::string Refusal(const GgufWriter& writer) {
    return SentenceOf([&] { Open(writer); });
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [name, entry] : checkpoint_->tensors()) names.push_back(name);
    return names;
  }
  // Element by element and at once: both must agree.
  std::vector<float> Values(const std::string& name, const std::vector<uint64_t>& shape) const {
    checkpoint_->Find(name, shape);
    uint64_t size = 1;
    for (const uint64_t n : shape) size *= n;
    std::vector<float> whole(size);
    checkpoint_->Read(name, 0, whole);
    for (uint64_t i = 0; i < size; ++i) {
      float value;
      checkpoint_->Read(name, i, {&value, 1});
      EXPECT_EQ(value, whole[i]) << name << " " << i;
    }
    return whole;
  }

  TempFolder folder_;
  std::unique_ptr<GgufFile> file_;
  std::unique_ptr<GgufKeys> keys_;
  std::unique_ptr<GgufCheckpoint> checkpoint_;
};

TEST_F(GgufCheckpointTest, NamesAreParsedAndFilledIn) {
  const ParsedName name = ParseName("blk.12.ffn_gate.3.weight");
  EXPECT_EQ(name.stem, "blk.{}.ffn_gate.{}");
  EXPECT_THAT(name.numbers, ElementsAre("12", "3"));
  EXPECT_EQ(name.suffix, ".weight");
  EXPECT_EQ(FillIn("a.{}.b.{}", name.numbers, ".bias"), "a.12.b.3.bias");
  EXPECT_EQ(ParseName("weight").stem, "weight");
  EXPECT_EQ(ParseName("").stem, "");
}

TEST_F(GgufCheckpointTest, HeadsOfLlamaAreUnpaired) {
  Open(Model("llama")
           .Floats("blk.0.attn_q.weight", {8, 2}, Ramp(16))
           .Floats("blk.0.attn_k.weight", {4, 1}, Ramp(4))
           .Floats("blk.0.attn_v.weight", {4, 1}, Ramp(4))
           .Floats("blk.0.attn_q.bias", {8}, Ramp(8)));
  EXPECT_THAT(Values("model.layers.0.self_attn.q_proj.weight", {8, 2}),
              ElementsAre(0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15));
  EXPECT_THAT(Values("model.layers.0.self_attn.q_proj.bias", {8}),
              ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
  EXPECT_THAT(Values("model.layers.0.self_attn.k_proj.weight", {4, 1}), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(Values("model.layers.0.self_attn.v_proj.weight", {4, 1}), ElementsAre(0, 1, 2, 3));
}

TEST_F(GgufCheckpointTest, HeadsOfQwenStay) {
  Open(Model("qwen2").Floats("blk.0.attn_q.weight", {8, 1}, Ramp(8)));
  EXPECT_EQ(Values("model.layers.0.self_attn.q_proj.weight", {8, 1}), Ramp(8));
}

TEST_F(GgufCheckpointTest, NormsOfGemmaLoseTheirOne) {
  Open(Model("gemma")
           .Floats("blk.0.attn_norm.weight", {2}, {1.5f, 0.25f})
           .Floats("output_norm.weight", {1}, {1})
           .Floats("token_embd.weight", {1, 1}, {1}));
  EXPECT_THAT(Values("model.layers.0.input_layernorm.weight", {2}), ElementsAre(0.5f, -0.75f));
  EXPECT_THAT(Values("model.norm.weight", {1}), ElementsAre(0));
  EXPECT_THAT(Values("model.embed_tokens.weight", {1, 1}), ElementsAre(1));
}

TEST_F(GgufCheckpointTest, ExpertsAreTakenApart) {
  const GgufWriter mixtral = Model("llama")
                                 .Key("llama.expert_count", uint32_t{3})
                                 .Floats("blk.0.ffn_down_exps.weight", {3, 2, 1}, Ramp(6))
                                 .Floats("blk.0.ffn_gate_inp.weight", {3, 1}, Ramp(3));
  Open(mixtral);
  EXPECT_THAT(Values("model.layers.0.block_sparse_moe.experts.0.w2.weight", {2, 1}),
              ElementsAre(0, 1));
  EXPECT_THAT(Values("model.layers.0.block_sparse_moe.experts.2.w2.weight", {2, 1}),
              ElementsAre(4, 5));
  EXPECT_THAT(Values("model.layers.0.block_sparse_moe.gate.weight", {3, 1}), ElementsAre(0, 1, 2));
  Open(Model("qwen3moe")
           .Key("qwen3moe.expert_count", uint32_t{2})
           .Floats("blk.0.ffn_up_exps.weight", {2, 1, 1}, Ramp(2)));
  EXPECT_THAT(Values("model.layers.0.mlp.experts.1.up_proj.weight", {1, 1}), ElementsAre(1));
  EXPECT_THAT(Refusal(Model("qwen3moe")
                          .Key("qwen3moe.expert_count", uint32_t{3})
                          .Floats("blk.0.ffn_up_exps.weight", {2, 1, 1}, Ramp(2))),
              HasSubstr("tensor blk.0.ffn_up_exps.weight is not a matrix for each"));
}

TEST_F(GgufCheckpointTest, ExpertsOfOlderFilesAreApartAlready) {
  Open(Model("llama")
           .Key("llama.expert_count", uint32_t{2})
           .Floats("blk.0.ffn_up.1.weight", {1, 1}, {7}));
  EXPECT_THAT(Values("model.layers.0.block_sparse_moe.experts.1.w3.weight", {1, 1}),
              ElementsAre(7));
}

TEST_F(GgufCheckpointTest, FusedQueriesKeysAndValuesOfPhi2AreTakenApart) {
  Open(Model("phi2")
           .Floats("blk.0.attn_qkv.weight", {16, 1}, Ramp(16))
           .Floats("blk.0.attn_qkv.bias", {16}, Ramp(16)));
  EXPECT_EQ(Values("model.layers.0.self_attn.q_proj.weight", {8, 1}), Ramp(8));
  EXPECT_THAT(Values("model.layers.0.self_attn.k_proj.weight", {4, 1}), ElementsAre(8, 9, 10, 11));
  EXPECT_THAT(Values("model.layers.0.self_attn.v_proj.bias", {4}), ElementsAre(12, 13, 14, 15));
  EXPECT_THAT(Refusal(Model("phi2").Floats("blk.0.attn_qkv.weight", {12, 1}, Ramp(12))),
              HasSubstr("does not have the rows of all query, key and value heads"));
}

TEST_F(GgufCheckpointTest, MatricesOfGpt2AreTransposedBack) {
  Open(Model("gpt2")
           .Floats("blk.0.ffn_up.weight", {3, 2}, Ramp(6))
           .Floats("blk.0.attn_qkv.weight", {2, 2}, Ramp(4))
           .Floats("blk.0.ffn_up.bias", {3}, Ramp(3)));
  EXPECT_THAT(Values("transformer.h.0.mlp.c_fc.weight", {2, 3}), ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(Values("transformer.h.0.attn.c_attn.weight", {2, 2}), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(Values("transformer.h.0.mlp.c_fc.bias", {3}), ElementsAre(0, 1, 2));
}

TEST_F(GgufCheckpointTest, HeadsOfGptNeoXAreInterleavedAgain) {
  Open(Model("gptneox", 2).Floats("blk.0.attn_qkv.bias", {24}, Ramp(24)));
  EXPECT_THAT(Values("gpt_neox.layers.0.attention.query_key_value.bias", {24}),
              ElementsAre(0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19,  //
                          4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23));
  EXPECT_THAT(Refusal(Model("gptneox", 2).Floats("blk.0.attn_qkv.bias", {20}, Ramp(20))),
              HasSubstr("has 20 rows, which are not those of 2 heads of 4, and their keys"));
}

TEST_F(GgufCheckpointTest, ConvolutionsAndNormsOfHeadsGetTheirShapes) {
  Open(Model("lfm2").Floats("blk.0.shortconv.conv.weight", {2, 3}, Ramp(6)));
  EXPECT_EQ(Values("model.layers.0.conv.conv.weight", {2, 1, 3}), Ramp(6));
  Open(Model("stablelm").Floats("blk.0.attn_q_norm.weight", {2, 4}, Ramp(8)));
  EXPECT_THAT(Values("model.layers.0.self_attn.q_layernorm.norms.1.weight", {4}),
              ElementsAre(4, 5, 6, 7));
}

// Two key heads with two value heads of two channels each: 0, 2, 1, 3 in the file.
GgufWriter& AddDeltaKeys(GgufWriter& writer) {
  writer.Key("qwen35.ssm.group_count", uint32_t{2})
      .Key("qwen35.ssm.time_step_rank", uint32_t{4})
      .Key("qwen35.ssm.inner_size", uint32_t{8});
  return writer;
}

TEST_F(GgufCheckpointTest, ValueHeadsOfQwen35StandByTheirKeyHeadsAgain) {
  GgufWriter writer = Model("qwen35");
  AddDeltaKeys(writer)
      .Floats("blk.0.attn_qkv.weight", {10, 1}, Ramp(10))
      .Floats("blk.0.ssm_beta.weight", {4, 1}, Ramp(4))
      .Floats("blk.0.ssm_out.weight", {2, 8}, Ramp(16))
      .Floats("blk.0.ssm_a", {4}, {-1, -std::exp(1.0f), -std::exp(2.0f), -std::exp(3.0f)})
      .Floats("blk.0.ssm_dt.bias", {4}, Ramp(4))
      .Floats("blk.0.ssm_conv1d.weight", {8, 2}, Ramp(16));
  Open(writer);
  const std::string net = "model.layers.0.linear_attn.";
  EXPECT_THAT(Values(net + "in_proj_qkv.weight", {10, 1}),
              ElementsAre(0, 1, 2, 3, 6, 7, 4, 5, 8, 9));
  EXPECT_THAT(Values(net + "in_proj_b.weight", {4, 1}), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(Values(net + "out_proj.weight", {2, 8}),
              ElementsAre(0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15));
  EXPECT_THAT(Values(net + "A_log", {4}),
              ElementsAre(FloatEq(0), FloatEq(2), FloatEq(1), FloatEq(3)));
  EXPECT_THAT(Values(net + "dt_bias", {4}), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(Values(net + "conv1d.weight", {8, 1, 2}),
              ElementsAre(0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15));
  GgufWriter few = Model("qwen35");
  AddDeltaKeys(few).Floats("blk.0.attn_gate.weight", {6, 1}, Ramp(6));
  EXPECT_THAT(Refusal(few), HasSubstr("has fewer channels than the value heads"));
}

TEST_F(GgufCheckpointTest, ADecayMustBeBelowZero) {
  Open(Model("mamba2")
           .Floats("blk.0.ssm_a", {2, 1}, {-1, 0})
           .Floats("blk.0.ssm_d", {2, 1}, Ramp(2)));
  EXPECT_EQ(Values("backbone.layers.0.mixer.D", {2}), Ramp(2));
  EXPECT_THAT(SentenceOf([&] { Values("backbone.layers.0.mixer.A_log", {2}); }),
              HasSubstr("tensor blk.0.ssm_a holds a decay that is not below 0"));
}

TEST_F(GgufCheckpointTest, LayersBehindTheModelAreNotItsOwn) {
  GgufWriter writer;
  writer.Key("general.architecture", std::string("glm4moe"))
      .Key("glm4moe.block_count", uint32_t{2})
      .Key("glm4moe.nextn_predict_layers", uint32_t{1})
      .Floats("blk.0.attn_norm.weight", {1}, {1})
      .Floats("blk.1.attn_norm.weight", {1}, {1});
  Open(writer);
  EXPECT_THAT(Names(),
              ElementsAre("model.layers.0.input_layernorm.weight", "mtp.blk.1.attn_norm.weight"));
}

TEST_F(GgufCheckpointTest, UnknownNamesStayAndFactorsAreNoWeights) {
  Open(Model("llama")
           .Floats("blk.0.surprise.weight", {1}, {1})
           .Floats("rope_freqs.weight", {1}, {1}));
  EXPECT_THAT(Names(), ElementsAre("blk.0.surprise.weight"));
}

TEST_F(GgufCheckpointTest, TwoTensorsCannotBecomeOne) {
  EXPECT_THAT(Refusal(Model("lfm2")
                          .Floats("output_norm.weight", {1}, {1})
                          .Floats("token_embd_norm.weight", {1}, {1})),
              HasSubstr("tensor model.embedding_norm.weight is also in"));
}

// A block of Q4_0 whose scale and nibbles depend on `i`.
std::string Q40Block(int i) {
  std::string block = GgufWriter::Raw(static_cast<uint16_t>(0x3c00 + 64 * i));
  for (int j = 0; j < 16; ++j) block += static_cast<char>(i * 31 + j * 7);
  return block;
}

TEST_F(GgufCheckpointTest, FourBitBlocksKeepTheirNibblesRowByRow) {
  std::string data;
  for (int i = 0; i < 16; ++i) data += Q40Block(i);
  Open(Model("llama")
           .Tensor("blk.0.attn_q.weight", {8, 64}, kQ40, data)
           .Tensor("blk.0.attn_v.weight", {8, 64}, 8, std::string(16 * 34, '\0'))
           .Floats("output_norm.weight", {1}, {1}));
  const std::string name = "model.layers.0.self_attn.q_proj.weight";
  ASSERT_EQ(checkpoint_->BlockOfQ4B(name), 32u);
  EXPECT_EQ(checkpoint_->BlockOfQ4B("model.layers.0.self_attn.v_proj.weight"), 0u);
  EXPECT_EQ(checkpoint_->BlockOfQ4B("model.norm.weight"), 0u);
  const std::vector<float> expected = Values(name, {8, 64});
  std::vector<uint8_t> nibbles(3 * 32);
  std::vector<uint16_t> scales(3 * 2);
  checkpoint_->ReadQ4B(name, 2, 3, nibbles.data(), scales.data());
  for (size_t i = 0; i < 3 * 64; ++i) {
    const int nibble = nibbles[i / 2] >> (i % 2 * 4) & 15;
    // These scales have few enough bits to be exact in bfloat16.
    EXPECT_EQ(FromBfloat16(scales[i / 32]) * static_cast<float>(nibble - 8), expected[2 * 64 + i]);
  }
  EXPECT_EQ(checkpoint_->scale_rounding().scales, 6u);
  EXPECT_EQ(checkpoint_->scale_rounding().rounded, 0u);
}

TEST_F(GgufCheckpointTest, ScalesThatBfloat16RoundsAreCounted) {
  std::string block = Q40Block(0);
  block[0] = 1;  // 1 + 2^-10
  Open(Model("qwen2").Tensor("blk.0.attn_q.weight", {1, 64}, kQ40, Q40Block(0) + block));
  std::vector<uint8_t> nibbles(32);
  std::vector<uint16_t> scales(2);
  checkpoint_->ReadQ4B("model.layers.0.self_attn.q_proj.weight", 0, 1, nibbles.data(),
                       scales.data());
  const Checkpoint::ScaleRounding& rounding = checkpoint_->scale_rounding();
  EXPECT_EQ(rounding.scales, 2u);
  EXPECT_EQ(rounding.rounded, 1u);
  EXPECT_NEAR(std::sqrt(rounding.squares), 0x1p-10, 0x1p-19);
}

TEST_F(GgufCheckpointTest, InfiniteScalesAreRefused) {
  std::string block = Q40Block(0);
  block[1] = 0x7c;
  Open(Model("qwen2").Tensor("blk.0.attn_q.weight", {1, 32}, kQ40, block));
  std::vector<uint8_t> nibbles(16);
  uint16_t scale;
  EXPECT_THROW(
      checkpoint_->ReadQ4B("model.layers.0.self_attn.q_proj.weight", 0, 1, nibbles.data(), &scale),
      Error);
}

TEST_F(GgufCheckpointTest, StacksOfStreamsAreMatrices) {
  Open(Model("gemma3n").Floats("altup_proj.weight", {2, 1, 2}, Ramp(4)));
  EXPECT_THAT(Values("model.altup_projections.1.weight", {1, 2}), ElementsAre(2, 3));
  const auto refusal = [&](const std::string& name, const std::vector<uint64_t>& shape, size_t n) {
    return Refusal(Model("gemma3n").Floats(name, shape, Ramp(n)));
  };
  EXPECT_THAT(refusal("altup_proj.weight", {2, 2}, 4),
              HasSubstr("tensor altup_proj.weight is not a matrix for each stream"));
  EXPECT_THAT(refusal("altup_proj.bias", {2, 2}, 4), HasSubstr("is not a matrix for each stream"));
  EXPECT_THAT(refusal("altup_unembd_proj.weight", {200, 1, 1}, 200),
              HasSubstr("is not a matrix for each stream"));
}

TEST_F(GgufCheckpointTest, AScaleBesideAWeightIsMultiplied) {
  const std::string name = "model.layers.0.mlp.up_proj.weight";
  GgufWriter writer = Model("llama");
  writer.Floats("blk.0.ffn_up.weight", {2, 2}, Ramp(4)).Floats("blk.0.ffn_up.scale", {1}, {0.5f});
  // Nobody's weight, and not as many as a matrix takes.
  writer.Floats("blk.0.ffn_gate.scale", {1}, {2}).Floats("blk.0.attn_q.scale", {3}, Ramp(3));
  writer.Floats("blk.0.attn_q.weight", {8, 8}, Ramp(64));
  Open(writer);
  EXPECT_THAT(Values(name, {2, 2}), ElementsAre(0, 0.5f, 1, 1.5f));
  EXPECT_EQ(checkpoint_->tensors().count("blk.0.ffn_up.scale"), 0u);
  EXPECT_EQ(checkpoint_->tensors().count("blk.0.ffn_gate.scale"), 1u);
  EXPECT_EQ(checkpoint_->tensors().count("blk.0.attn_q.scale"), 1u);

  Open(Model("qwen3moe")
           .Key("qwen3moe.expert_count", uint32_t{2})
           .Floats("blk.0.ffn_up_exps.weight", {2, 1, 2}, Ramp(4))
           .Floats("blk.0.ffn_up_exps.scale", {2}, {1, 10}));
  EXPECT_THAT(Values("model.layers.0.mlp.experts.0.up_proj.weight", {1, 2}), ElementsAre(0, 1));
  EXPECT_THAT(Values("model.layers.0.mlp.experts.1.up_proj.weight", {1, 2}), ElementsAre(20, 30));

  Open(Model("llama")
           .Floats("blk.0.ffn_up.weight", {1, 1}, {1e30f})
           .Floats("blk.0.ffn_up.scale", {1}, {1e30f}));
  EXPECT_THAT(SentenceOf([&] {
                Values(name, {1, 1});
              }),
              HasSubstr("blk.0.ffn_up.weight times its scale, 1e+30, is not finite"));

  Open(Model("llama")
           .Tensor("blk.0.ffn_up.weight", {1, 32}, kQ40, std::string(18, '\1'))
           .Floats("blk.0.ffn_up.scale", {1}, {2}));
  EXPECT_EQ(checkpoint_->BlockOfQ4B(name), 0u);
}

}  // namespace
}  // namespace rondo::convert
