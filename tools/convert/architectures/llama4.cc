// Llama 4, the text model: chunks, layers without RoPE, one expert beside a shared one, weighed
// where it reads.
#include <algorithm>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

// Which layers turn; against what the key is called.
std::vector<bool> TurningLayers(const Config& config, uint32_t n_layers) {
  const char* const kKey = "no_rope_layers";
  const std::vector<uint64_t> listed = config.Integers(kKey, 1);
  const uint64_t interval = config.Integer("no_rope_layer_interval", 1, kMaxLayers, 4);
  if (!listed.empty() && listed.size() != n_layers) {
    config.Refuse(kKey, "does not have an entry for each layer");
  }
  std::vector<bool> turn;
  for (uint32_t i = 0; i < n_layers; ++i) {
    turn.push_back(listed.empty() ? (i + 1) % interval != 0 : listed[i] != 0);
  }
  return turn;
}

// Of layers whose type is chunked_attention; where no types are listed, of those that turn.
std::vector<uint32_t> Chunks(const Config& config, const std::vector<bool>& turn) {
  const char* const kTypes = "layer_types";
  const auto chunk =
      static_cast<uint32_t>(config.Mentions("attention_chunk_size")
                                ? config.Integer("attention_chunk_size", 1, kMaxContext, 0)
                                : 8192);
  const std::vector<std::string> types = config.Texts(kTypes);
  if (!types.empty() && types.size() != turn.size()) {
    config.Refuse(kTypes, "does not have an entry for each layer");
  }
  std::vector<uint32_t> chunks;
  for (size_t i = 0; i < turn.size(); ++i) {
    if (!types.empty() && types[i] != "chunked_attention" && types[i] != "full_attention") {
      config.Refuse(kTypes, "holds " + types[i] + "; known: chunked_attention, full_attention");
    }
    const bool chunked = types.empty() ? turn[i] : types[i] == "chunked_attention";
    chunks.push_back(chunked ? chunk : 0);
  }
  return chunks;
}

void ScaleQueries(const Config& config, const std::vector<bool>& turn, Family& f) {
  if (!config.Flag("attn_temperature_tuning", true)) return;
  format::QueryScaleT scale;
  scale.factor = static_cast<float>(config.Positive("attn_scale", 0.1));
  scale.period = static_cast<uint32_t>(config.Integer("floor_scale", 1, kMaxContext, 8192));
  scale.offset = 1;
  for (const bool turns : turn) {
    f.layer_query_scale.push_back(turns ? format::QueryScaleT() : scale);
  }
}

Family::Experts Experts(const Config& config, const Family& f) {
  Family::Experts experts = ReadExperts(config, f,
                                        {.default_experts = 16,
                                         .default_used = 1,
                                         .intermediate = "intermediate_size",
                                         .default_intermediate = 8192});
  experts.router = "feed_forward.router";
  experts.expert = "feed_forward.experts.";
  experts.scoring = format::Scoring::kSigmoid;
  experts.weigh_input = true;
  experts.stacks = {{.gate_up = "feed_forward.experts.gate_up_proj",
                     .down = "feed_forward.experts.down_proj",
                     .transposed = true}};
  experts.shared = Family::Experts::Shared{.gate = "feed_forward.shared_expert.gate_proj",
                                           .up = "feed_forward.shared_expert.up_proj",
                                           .down = "feed_forward.shared_expert.down_proj",
                                           .intermediate = experts.intermediate};
  return experts;
}

DecoderSpec ReadLlama4(const Config& config) {
  Family f(ReadSizes(config, {.intermediate = "intermediate_size_mlp",
                              .default_kv_heads = 8,
                              .default_head_dim = 128,
                              .default_context = 131072}));
  f.epsilon = config.Positive("rms_norm_eps", 1e-5);
  f.activation = ReadActivation(config, "hidden_act", "silu");
  f.qkv_bias = f.output_bias = config.Flag("attention_bias", false);
  f.gate = "feed_forward.gate_proj";
  f.up = "feed_forward.up_proj";
  f.down = "feed_forward.down_proj";
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context, 500000})};
  f.rope_pairs = Family::RopePairs::kNeighbours;
  f.tied = config.Flag("tie_word_embeddings", false);
  const std::vector<bool> turn = TurningLayers(config, f.sizes.n_layers);
  for (const bool turns : turn) f.layer_rope.push_back(turns ? 0 : -1);
  f.layer_chunk = Chunks(config, turn);
  if (config.Flag("use_qk_norm", true)) {
    f.head_norm = Family::HeadNorm::kPlain;
    f.head_norm_after_rope = true;
    f.layer_head_norm = turn;
  }
  ScaleQueries(config, turn, f);
  f.experts = Experts(config, f);
  const std::vector<uint64_t> layers = config.Integers("moe_layers", kMaxLayers);
  const uint64_t step = config.Integer("interleave_moe_layer_step", 1, kMaxLayers, 1);
  const bool listed = config.Has("moe_layers");
  f.has_experts = [=](uint32_t i) {
    return listed ? std::ranges::find(layers, i) != layers.end() : (i + 1) % step == 0;
  };
  return BuildDecoder(f);
}

void AddLlama4(const GgufKeys& keys, nlohmann::json& config) {
  AddBiases(keys, config);
  AddExperts(keys, "num_local_experts", config);
  CheckGating(keys, Gating::kSigmoid);
  config["intermediate_size_mlp"] = config["intermediate_size"];
  config["intermediate_size"] = keys.Count("expert_feed_forward_length", kMaxIntermediate);
  config["interleave_moe_layer_step"] = keys.Count("interleave_moe_layer_step", kMaxLayers, 1);
  // Not in the file: the one with 128 experts has no norms of q and k.
  config["use_qk_norm"] = config["num_local_experts"] != 128;
}

}  // namespace

std::vector<Architecture> Llama4Architectures() {
  const NameRules names = {
      {"blk.{}.ffn_gate", "model.layers.{}.feed_forward.gate_proj"},
      {"blk.{}.ffn_up", "model.layers.{}.feed_forward.up_proj"},
      {"blk.{}.ffn_down", "model.layers.{}.feed_forward.down_proj"},
      {"blk.{}.ffn_gate_inp", "model.layers.{}.feed_forward.router"},
      {"blk.{}.ffn_gate_exps", "model.layers.{}.feed_forward.experts.{}.gate_proj",
       Change::kExperts},
      {"blk.{}.ffn_up_exps", "model.layers.{}.feed_forward.experts.{}.up_proj", Change::kExperts},
      {"blk.{}.ffn_down_exps", "model.layers.{}.feed_forward.experts.{}.down_proj",
       Change::kExperts},
      {"blk.{}.ffn_gate_shexp", "model.layers.{}.feed_forward.shared_expert.gate_proj"},
      {"blk.{}.ffn_up_shexp", "model.layers.{}.feed_forward.shared_expert.up_proj"},
      {"blk.{}.ffn_down_shexp", "model.layers.{}.feed_forward.shared_expert.down_proj"},
  };
  return {{.name = "Llama4ForCausalLM",
           .model_type = "llama4_text",
           .read = ReadLlama4,
           .gguf = "llama4",
           .add_gguf = AddLlama4,
           .gguf_names = With(UsualNames(), names)}};
}

}  // namespace rondo::convert
