// Qwen2, Qwen3 and their MoEs: biases in Qwen2's q, k and v; norms of q and k in Qwen3's heads.
// Mellum: Qwen3-MoE with windows, whose layers turn by a RoPE of their own.
#include <utility>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

Family QwenFamily(const Config& config, const SizeKeys& keys, double theta = 10000) {
  Family f = ReadFamily(config, keys, {.theta = theta});
  f.ignored = {"self_attn.rotary_emb.inv_freq"};
  return f;
}

uint64_t WindowInUse(const Config& config) {
  return config.Flag("use_sliding_window", false) ? ReadWindow(config, 4096) : 0;
}

// The first max_window_layers see everything.
DecoderSpec BuildUpperSliding(const Config& config, uint64_t if_absent, Family f) {
  const uint64_t full = config.Integer("max_window_layers", 0, UINT32_MAX, if_absent);
  f.AddLayers(
      ReadWindows(config, f.sizes, WindowInUse(config), [full](uint32_t i) { return i >= full; }));
  return BuildDecoder(std::move(f));
}

void NormalizeHeads(const Config& config, Family& f) {
  f.attention.head_norm = HeadNorm::kShared;
  f.attention.qkv_bias = f.attention.output_bias = config.Flag("attention_bias", false);
}

// Of Qwen3 and what follows it.
Experts ReadQwen3Experts(const Config& config, const Family& f, uint64_t n, uint64_t n_used,
                         uint64_t intermediate) {
  return ReadExperts(config, f,
                     {.n_experts = config.Has("num_experts") ? "num_experts" : "num_local_experts",
                      .default_experts = n,
                      .default_used = n_used,
                      .intermediate = "moe_intermediate_size",
                      .default_intermediate = intermediate});
}

DecoderSpec ReadQwen2(const Config& config) {
  Family f = QwenFamily(config, {.default_kv_heads = 32, .default_context = 32768});
  f.attention.qkv_bias = true;
  return BuildUpperSliding(config, 28, std::move(f));
}

DecoderSpec ReadQwen2Moe(const Config& config) {
  Family f = QwenFamily(config, {.default_kv_heads = 16, .default_context = 32768});
  f.attention.qkv_bias = config.Flag("qkv_bias", true);
  const uint64_t sliding = config.Integer("max_window_layers", 0, kMaxLayers, 28);
  const std::vector<uint32_t> windows =
      ReadWindows(config, f.sizes, WindowInUse(config),
                  [sliding](uint32_t i) { return i % 2 == 0 && i < sliding; });
  Experts experts = ReadExperts(config, f,
                                {.n_experts = "num_experts",
                                 .default_experts = 60,
                                 .default_used = 4,
                                 .intermediate = "moe_intermediate_size",
                                 .default_intermediate = 1408});
  experts.normalize = config.Flag("norm_topk_prob", false);
  experts.Share("mlp.shared_expert.",
                config.Count("shared_expert_intermediate_size", kMaxIntermediate, 5632),
                "mlp.shared_expert_gate");
  f.AddLayers(windows);
  f.PlaceExperts(experts, LayersByStep(config));
  return BuildDecoder(f);
}

DecoderSpec ReadQwen3(const Config& config) {
  Family f = QwenFamily(
      config, {.default_kv_heads = 32, .default_head_dim = 128, .default_context = 32768});
  NormalizeHeads(config, f);
  return BuildUpperSliding(config, 28, std::move(f));
}

DecoderSpec ReadQwen3Moe(const Config& config) {
  Family f = QwenFamily(config, {.default_kv_heads = 4, .default_context = 32768});
  NormalizeHeads(config, f);
  const std::vector<uint32_t> windows =
      ReadWindows(config, f.sizes, WindowInUse(config), [](uint32_t) { return true; });
  Experts experts = ReadQwen3Experts(config, f, 128, 8, 768);
  experts.normalize = config.Flag("norm_topk_prob", false);
  f.AddLayers(windows);
  f.PlaceExperts(experts, LayersByStep(config));
  return BuildDecoder(f);
}

// The text's part of Qwen2-VL and Qwen2.5-VL.
DecoderSpec ReadQwen2Vl(const Config& config) {
  Family f = QwenFamily(config, {.default_kv_heads = 8, .default_context = 32768}, 1e6);
  f.epsilon = config.Positive("rms_norm_eps", 1e-5);
  f.attention.qkv_bias = true;
  return BuildUpperSliding(config, 80, std::move(f));
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
  Experts experts = ReadQwen3Experts(config, f, 60, 4, 1408);
  experts.normalize = true;
  // By columns as they are published, by rows as transformers 5 saves them: told by their shape.
  const uint32_t size = experts.intermediate_size;
  if (f.sizes.hidden == size || f.sizes.hidden == 2 * size) {
    config.Refuse("moe_intermediate_size",
                  "is hidden_size or half of it: which way the experts lie cannot be told");
  }
  const Experts::Stack rows = {.gate_up = "mlp.experts.gate_up_proj",
                               .down = "mlp.experts.down_proj"};
  Experts::Stack columns = rows;
  columns.transposed = true;
  experts.stacks = {columns, rows};
  f.PlaceExperts(experts, LayersByStep(config));
  return BuildDecoder(f);
}

DecoderSpec ReadMellum(const Config& config) {
  Family f = ReadFamily(config,
                        {.default_kv_heads = 4, .default_head_dim = 128, .default_context = 131072},
                        {.turning = 0});
  NormalizeHeads(config, f);
  f.ropes = ReadRopesByWindow(config, {f.sizes.head_dim, f.sizes.context, 500000},
                              {f.sizes.head_dim, f.sizes.context, 10000});
  const std::vector<uint32_t> windows =
      ReadWindows(config, f.sizes, ReadWindow(config, 1024), [](uint32_t) { return false; });
  Experts experts = ReadQwen3Experts(config, f, 64, 8, 896);
  experts.normalize = config.Flag("norm_topk_prob", true);
  f.AddLayers(windows, {.full = 0, .sliding = 1});
  f.PlaceExperts(experts, SparseLayers(config, f.sizes, 0));
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
      {.name = "Qwen2VLTextModel",
       .model_type = "qwen2_vl_text",
       .read = ReadQwen2Vl,
       .gguf = "qwen2vl"},
      {.name = "Qwen2_5_VLTextModel", .model_type = "qwen2_5_vl_text", .read = ReadQwen2Vl},
      {.name = "Qwen3VLTextModel",
       .model_type = "qwen3_vl_text",
       .read = ReadQwen3Vl,
       .gguf = "qwen3vl",
       .add_gguf = AddBiases},
      {.name = "Qwen3VLMoeTextModel", .model_type = "qwen3_vl_moe_text", .read = ReadQwen3VlMoe},
      {.name = "MellumForCausalLM", .model_type = "mellum", .read = ReadMellum},
  };
}

}  // namespace rondo::convert
