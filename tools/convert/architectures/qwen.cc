// Qwen2, Qwen3 and their MoEs: biases in Qwen2's q, k and v; norms of q and k in Qwen3's heads.
// Mellum: Qwen3-MoE with windows, whose layers turn by a RoPE of their own.
#include <algorithm>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

Family QwenFamily(const Config& config, const SizeKeys& keys, double theta = 10000) {
  Family f(ReadSizes(config, keys));
  f.epsilon = config.Positive("rms_norm_eps", 1e-6);
  f.activation = ReadActivation(config, "hidden_act", "silu");
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context, theta})};
  f.tied = config.Flag("tie_word_embeddings", false);
  f.ignored = {"self_attn.rotary_emb.inv_freq"};
  return f;
}

uint64_t WindowInUse(const Config& config) {
  return config.Flag("use_sliding_window", false) ? ReadWindow(config, 4096) : 0;
}

// The first max_window_layers see everything.
void SlideUpperLayers(const Config& config, uint64_t if_absent, Family& f) {
  const uint64_t full = config.Integer("max_window_layers", 0, UINT32_MAX, if_absent);
  f.layer_window =
      ReadWindows(config, f.sizes, WindowInUse(config), [full](uint32_t i) { return i >= full; });
}

void NormalizeHeads(const Config& config, Family& f) {
  f.head_norm = Family::HeadNorm::kShared;
  f.qkv_bias = f.output_bias = config.Flag("attention_bias", false);
}

// Some layers, and those beside a step, have none.
void PlaceExperts(const Config& config, Family& f) {
  const uint64_t step = config.Integer("decoder_sparse_step", 1, kMaxLayers, 1);
  const std::vector<uint64_t> dense = config.Integers("mlp_only_layers", kMaxLayers);
  f.has_experts = [step, dense](uint32_t i) {
    return (i + 1) % step == 0 && std::find(dense.begin(), dense.end(), i) == dense.end();
  };
}

DecoderSpec ReadQwen2(const Config& config) {
  Family f = QwenFamily(config, {.default_kv_heads = 32, .default_context = 32768});
  f.qkv_bias = true;
  SlideUpperLayers(config, 28, f);
  return BuildDecoder(f);
}

DecoderSpec ReadQwen2Moe(const Config& config) {
  Family f = QwenFamily(config, {.default_kv_heads = 16, .default_context = 32768});
  f.qkv_bias = config.Flag("qkv_bias", true);
  const uint64_t sliding = config.Integer("max_window_layers", 0, kMaxLayers, 28);
  f.layer_window = ReadWindows(config, f.sizes, WindowInUse(config),
                               [sliding](uint32_t i) { return i % 2 == 0 && i < sliding; });
  Family::Experts experts = ReadExperts(config, f,
                                        {.n_experts = "num_experts",
                                         .default_experts = 60,
                                         .default_used = 4,
                                         .intermediate = "moe_intermediate_size",
                                         .default_intermediate = 1408});
  experts.normalize = config.Flag("norm_topk_prob", false);
  experts.shared =
      Family::Experts::Shared{.gate = "mlp.shared_expert.gate_proj",
                              .up = "mlp.shared_expert.up_proj",
                              .down = "mlp.shared_expert.down_proj",
                              .intermediate = static_cast<uint32_t>(config.Integer(
                                  "shared_expert_intermediate_size", 1, kMaxIntermediate, 5632)),
                              .weight = "mlp.shared_expert_gate"};
  f.experts = std::move(experts);
  PlaceExperts(config, f);
  return BuildDecoder(f);
}

DecoderSpec ReadQwen3(const Config& config) {
  Family f = QwenFamily(
      config, {.default_kv_heads = 32, .default_head_dim = 128, .default_context = 32768});
  NormalizeHeads(config, f);
  SlideUpperLayers(config, 28, f);
  return BuildDecoder(f);
}

DecoderSpec ReadQwen3Moe(const Config& config) {
  Family f = QwenFamily(config, {.default_kv_heads = 4, .default_context = 32768});
  NormalizeHeads(config, f);
  f.layer_window = ReadWindows(config, f.sizes, WindowInUse(config), [](uint32_t) { return true; });
  f.experts =
      ReadExperts(config, f,
                  {.n_experts = config.Has("num_experts") ? "num_experts" : "num_local_experts",
                   .default_experts = 128,
                   .default_used = 8,
                   .intermediate = "moe_intermediate_size",
                   .default_intermediate = 768});
  f.experts->normalize = config.Flag("norm_topk_prob", false);
  PlaceExperts(config, f);
  return BuildDecoder(f);
}

// The text's part of Qwen2-VL and Qwen2.5-VL.
DecoderSpec ReadQwen2Vl(const Config& config) {
  Family f = QwenFamily(config, {.default_kv_heads = 8, .default_context = 32768}, 1e6);
  f.epsilon = config.Positive("rms_norm_eps", 1e-5);
  f.qkv_bias = true;
  SlideUpperLayers(config, 80, f);
  return BuildDecoder(f);
}

DecoderSpec ReadQwen3Vl(const Config& config) {
  Family f = QwenFamily(
      config, {.default_kv_heads = 32, .default_head_dim = 128, .default_context = 128000}, 5e5);
  NormalizeHeads(config, f);
  return BuildDecoder(f);
}

DecoderSpec ReadQwen3VlMoe(const Config& config) {
  Family f = QwenFamily(config, {.default_kv_heads = 16, .default_context = 128000}, 5e5);
  NormalizeHeads(config, f);
  f.experts =
      ReadExperts(config, f,
                  {.n_experts = config.Has("num_experts") ? "num_experts" : "num_local_experts",
                   .default_experts = 60,
                   .default_used = 4,
                   .intermediate = "moe_intermediate_size",
                   .default_intermediate = 1408});
  f.experts->normalize = true;
  // By columns as they are published, by rows as transformers 5 saves them: told by their shape.
  const uint32_t size = f.experts->intermediate;
  if (f.sizes.hidden == size || f.sizes.hidden == 2 * size) {
    config.Refuse("moe_intermediate_size",
                  "is hidden_size or half of it: which way the experts lie cannot be told");
  }
  const Family::Experts::Stack rows = {.gate_up = "mlp.experts.gate_up_proj",
                                       .down = "mlp.experts.down_proj"};
  Family::Experts::Stack columns = rows;
  columns.transposed = true;
  f.experts->stacks = {columns, rows};
  PlaceExperts(config, f);
  return BuildDecoder(f);
}

DecoderSpec ReadMellum(const Config& config) {
  Family f(ReadSizes(config,
                     {.default_kv_heads = 4, .default_head_dim = 128, .default_context = 131072}));
  f.epsilon = config.Positive("rms_norm_eps", 1e-6);
  f.activation = ReadActivation(config, "hidden_act", "silu");
  f.tied = config.Flag("tie_word_embeddings", false);
  NormalizeHeads(config, f);
  f.ropes = ReadRopesByWindow(config, {f.sizes.head_dim, f.sizes.context, 500000},
                              {f.sizes.head_dim, f.sizes.context, 10000});
  f.layer_window =
      ReadWindows(config, f.sizes, ReadWindow(config, 1024), [](uint32_t) { return false; });
  for (const uint32_t window : f.layer_window) f.layer_rope.push_back(window == 0 ? 0 : 1);
  f.experts =
      ReadExperts(config, f,
                  {.n_experts = config.Has("num_experts") ? "num_experts" : "num_local_experts",
                   .default_experts = 64,
                   .default_used = 8,
                   .intermediate = "moe_intermediate_size",
                   .default_intermediate = 896});
  f.experts->normalize = config.Flag("norm_topk_prob", true);
  PlaceSparseLayers(config, 0, f);
  return BuildDecoder(f);
}

void AddQwen2Moe(const GgufKeys& keys, json& config) {
  AddExperts(keys, "num_experts", config);
  AddExpertSize(keys, config);
  config["shared_expert_intermediate_size"] =
      keys.Count("expert_shared_feed_forward_length", kMaxIntermediate);
  config["qkv_bias"] = keys.HasTensor("blk.0.attn_q.bias");
  config["norm_topk_prob"] = false;
  config["decoder_sparse_step"] = 1;
  config["mlp_only_layers"] = json::array();
}

void AddQwen3Moe(const GgufKeys& keys, json& config) {
  AddBiases(keys, config);
  AddExperts(keys, "num_experts", config);
  AddExpertSize(keys, config);
  config["norm_topk_prob"] = true;
  config["decoder_sparse_step"] = 1;
  config["mlp_only_layers"] = json::array();
}

}  // namespace

std::vector<Architecture> QwenArchitectures() {
  const NameRules shared = {
      {"blk.{}.ffn_gate_inp_shexp", "model.layers.{}.mlp.shared_expert_gate"},
      {"blk.{}.ffn_gate_shexp", "model.layers.{}.mlp.shared_expert.gate_proj"},
      {"blk.{}.ffn_up_shexp", "model.layers.{}.mlp.shared_expert.up_proj"},
      {"blk.{}.ffn_down_shexp", "model.layers.{}.mlp.shared_expert.down_proj"},
  };
  return {
      {.name = "Qwen2ForCausalLM", .model_type = "qwen2", .read = ReadQwen2, .gguf = "qwen2"},
      {.name = "Qwen2MoeForCausalLM",
       .model_type = "qwen2_moe",
       .read = ReadQwen2Moe,
       .gguf = "qwen2moe",
       .add_gguf = AddQwen2Moe,
       .gguf_names = With(With(UsualNames(), StackedExpertNames()), shared)},
      {.name = "Qwen3ForCausalLM",
       .model_type = "qwen3",
       .read = ReadQwen3,
       .gguf = "qwen3",
       .add_gguf = AddBiases},
      {.name = "Qwen3MoeForCausalLM",
       .model_type = "qwen3_moe",
       .read = ReadQwen3Moe,
       .gguf = "qwen3moe",
       .add_gguf = AddQwen3Moe,
       .gguf_names = With(UsualNames(), StackedExpertNames())},
      {.name = "Qwen2VLTextModel", .model_type = "qwen2_vl_text", .read = ReadQwen2Vl},
      {.name = "Qwen2_5_VLTextModel", .model_type = "qwen2_5_vl_text", .read = ReadQwen2Vl},
      {.name = "Qwen3VLTextModel", .model_type = "qwen3_vl_text", .read = ReadQwen3Vl},
      {.name = "Qwen3VLMoeTextModel", .model_type = "qwen3_vl_moe_text", .read = ReadQwen3VlMoe},
      {.name = "MellumForCausalLM", .model_type = "mellum", .read = ReadMellum},
  };
}

}  // namespace rondo::convert
