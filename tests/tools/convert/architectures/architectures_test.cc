// What a config.json of any architecture is refused for, and what is meant where it is silent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/tools/convert/architectures/read_config.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert::architectures_test {
namespace {

using testing::HasSubstr;

std::vector<uint32_t> Windows(const DecoderSpec& spec) {
  std::vector<uint32_t> windows;
  for (const format::LayerT& layer : spec.layers) {
    windows.push_back(layer.sublayers[0]->op.AsAttention()->window);
  }
  return windows;
}

std::vector<int32_t> Ropes(const DecoderSpec& spec) {
  std::vector<int32_t> ropes;
  for (const format::LayerT& layer : spec.layers) {
    ropes.push_back(layer.sublayers[0]->op.AsAttention()->rope);
  }
  return ropes;
}

// What is folded into a tensor.
float ScaleOf(const DecoderSpec& spec, const std::string& name) {
  for (const TensorRecipe& recipe : spec.tensors) {
    if (recipe.name == name) return recipe.scale;
  }
  ADD_FAILURE() << "no tensor " << name;
  return 0;
}

using List = std::vector<uint32_t>;

TEST(Architectures, WindowsOfLayers) {
  EXPECT_EQ(Windows(Read("MistralForCausalLM", "{}")), List({4096, 4096, 4096, 4096}));
  EXPECT_EQ(Windows(Read("MistralForCausalLM", R"({"head_dim": 8, "layer_types": null})")),
            List({4096, 4096, 4096, 4096}));
  EXPECT_EQ(Windows(Read("Gemma2ForCausalLM", "{}")), List({4096, 0, 4096, 0}));
  EXPECT_EQ(Windows(Read("Olmo3ForCausalLM", R"({"sliding_window": 9})")), List({9, 9, 9, 0}));
  EXPECT_EQ(Windows(Read("GPTNeoForCausalLM", R"({"num_layers": 3, "num_heads": 4,
                         "window_size": 9})")),
            List({0, 9, 0}));
  EXPECT_EQ(Windows(Read("Gemma3ForCausalLM", R"({"sliding_window": 9,
                         "sliding_window_pattern": 3})")),
            List({9, 9, 0, 9}));
  EXPECT_EQ(Windows(Read("Qwen2ForCausalLM", R"({"sliding_window": 9, "max_window_layers": 2})")),
            List({0, 0, 0, 0}));
  EXPECT_EQ(Windows(Read("Qwen2ForCausalLM", R"({"sliding_window": 9, "max_window_layers": 2,
                         "use_sliding_window": true})")),
            List({0, 0, 9, 9}));
  EXPECT_EQ(Windows(Read("Qwen3ForCausalLM", R"({"sliding_window": 9, "use_sliding_window": true,
                         "layer_types": ["full_attention", "sliding_attention",
                                         "full_attention", "full_attention"]})")),
            List({0, 9, 0, 0}));
}

TEST(Architectures, LayersThatTurnAreThoseWithAWindow) {
  using Indices = std::vector<int32_t>;
  EXPECT_EQ(Ropes(Read("Exaone4ForCausalLM", R"({"sliding_window": 9})")), Indices({0, 0, 0, -1}));
  EXPECT_EQ(Windows(Read("Exaone4ForCausalLM", R"({"sliding_window": 9,
                         "sliding_window_pattern": "LG", "layer_types": ["full_attention",
                         "sliding_attention", "full_attention", "sliding_attention"]})")),
            List({0, 9, 0, 9}));
}

TEST(Architectures, MultiplierOfTheResidualStream) {
  const char* const kHalf = R"({"residual_multiplier": 0.5})";
  EXPECT_EQ(ScaleOf(Read("GraniteForCausalLM", kHalf), "layers.1.mlp.down"), 0.5f);
  const DecoderSpec normed = Read("HyperCLOVAXForCausalLM", kHalf);  // it comes behind the norms
  EXPECT_EQ(ScaleOf(normed, "layers.1.mlp.down"), 1);
  EXPECT_EQ(ScaleOf(normed, "layers.1.mlp.post_norm"), 0.5f);
}

// The rows of q, k and v, in the order in which they are written.
std::vector<uint64_t> QkvRows(const DecoderSpec& spec) {
  std::vector<uint64_t> rows;
  for (const TensorRecipe& recipe : spec.tensors) {
    if (recipe.name != "layers.0.attention.qkv") continue;
    for (const TensorRecipe::Part& part : recipe.parts) {
      for (uint64_t i = 0; i < part.rows; ++i) rows.push_back(part.first_row + i * part.row_step);
    }
  }
  return rows;
}

using Rows = std::vector<uint64_t>;

// Channels that turn together are neighbours in the checkpoint, and half a head apart here.
TEST(Architectures, RowsOfNeighboursThatTurn) {
  const Rows all = QkvRows(Read("CohereForCausalLM", "{}"));
  ASSERT_EQ(all.size(), 64u);
  EXPECT_EQ(Rows(all.begin(), all.begin() + 16),
            Rows({0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15}));
  EXPECT_EQ(Rows(all.begin() + 48, all.begin() + 56), Rows({0, 1, 2, 3, 4, 5, 6, 7}));  // of v
  const Rows half = QkvRows(Read("GlmForCausalLM", "{}"));
  EXPECT_EQ(Rows(half.begin(), half.begin() + 8), Rows({0, 2, 1, 3, 4, 5, 6, 7}));
}

TEST(Architectures, RowsOfFalconsGroups) {
  const Rows rows = QkvRows(
      Read("FalconForCausalLM", R"({"new_decoder_architecture": true, "num_kv_heads": 2})"));
  Rows heads;  // of q, q, k, v, q, q, k, v
  for (size_t i = 0; i < rows.size(); i += 8) heads.push_back(rows[i] / 8);
  EXPECT_EQ(heads, Rows({0, 1, 4, 5, 2, 6, 3, 7}));
}

TEST(Architectures, DefaultsOfEachClass) {
  EXPECT_EQ(Read("Gemma2ForCausalLM", "{}").logit_soft_cap, 30);
  EXPECT_EQ(Read("Gemma2ForCausalLM", R"({"final_logit_softcapping": 7})").logit_soft_cap, 7);
  EXPECT_EQ(Read("GemmaForCausalLM", "{}").head.weight, Read("GemmaForCausalLM", "{}").embedding);
  EXPECT_NE(Read("LlamaForCausalLM", "{}").head.weight, Read("LlamaForCausalLM", "{}").embedding);
  EXPECT_EQ(Read("PhiForCausalLM", R"({"num_key_value_heads": null, "head_dim": 16})")
                .ropes.front()
                .frequencies.size(),
            4u);
  const DecoderSpec smollm3 = Read("SmolLM3ForCausalLM", "{}");
  EXPECT_EQ(smollm3.layers[2].sublayers[0]->op.AsAttention()->rope, 0);
  EXPECT_EQ(smollm3.layers[3].sublayers[0]->op.AsAttention()->rope, -1);
  const DecoderSpec lfm2 = Read("Lfm2ForCausalLM", R"({"full_attn_idxs": [1, 3]})");
  EXPECT_EQ(lfm2.layers[0].sublayers[0]->op.type, format::Operator::ShortConv);
  EXPECT_EQ(lfm2.layers[1].sublayers[0]->op.type, format::Operator::Attention);
  const DecoderSpec youtu = Read("YoutuForCausalLM", R"({"rms_norm_eps": 1e-3})");
  EXPECT_EQ(youtu.layers[0].sublayers[0]->norm->epsilon, 1e-3);
  EXPECT_EQ(youtu.layers[0].sublayers[0]->op.AsLatentAttention()->q_norm->epsilon, 1e-6);
  // Two thirds, up to a multiple of 256.
  EXPECT_EQ(lfm2.layers[0].sublayers[1]->op.AsMlp()->intermediate_size, 256u);
}

TEST(Architectures, TextOfMoreThanText) {
  // Among the whole's keys, or in an object of its own.
  for (const char* differs :
       {"{}", R"({"text_config": {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 48,
                  "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2}})"}) {
    const DecoderSpec spec = Read("Qwen2VLForConditionalGeneration", differs);
    EXPECT_EQ(spec.architecture, "Qwen2VLForConditionalGeneration");
    EXPECT_EQ(spec.tensors[0].parts[0].source, "model.language_model.embed_tokens.weight");
    EXPECT_TRUE(spec.head_may_be_tied);
  }
  const char* const kTied = R"({"tie_word_embeddings": true})";
  const DecoderSpec tied = Read("Qwen2VLForConditionalGeneration", kTied);
  EXPECT_EQ(tied.head.weight, tied.embedding);
  EXPECT_FALSE(tied.head_may_be_tied);
  // What published configs leave out, and caps of the text's own class.
  const DecoderSpec gemma3 = Read("Gemma3ForConditionalGeneration", R"({"text_config":
      {"head_dim": 8, "num_hidden_layers": 2, "final_logit_softcapping": 30}})");
  EXPECT_EQ(gemma3.vocab_size, 262208u);
  EXPECT_EQ(gemma3.hidden_size, 2304u);
  EXPECT_EQ(gemma3.layers.size(), 2u);
  EXPECT_EQ(gemma3.logit_soft_cap, 0);
  EXPECT_EQ(Read("Gemma3ForCausalLM", R"({"final_logit_softcapping": 30})").logit_soft_cap, 30);
}

TEST(Architectures, RopesOfLayersByTheirWindow) {
  const DecoderSpec laguna = Read("LagunaForCausalLM", R"({"sliding_window": 9, "layer_types":
      ["full_attention", "sliding_attention", "full_attention", "sliding_attention"]})");
  EXPECT_EQ(Windows(laguna), List({0, 9, 0, 9}));
  EXPECT_EQ(Ropes(laguna), std::vector<int32_t>({0, 1, 0, 1}));
  EXPECT_EQ(laguna.ropes[0].frequencies.size(), 2u);  // half of a head
  EXPECT_EQ(laguna.ropes[1].frequencies.size(), 4u);
}

TEST(Architectures, ScaleOfLongSequences) {
  const auto rope_with = [](double long_scale) {
    const nlohmann::json scaling = {{"type", "longrope"},
                                    {"short_factor", {1, 1, 1, 1}},
                                    {"long_factor", {1, 2, 3, 4}},
                                    {"short_mscale", 1.25},
                                    {"long_mscale", long_scale}};
    const nlohmann::json config = {{"original_max_position_embeddings", 64},
                                   {"rope_scaling", scaling}};
    return Read("PhimoeForCausalLM", config.dump()).ropes.at(0);
  };
  EXPECT_EQ(rope_with(1.5).scale, 1.25f);
  EXPECT_EQ(rope_with(1.5).long_scale, 1.5f);
  EXPECT_EQ(rope_with(1.25).long_scale, 0);  // it stays
}

// The last one is the final norm.
TEST(Architectures, NormsInTheResidualStream) {
  const char* const kConfig = R"({"ffn_dim": 64, "num_key_value_heads": 4,
      "do_layer_norm_before": false, "word_embed_proj_dim": 16})";
  const DecoderSpec opt = Read("OPTForCausalLM", kConfig);
  for (size_t i = 0; i < opt.layers.size(); ++i) {
    const auto& sublayers = opt.layers[i].sublayers;
    EXPECT_EQ(sublayers[0]->norm, nullptr);
    EXPECT_EQ(sublayers[1]->norm, nullptr);
    EXPECT_NE(sublayers[0]->residual_norm, nullptr);
    EXPECT_EQ(sublayers[1]->residual_norm != nullptr, i < 3);
  }
  EXPECT_EQ(opt.tensors[opt.final_norm.weight].parts[0].source,
            "model.decoder.layers.3.final_layer_norm.weight");
  // The projections make two matrices of one.
  const TensorRecipe& embedding = opt.tensors[opt.embedding];
  const TensorRecipe& head = opt.tensors[opt.head.weight];
  EXPECT_EQ(embedding.parts[0].source, head.parts[0].source);
  EXPECT_EQ(embedding.factor->source, "model.decoder.project_in.weight");
  EXPECT_EQ(embedding.FactorShape(), std::vector<uint64_t>({32, 16}));
  EXPECT_EQ(head.factor->source, "model.decoder.project_out.weight");
  EXPECT_EQ(head.FactorShape(), std::vector<uint64_t>({16, 32}));
}

// Of transformers' configuration classes; goldens have all keys.
TEST(Architectures, WhatIsMeantWhereAKeyIsAbsent) {
  const auto attention = [](const DecoderSpec& spec) {
    return *spec.layers[0].sublayers[0]->op.AsAttention();
  };
  EXPECT_THAT(Read("GptOssForCausalLM", "{}").ropes[0].description,
              HasSubstr("yarn, theta 150000, factor 32"));
  EXPECT_EQ(attention(Read("Cohere2MoeForCausalLM", R"({"head_dim": null})")).head_dim, 128u);
  for (const auto& [name, context] : {std::pair{"DeepseekV2ForCausalLM", 2048u},
                                      {"DeepseekV3ForCausalLM", 4096u},
                                      {"Glm4MoeLiteForCausalLM", 202752u},
                                      {"YoutuForCausalLM", 131072u},
                                      {"Gemma4UnifiedForCausalLM", 262144u}}) {
    SCOPED_TRACE(name);
    const DecoderSpec spec = Read(name, R"({"max_position_embeddings": null, "n_group": 1,
                                            "topk_group": 1, "kv_lora_rank": 64})");
    EXPECT_EQ(spec.context_length, context);
  }
}

// Sines first, then cosines; position 0 has row 2.
TEST(Architectures, PositionsThatAreSines) {
  const DecoderSpec xglm = Read("XGLMForCausalLM", R"({"d_model": 32, "num_layers": 2,
      "attention_heads": 4, "num_key_value_heads": 4, "ffn_dim": 64, "pad_token_id": 50})");
  const TensorRecipe& positions = xglm.tensors[static_cast<size_t>(xglm.positions)];
  std::vector<float> rows(2 * 32);
  positions.computed(47, rows);  // rows 49 and 50, which is the padding token's
  EXPECT_NEAR(rows[0], std::sin(49.0), 1e-6);
  EXPECT_NEAR(rows[1], std::sin(49 * std::pow(10000, -1.0 / 15)), 1e-5);
  EXPECT_NEAR(rows[16], std::cos(49.0), 1e-6);
  EXPECT_NEAR(rows[31], std::cos(49e-4), 1e-6);
  for (size_t i = 32; i < rows.size(); ++i) EXPECT_EQ(rows[i], 0);
  positions.computed(0, std::span(rows).first(32));
  EXPECT_NEAR(rows[0], std::sin(2.0), 1e-6);
}

struct Bad {
  const char* name;
  const char* architecture;
  const char* differs;
  const char* message;
};

class BadArchitecture : public testing::TestWithParam<Bad> {};

TEST_P(BadArchitecture, IsRefusedByKey) {
  try {
    Read(GetParam().architecture, GetParam().differs);
    FAIL() << "was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("config.json: key "));
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadArchitecture,
    testing::Values(
        Bad{"TooManyUsed", "MixtralForCausalLM", R"({"num_local_experts": 4,
            "num_experts_per_tok": 5})",
            "num_experts_per_tok is 5, expected an integer from 1 to 4"},
        Bad{"TooManyExperts", "OlmoeForCausalLM", R"({"num_experts": 1e9})", "num_experts is 1"},
        Bad{"GroupsDoNotDivide", "Glm4MoeForCausalLM", R"({"n_routed_experts": 8, "n_group": 3})",
            "n_group does not divide the 8 experts"},
        Bad{"GroupsTooSmall", "Glm4MoeForCausalLM", R"({"n_routed_experts": 8, "n_group": 8})",
            "n_group makes groups of 1 experts"},
        Bad{"MoreGroupsThanThereAre", "Dots1ForCausalLM", R"({"n_routed_experts": 8, "n_group": 2,
            "topk_group": 3})",
            "topk_group is more than n_group"},
        Bad{"GroupsWithTooFew", "Dots1ForCausalLM", R"({"n_routed_experts": 8, "n_group": 4,
            "num_experts_per_tok": 3})",
            "topk_group leaves fewer experts than are used"},
        Bad{"FewerThanUsedByDefault", "Glm4MoeForCausalLM", R"({"n_routed_experts": 4})",
            "n_routed_experts is less than the 8 experts"},
        Bad{"SparseMixerOfThree", "PhimoeForCausalLM", R"({"num_experts_per_tok": 3})",
            "num_experts_per_tok is not 2"},
        Bad{"UsedByLayer", "HunYuanMoEV1ForCausalLM", R"({"num_experts": 4,
            "moe_topk": [1, 2, 2, 2]})",
            "moe_topk differs between layers"},
        Bad{"LayerTypesShort", "Qwen3ForCausalLM", R"({"layer_types": ["full_attention"]})",
            "layer_types has 1 entries for 4 layers"},
        Bad{"LayerTypeUnknown", "Gemma2ForCausalLM", R"({"layer_types":
            ["full_attention", "spiral", "full_attention", "full_attention"]})",
            "layer_types holds spiral"},
        Bad{"SlidesWithoutWindow", "Qwen3ForCausalLM", R"({"layer_types":
            ["full_attention", "full_attention", "full_attention", "sliding_attention"]})",
            "sliding_window is missing"},
        Bad{"WindowOfZero", "MistralForCausalLM", R"({"sliding_window": 0})",
            "sliding_window is 0"},
        Bad{"Bidirectional", "GemmaForCausalLM", R"({"use_bidirectional_attention": true})",
            "use_bidirectional_attention is true"},
        Bad{"CapOfZero", "Gemma2ForCausalLM", R"({"attn_logit_softcapping": 0})",
            "attn_logit_softcapping is 0"},
        Bad{"ScaleOfScores", "Gemma2ForCausalLM", R"({"query_pre_attn_scalar": -1})",
            "query_pre_attn_scalar is -1"},
        Bad{"RopeLayers", "SmolLM3ForCausalLM", R"({"no_rope_layers": [1, 1]})",
            "no_rope_layers does not have an entry for each layer"},
        Bad{"RopeLayersValue", "SmolLM3ForCausalLM", R"({"no_rope_layers": [1, 1, 1, 2]})",
            "no_rope_layers is not a list of integers from 0 to 1"},
        Bad{"LocalLayers", "GPTNeoForCausalLM", R"({"num_layers": 2, "num_heads": 4,
            "attention_layers": ["global", "near"]})",
            "attention_layers holds near; known: global, local"},
        Bad{"LocalLayersMissing", "GPTNeoForCausalLM", R"({"num_layers": 2, "num_heads": 4,
            "attention_types": [[["global", "local"], 1]]})",
            "attention_layers is missing"},
        Bad{"RopeOfCwm", "CwmForCausalLM", "{}", "rope_parameters is missing"},
        Bad{"NoFinalNorm", "OPTForCausalLM", R"({"ffn_dim": 64, "num_key_value_heads": 4,
            "_remove_final_layer_norm": true})",
            "_remove_final_layer_norm is true"},
        Bad{"WidthOfEmbedding", "OPTForCausalLM", R"({"ffn_dim": 64, "num_key_value_heads": 4,
            "word_embed_proj_dim": 0})",
            "word_embed_proj_dim is 0"},
        Bad{"RopeOfApertus", "ApertusForCausalLM", "{}", "rope_parameters is missing"},
        Bad{"XieluElsewhere", "LlamaForCausalLM", R"({"hidden_act": "xielu"})",
            "hidden_act is xielu; known:"},
        Bad{"ResidualOfBloom", "BloomForCausalLM", R"({"n_layer": 2, "n_head": 4,
            "num_key_value_heads": 4, "apply_residual_connection_post_layernorm": true})",
            "apply_residual_connection_post_layernorm is true"},
        Bad{"ActivationOfGpt", "OpenAIGPTLMHeadModel", R"({"n_embd": 32, "n_layer": 2, "n_head": 4,
            "num_key_value_heads": 4, "afn": "gelu10"})",
            "afn is gelu10"},
        Bad{"CrossAttention", "XGLMForCausalLM", R"({"d_model": 32, "num_layers": 2,
            "attention_heads": 4, "num_key_value_heads": 4, "ffn_dim": 64,
            "add_cross_attention": true})",
            "add_cross_attention is true"},
        Bad{"MultipleTooLarge", "GPTNeoXJapaneseForCausalLM", R"({"num_key_value_heads": 4,
            "intermediate_multiple_size": 100000})",
            "intermediate_multiple_size is 100000"},
        Bad{"QueryScaleMissing", "Ministral3ForCausalLM", R"({"rope_parameters": {"rope_theta": 1e4,
            "original_max_position_embeddings": 64}})",
            "llama_4_scaling_beta is missing"},
        Bad{"QueryScaleNegative", "Ministral3ForCausalLM", R"({"rope_parameters": {
            "rope_theta": 1e4, "original_max_position_embeddings": 64,
            "llama_4_scaling_beta": -0.1}})",
            "llama_4_scaling_beta is below 0"},
        Bad{"LocalAttention", "ModernBertDecoderForCausalLM", R"({"num_key_value_heads": 4,
            "local_attention": 1})",
            "local_attention is 1"},
        Bad{"LongScaleOfNothing", "PhimoeForCausalLM", R"({"original_max_position_embeddings": 64,
            "rope_scaling": {"type": "longrope", "short_factor": [1, 1, 1, 1],
            "long_factor": [1, 1, 1, 1], "short_mscale": 1.25, "long_mscale": 1.5}})",
            "long_mscale differs from short_mscale, but the factors do not"},
        Bad{"HeadsOfMpt", "MptForCausalLM", R"({"d_model": 48, "n_layers": 2, "n_heads": 6,
            "num_key_value_heads": 6})",
            "n_heads is not a power of two"},
        Bad{"Multiplier", "GraniteForCausalLM", R"({"residual_multiplier": 0})",
            "residual_multiplier is 0"},
        Bad{"MultiplierTooSmall", "GraniteForCausalLM", R"({"attention_multiplier": 1e-60})",
            "attention_multiplier is 1e-60, which is too small for a float"},
        Bad{"MultiplierTooLarge", "GraniteForCausalLM", R"({"embedding_multiplier": 1e60})",
            "embedding_multiplier is 1e+60, which is too large for a float"},
        Bad{"LogitsScaling", "GraniteForCausalLM", R"({"logits_scaling": 1e-45})",
            "logits_scaling is 1e-45, which is too small for a float"},
        Bad{"LogitsScalingNegative", "GraniteForCausalLM", R"({"logits_scaling": -8})",
            "logits_scaling is -8, expected a number above 0"},
        Bad{"MultipliersTooLarge", "FalconH1ForCausalLM",
            R"({"mamba_d_ssm": 48, "mamba_n_heads": 2, "mamba_n_groups": 2, "mamba_d_state": 8,
                "mlp_multipliers": [1, -1e60]})",
            "mlp_multipliers has -1e+60, which is too large for a float"},
        Bad{"HeadsOfGpt2", "GPT2LMHeadModel", R"({"n_embd": 32, "n_layer": 2, "n_head": 4})",
            "num_key_value_heads is set"},
        Bad{"PartOfHead", "PhiForCausalLM", R"({"partial_rotary_factor": 0.1})",
            "partial_rotary_factor leaves 0"},
        Bad{"ConvTaps", "Lfm2ForCausalLM", R"({"conv_L_cache": 1000})", "conv_L_cache is 1000"},
        Bad{"ConvLayers", "Lfm2ForCausalLM", R"({"layer_types": ["conv"]})", "layer_types"},
        Bad{"Gemma4Experts", "Gemma4ForCausalLM", R"({"enable_moe_block": true})",
            "num_experts is missing, but enable_moe_block is true"},
        Bad{"SparseShares", "Gemma3nForCausalLM", R"({"activation_sparsity_pattern":
            [0.5, 0, 0, 1]})",
            "activation_sparsity_pattern holds what is not from 0 to below 1"},
        Bad{"SparseLayers", "Gemma3nForCausalLM", R"({"activation_sparsity_pattern": [0.5]})",
            "activation_sparsity_pattern does not have an entry for each layer"},
        Bad{"SizeOfEachLayer", "Gemma3nForCausalLM", R"({"intermediate_size": [8, 8]})",
            "intermediate_size does not have an entry for each layer"},
        Bad{"ActiveStream", "Gemma3nForCausalLM", R"({"altup_num_inputs": 3,
            "altup_active_idx": 3})",
            "altup_active_idx is 3"},
        Bad{"OneStream", "Gemma3nForCausalLM", R"({"altup_num_inputs": 1})",
            "altup_num_inputs is 1"},
        Bad{"SharesAll", "Gemma4ForCausalLM", R"({"num_kv_shared_layers": 4})",
            "num_kv_shared_layers is 4"},
        Bad{"SharesWithNone", "Gemma4ForCausalLM", R"({"num_kv_shared_layers": 1})",
            "num_kv_shared_layers leaves layer 3 none of its kind to share with"},
        Bad{"GlobalHeads", "Gemma4ForCausalLM", R"({"attention_k_eq_v": true,
            "num_global_key_value_heads": 3})",
            "num_global_key_value_heads does not divide num_attention_heads"},
        Bad{"ShareOfHead", "Gemma4ForCausalLM", R"({"rope_parameters": {"full_attention":
            {"rope_type": "proportional", "partial_rotary_factor": 2}}})",
            "partial_rotary_factor is above 1"},
        Bad{"ShareOfUsualRope", "Gemma4ForCausalLM", R"({"rope_parameters": {"sliding_attention":
            {"rope_type": "default", "partial_rotary_factor": 0.5}}})",
            "partial_rotary_factor is not 1"},
        Bad{"GroupsAbsent", "DeepseekV3ForCausalLM", R"({"topk_group": 1})", "n_group is missing"},
        Bad{"TopMethod", "DeepseekV2ForCausalLM", R"({"topk_method": "noaux_tc"})",
            "topk_method is noaux_tc"},
        Bad{"LayerKinds", "Glm4MoeLiteForCausalLM", R"({"mlp_layer_types": ["dense"]})",
            "mlp_layer_types does not have an entry for each layer"},
        Bad{"LayerKindUnknown", "ExaoneMoeForCausalLM", R"({"num_experts": 8,
            "mlp_layer_types": ["dense", "sparse", "sparse", "spiral"]})",
            "mlp_layer_types holds spiral; known: sparse, dense"},
        Bad{"ExpertScores", "Cohere2MoeForCausalLM", R"({"expert_selection_fn": "argmax"})",
            "expert_selection_fn is argmax; known: softmax, sigmoid"},
        Bad{"SharedWith", "Cohere2MoeForCausalLM",
            R"({"shared_expert_combination_strategy": "product"})",
            "shared_expert_combination_strategy is product; known: sum, average"},
        Bad{"HeadsOfALayer", "LagunaForCausalLM",
            R"({"num_attention_heads_per_layer": [4, 4, 3, 4]})",
            "num_attention_heads_per_layer holds 3, which is not a multiple of the 2 heads of "
            "keys"},
        Bad{"HeadsOfLayers", "LagunaForCausalLM", R"({"num_attention_heads_per_layer": [4, 4]})",
            "num_attention_heads_per_layer does not have an entry for each layer"},
        Bad{"RouterCap", "LagunaForCausalLM", R"({"moe_router_logit_softcapping": 30})",
            "moe_router_logit_softcapping is not 0"},
        Bad{"WeighsInput", "LagunaForCausalLM", R"({"moe_apply_router_weight_on_input": true})",
            "moe_apply_router_weight_on_input is true"},
        Bad{"SharedByNone", "HYV3ForCausalLM", R"({"num_shared_experts": 0})",
            "num_shared_experts is 0"},
        Bad{"LatentExperts", "NemotronHForCausalLM", R"({"hybrid_override_pattern": "E*",
            "moe_latent_size": 16, "mamba_num_heads": 4, "mamba_head_dim": 16, "n_groups": 1})",
            "moe_latent_size is set"},
        Bad{"LayerLetter", "NemotronHForCausalLM", R"({"hybrid_override_pattern": "E*R",
            "mamba_num_heads": 4, "mamba_head_dim": 16, "n_groups": 1})",
            "layers_block_type holds R; known: mamba, attention, mlp, moe"},
        Bad{"WayOfExperts", "Qwen3VLMoeForConditionalGeneration",
            R"({"num_experts": 8, "moe_intermediate_size": 16})",
            "moe_intermediate_size is hidden_size or half of it"},
        Bad{"NoText", "Mistral3ForConditionalGeneration", R"({"hidden_size": null})",
            "text_config is missing"},
        Bad{"TextUnknown", "Mistral3ForConditionalGeneration",
            R"({"text_config": {"model_type": "crystal"}})",
            "text_config.model_type names the architecture crystal"},
        Bad{"TextThatSees", "Mistral3ForConditionalGeneration",
            R"({"text_config": {"model_type": "mistral3"}})",
            "text_config.model_type is mistral3, which is no model of text alone"},
        Bad{"KeyOfText", "Mistral3ForConditionalGeneration",
            R"({"text_config": {"vocab_size": 0}})", "text_config.vocab_size is 0"},
        Bad{"LatentOdd", "YoutuForCausalLM", R"({"kv_lora_rank": 20})",
            "kv_lora_rank is not a multiple of 8"},
        Bad{"LatentTooWide", "YoutuForCausalLM", R"({"kv_lora_rank": 512,
            "qk_rope_head_dim": 256})",
            "kv_lora_rank and qk_rope_head_dim are more than 640 together"},
        Bad{"LongFactors", "Phi3ForCausalLM", R"({"original_max_position_embeddings": 64,
            "rope_scaling": {"type": "longrope", "short_factor": [1, 1, 1, 0],
            "long_factor": [1, 1, 1, 1]}})",
            "short_factor holds a factor that is not above 0"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace rondo::convert::architectures_test
