#include "tools/convert/sources/gguf/gguf_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/temp_folder.h"
#include "tests/tools/convert/sources/gguf/gguf_writer.h"
#include "tests/tools/error_of.h"
#include "tools/convert/architectures/gguf_rules_of.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class GgufConfigTest : public testing::Test {
 protected:
  // The keys that every architecture has, and a vocabulary of 16.
  static GgufWriter Model(const std::string& name) {
    GgufWriter writer;
    writer.Key("general.architecture", name)
        .Key(name + ".block_count", uint32_t{4})
        .Key(name + ".context_length", uint32_t{512})
        .Key(name + ".embedding_length", uint32_t{32})
        .Key(name + ".feed_forward_length", uint32_t{48})
        .Key(name + ".attention.head_count", uint32_t{4})
        .Floats("token_embd.weight", {16, 1}, std::vector<float>(16));
    return writer;
  }
  // With an epsilon where the test has none of its own.
  json Read(GgufWriter writer) {
    const std::string header = writer.Header(), begin = "general.architecture";
    const size_t at = header.find(begin);
    if (at != std::string::npos && header.find("epsilon") == std::string::npos) {
      uint64_t length = 0;
      const size_t text = at + begin.size() + sizeof(uint32_t);  // behind the type
      std::memcpy(&length, &header[text], sizeof length);
      const std::string name = header.substr(text + sizeof length, length);
      writer.Key(name + ".attention.layer_norm_rms_epsilon", 0.25f);
    }
    const GgufFile file(writer.Save(folder_ / "model.gguf"));
    const GgufKeys keys(file);
    std::vector<std::string> notes;
    json config = ReadGgufConfig(keys, GgufRulesOf(keys), notes);
    notes_ = keys.notes();
    return config;
  }
  // Of the whole config, what `expected` names.
  void ExpectPart(const GgufWriter& writer, const std::string& expected) {
    const json config = Read(writer), part = json::parse(expected);
    for (const auto& [key, value] : part.items()) {
      EXPECT_EQ(config.value(key, json("absent")), value) << key;
    }
  }
  std::string Refusal(const GgufWriter& writer) {
    try {
      Read(writer);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("model.gguf"));
      return error.what();
    }
    return "";
  }

  TempFolder folder_;
  std::vector<std::string> notes_;
};

TEST_F(GgufConfigTest, Llama) {
  GgufWriter writer = Model("llama");
  writer.Key("llama.attention.head_count_kv", uint32_t{2})
      .Key("llama.attention.layer_norm_rms_epsilon", 0.5f)
      .Key("llama.rope.freq_base", 500.0f)
      .Key("tokenizer.ggml.bos_token_id", uint32_t{1})
      .Key("tokenizer.ggml.eos_token_id", uint32_t{2})
      .Key("tokenizer.ggml.eot_token_id", uint32_t{3})
      .Key("tokenizer.ggml.eom_token_id", uint32_t{2});
  EXPECT_EQ(Read(writer), json::parse(R"({
      "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 16,
      "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 4,
      "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
      "max_position_embeddings": 512, "hidden_act": "silu", "tie_word_embeddings": true,
      "rms_norm_eps": 0.5, "attention_bias": false, "mlp_bias": false,
      "rope_parameters": {"rope_type": "default", "rope_theta": 500.0},
      "bos_token_id": 1, "eos_token_id": [2, 3]})"));
  writer.Floats("output.weight", {16, 1}, std::vector<float>(16))
      .Floats("blk.0.attn_q.bias", {1}, {1});
  ExpectPart(writer, R"({"tie_word_embeddings": false, "attention_bias": true})");
}

TEST_F(GgufConfigTest, LlamaWithAWindowIsMistralAndWithExpertsMixtral) {
  ExpectPart(Model("llama").Key("llama.attention.sliding_window", uint32_t{64}),
             R"({"architectures": ["MistralForCausalLM"], "model_type": "mistral",
                 "sliding_window": 64})");
  ExpectPart(Model("llama")
                 .Key("llama.expert_count", uint32_t{8})
                 .Key("llama.expert_used_count", uint32_t{2}),
             R"({"architectures": ["MixtralForCausalLM"], "model_type": "mixtral",
                 "num_local_experts": 8, "num_experts_per_tok": 2})");
  ExpectPart(Model("llama").Key("llama.expert_count", uint32_t{0}),
             R"({"architectures": ["LlamaForCausalLM"]})");
}

TEST_F(GgufConfigTest, RopeScaling) {
  const auto rope = [&](const GgufWriter& writer) { return Read(writer).at("rope_parameters"); };
  EXPECT_EQ(rope(Model("llama")
                     .Key("llama.rope.scaling.type", std::string("linear"))
                     .Key("llama.rope.scaling.factor", 4.0f)),
            json::parse(R"({"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0})"));
  EXPECT_EQ(rope(Model("llama").Key("llama.rope.scale_linear", 2.0f)),
            json::parse(R"({"rope_type": "linear", "rope_theta": 10000.0, "factor": 2.0})"));
  EXPECT_EQ(rope(Model("qwen2")
                     .Key("qwen2.rope.scaling.type", std::string("yarn"))
                     .Key("qwen2.rope.scaling.original_context_length", uint32_t{128})
                     .Key("qwen2.rope.scaling.factor", 4.0f)),
            json::parse(R"({"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0,
                            "original_max_position_embeddings": 128})"));
  EXPECT_EQ(rope(Model("llama").Floats("rope_freqs.weight", {4}, {1, 1, 2, 8})),
            json::parse(R"({"rope_type": "longrope", "rope_theta": 10000.0,
                            "short_factor": [1.0, 1.0, 2.0, 8.0],
                            "long_factor": [1.0, 1.0, 2.0, 8.0], "attention_factor": 1.0,
                            "original_max_position_embeddings": 512})"));
  EXPECT_EQ(rope(Model("phi3")
                     .Key("phi3.rope.scaling.original_context_length", uint32_t{64})
                     .Key("phi3.rope.scaling.attn_factor", 1.25f)
                     .Floats("rope_factors_short.weight", {2}, {1, 2})
                     .Floats("rope_factors_long.weight", {2}, {3, 4})),
            json::parse(R"({"rope_type": "longrope", "rope_theta": 10000.0,
                            "short_factor": [1.0, 2.0], "long_factor": [3.0, 4.0],
                            "attention_factor": 1.25, "original_max_position_embeddings": 64})"));
  EXPECT_EQ(rope(Model("llama").Key("llama.rope.dimension_count", uint32_t{2}))
                .at("partial_rotary_factor"),
            0.25);
}

TEST_F(GgufConfigTest, RefusesRopeThatItDoesNotKnow) {
  EXPECT_THAT(Refusal(Model("llama").Key("llama.rope.scaling.type", std::string("wild"))),
              HasSubstr("key llama.rope.scaling.type is wild; known: none, linear, yarn"));
  EXPECT_THAT(Refusal(Model("llama").Key("llama.rope.scaling.type", std::string("longrope"))),
              HasSubstr("key llama.rope.scaling.type is longrope"));
  EXPECT_THAT(Refusal(Model("llama")
                          .Key("llama.rope.scaling.type", std::string("linear"))
                          .Floats("rope_freqs.weight", {1}, {1})),
              HasSubstr("beside rope_freqs.weight"));
  EXPECT_THAT(Refusal(Model("phi3").Floats("rope_factors_long.weight", {1}, {1})),
              HasSubstr("tensor rope_factors_short.weight is missing"));
  EXPECT_THAT(Refusal(Model("llama").Floats("rope_freqs.weight", {600}, std::vector<float>(600))),
              HasSubstr("tensor rope_freqs.weight has 600 values, expected at most 512"));
}

TEST_F(GgufConfigTest, Gemma) {
  ExpectPart(
      Model("gemma").Key("gemma.attention.key_length", uint32_t{16}),
      R"({"model_type": "gemma", "hidden_activation": "gelu_pytorch_tanh", "head_dim": 16})");
  GgufWriter gemma2 = Model("gemma2");
  gemma2.Key("gemma2.attention.key_length", uint32_t{16})
      .Key("gemma2.attention.sliding_window", uint32_t{24})
      .Key("gemma2.attn_logit_softcapping", 5.0f)
      .Key("gemma2.final_logit_softcapping", 8.0f);
  ExpectPart(gemma2, R"({
      "query_pre_attn_scalar": 16, "sliding_window": 24, "attn_logit_softcapping": 5.0,
      "final_logit_softcapping": 8.0, "layer_types": ["sliding_attention", "full_attention",
      "sliding_attention", "full_attention"]})");
  GgufWriter gemma3 = Model("gemma3");
  gemma3.Key("gemma3.rope.scaling.type", std::string("linear"))
      .Key("gemma3.rope.scaling.factor", 8.0f)
      .Key("gemma3.attention.sliding_window_pattern", uint32_t{2});
  ExpectPart(gemma3, R"({
      "model_type": "gemma3_text", "query_pre_attn_scalar": 8,
      "layer_types": ["sliding_attention", "full_attention",
      "sliding_attention", "full_attention"], "rope_parameters": {
      "full_attention": {"rope_type": "linear", "rope_theta": 1000000.0, "factor": 8.0},
      "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}})");
}

// Its largest model alone divides scores by hidden_size / n_heads.
TEST_F(GgufConfigTest, LargestGemma2HasAScaleOfItsOwn) {
  GgufWriter writer;
  writer.Key("general.architecture", std::string("gemma2"))
      .Key("gemma2.block_count", uint32_t{46})
      .Key("gemma2.context_length", uint32_t{512})
      .Key("gemma2.embedding_length", uint32_t{4608})
      .Key("gemma2.feed_forward_length", uint32_t{48})
      .Key("gemma2.attention.head_count", uint32_t{32})
      .Key("gemma2.attention.key_length", uint32_t{128})
      .Floats("token_embd.weight", {16, 1}, std::vector<float>(16));
  ExpectPart(writer, R"({"query_pre_attn_scalar": 144, "head_dim": 128})");
}

TEST_F(GgufConfigTest, Phi) {
  ExpectPart(Model("phi2")
                 .Key("phi2.rope.dimension_count", uint32_t{4})
                 .Key("phi2.attention.layer_norm_epsilon", 0.25f),
             R"({"architectures": ["PhiForCausalLM"], "hidden_act": "gelu_new",
                 "layer_norm_eps": 0.25, "rope_parameters": {"rope_type": "default",
                 "rope_theta": 10000.0, "partial_rotary_factor": 0.5}})");
  ExpectPart(Model("phi3").Key("phi3.attention.sliding_window", uint32_t{32}),
             R"({"architectures": ["Phi3ForCausalLM"], "sliding_window": 32,
                 "original_max_position_embeddings": 512})");
}

TEST_F(GgufConfigTest, Experts) {
  GgufWriter qwen = Model("qwen3moe");
  qwen.Key("qwen3moe.expert_count", uint32_t{8})
      .Key("qwen3moe.expert_used_count", uint32_t{2})
      .Key("qwen3moe.expert_feed_forward_length", uint32_t{12});
  ExpectPart(qwen, R"({"model_type": "qwen3_moe", "num_experts": 8, "num_experts_per_tok": 2,
                       "moe_intermediate_size": 12, "norm_topk_prob": true})");
  ExpectPart(Model("olmoe")
                 .Key("olmoe.expert_count", uint32_t{8})
                 .Key("olmoe.expert_used_count", uint32_t{2})
                 .Key("olmoe.attention.clamp_kqv", 2.0f),
             R"({"num_experts": 8, "norm_topk_prob": false, "intermediate_size": 48,
                 "clip_qkv": 2.0})");
}

TEST_F(GgufConfigTest, Others) {
  ExpectPart(Model("granite")
                 .Key("granite.attention.scale", 0.125f)
                 .Key("granite.embedding_scale", 12.0f)
                 .Key("granite.residual_scale", 0.5f)
                 .Key("granite.logit_scale", 8.0f),
             R"({"attention_multiplier": 0.125, "embedding_multiplier": 12.0,
                 "residual_multiplier": 0.5, "logits_scaling": 8.0})");
  ExpectPart(Model("stablelm")
                 .Key("stablelm.attention.layer_norm_epsilon", 0.5f)
                 .Key("stablelm.use_parallel_residual", false)
                 .Floats("blk.0.attn_q.bias", {1}, {1}),
             R"({"layer_norm_eps": 0.5, "use_parallel_residual": false, "use_qkv_bias": true,
                 "qk_layernorm": false})");
  ExpectPart(Model("starcoder2").Key("starcoder2.attention.layer_norm_epsilon", 0.5f),
             R"({"norm_epsilon": 0.5, "hidden_act": "gelu_pytorch_tanh", "use_bias": false})");
  ExpectPart(Model("gptneox")
                 .Key("gptneox.attention.layer_norm_epsilon", 0.5f)
                 .Key("gptneox.use_parallel_residual", true),
             R"({"layer_norm_eps": 0.5, "use_parallel_residual": true, "hidden_act": "gelu"})");
  ExpectPart(Model("smollm3"), R"({"no_rope_layer_interval": 4})");
  EXPECT_EQ(Read(Model("gpt2").Key("gpt2.attention.layer_norm_epsilon", 0.5f)),
            json::parse(R"({"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2",
                            "vocab_size": 16, "tie_word_embeddings": true,
                            "activation_function": "gelu_new", "layer_norm_epsilon": 0.5,
                            "n_embd": 32, "n_head": 4, "n_inner": 48, "n_layer": 4,
                            "n_positions": 512, "num_key_value_heads": 4})"));
}

TEST_F(GgufConfigTest, LayersOfLfm2Differ) {
  GgufWriter writer = Model("lfm2");
  writer.Key("lfm2.attention.layer_norm_rms_epsilon", 0.5f)
      .Key("lfm2.shortconv.l_cache", uint32_t{3});
  GgufWriter uneven = writer, few = writer, wrong = writer;
  ExpectPart(writer.Array<int32_t>("lfm2.attention.head_count_kv", {0, 2, 0, 2}),
             R"({"num_key_value_heads": 2, "conv_L_cache": 3, "norm_eps": 0.5,
                 "conv_bias": false, "layer_types": ["conv", "full_attention", "conv",
                 "full_attention"]})");
  const char* const kKey = "lfm2.attention.head_count_kv";
  EXPECT_THAT(Refusal(uneven.Array<int32_t>(kKey, {0, 2, 1, 2})), HasSubstr("differs between"));
  EXPECT_THAT(Refusal(few.Array<int32_t>(kKey, {0, 2})), HasSubstr("has 2 elements"));
  EXPECT_THAT(Refusal(wrong.Array<int32_t>(kKey, {0, 2, -1, 2})), HasSubstr("holds -1"));
}

// Where a file lacks what changes the outcome, it is refused or told of.
TEST_F(GgufConfigTest, NothingIsAssumedInSilence) {
  const auto refusal = [&](const GgufWriter& writer) {
    const GgufFile file(writer.Save(folder_ / "model.gguf"));
    const GgufKeys keys(file);
    std::vector<std::string> notes;
    return SentenceOf([&] { ReadGgufConfig(keys, GgufRulesOf(keys), notes); });
  };
  for (const std::string name : {"llama", "qwen3", "gemma2"}) {
    EXPECT_THAT(refusal(Model(name)),
                HasSubstr("key " + name + ".attention.layer_norm_rms_epsilon is missing"));
  }
  EXPECT_THAT(refusal(Model("gptneox")),
              HasSubstr("key gptneox.attention.layer_norm_epsilon is missing"));
  Read(Model("llama"));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("key llama.rope.freq_base is missing: assumed 10000")));
  Read(Model("llama").Key("llama.rope.freq_base", 500.0f));
  EXPECT_THAT(notes_, IsEmpty());
  Read(Model("gemma2").Key("gemma2.rope.freq_base", 500.0f));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("key gemma2.attention.sliding_window is missing"),
                                  HasSubstr("key gemma2.attn_logit_softcapping is missing"),
                                  HasSubstr("key gemma2.final_logit_softcapping is missing")));
  Read(Model("gptneox").Key("gptneox.attention.layer_norm_epsilon", 0.5f));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("rope.freq_base"),
                                  HasSubstr("use_parallel_residual is missing: assumed true")));
  // Positions do not turn.
  Read(Model("gpt2").Key("gpt2.attention.layer_norm_epsilon", 0.5f));
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(GgufConfigTest, RefusesWhatItCannotMeet) {
  EXPECT_THAT(Refusal(GgufWriter().Key("k", 1.0f)),
              HasSubstr("key general.architecture is missing"));
  EXPECT_THAT(Refusal(Model("mamba")),
              AllOf(HasSubstr("key general.architecture names the architecture mamba"),
                    HasSubstr("known: arcee, bloom, cohere2")));
  EXPECT_THAT(Refusal(GgufWriter().Key("general.architecture", std::string("llama"))),
              HasSubstr("key llama.embedding_length is missing"));
  EXPECT_THAT(Refusal(Model("gemma3n")),
              HasSubstr("key gemma3n.attention.shared_kv_layers is missing"));
  EXPECT_THAT(Refusal(Model("llama").Key("split.count", uint16_t{3})),
              HasSubstr("key split.no is missing"));
  EXPECT_THAT(Refusal(Model("llama").Key("llama.attention.value_length", uint32_t{4})),
              HasSubstr("differs from attention.key_length"));
  EXPECT_THAT(Refusal(Model("olmo2").Key("olmo2.attention.surprise", uint32_t{4})),
              HasSubstr("key olmo2.attention.surprise is not known for this model"));
  ExpectPart(Model("llama")
                 .Key("llama.vocab_size", uint32_t{16})
                 .Key("llama.expert_count", uint32_t{0})
                 .Key("llama.expert_used_count", uint32_t{0}),
             R"({"model_type": "llama"})");
  EXPECT_THAT(Refusal(Model("qwen3").Key("qwen3.attention.causal", false)),
              HasSubstr("key qwen3.attention.causal is false"));
  EXPECT_THAT(Refusal(Model("glm4").Array<int32_t>("glm4.rope.dimension_sections", {1, 1, 2})),
              HasSubstr("key glm4.rope.dimension_sections is set"));
  EXPECT_THAT(Refusal(Model("llama").Key("llama.nextn_predict_layers", uint32_t{4})),
              HasSubstr("key llama.nextn_predict_layers leaves none"));
  EXPECT_THAT(Refusal(Model("llama").Key("llama.attention.head_count_kv", std::string("two"))),
              HasSubstr("key llama.attention.head_count_kv is not a number"));
  EXPECT_THAT(Refusal(GgufWriter()
                          .Key("general.architecture", std::string("llama"))
                          .Key("llama.block_count", uint32_t{1})
                          .Key("llama.embedding_length", uint32_t{30})
                          .Key("llama.attention.head_count", uint32_t{4})),
              HasSubstr("key llama.embedding_length is 30, not a multiple of the 4 heads"));
}

}  // namespace
}  // namespace rondo::convert
