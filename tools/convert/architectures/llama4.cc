// Llama 4, the text model: chunks, layers without RoPE, one expert beside a shared one, weighed
// where it reads.
#include <algorithm>
#include <memory>

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
  const auto chunk =
      static_cast<uint32_t>(config.Mentions("attention_chunk_size")
                                ? config.Integer("attention_chunk_size", 1, kMaxContext, 0)
                                : 8192);
  std::vector<bool> chunked =
      ReadLayerTypes(config, "layer_types", static_cast<uint32_t>(turn.size()), "chunked_attention",
                     "full_attention");
  if (chunked.empty()) chunked = turn;
  std::vector<uint32_t> chunks;
  for (const bool one : chunked) chunks.push_back(one ? chunk : 0);
  return chunks;
}

// Of layers that do not turn; null: none.
std::unique_ptr<format::QueryScaleT> QueryScale(const Config& config) {
  if (!config.Flag("attn_temperature_tuning", true)) return nullptr;
  auto scale = std::make_unique<format::QueryScaleT>();
  scale->factor = static_cast<float>(config.Positive("attn_scale", 0.1));
  scale->period = config.Count("floor_scale", kMaxContext, 8192);
  scale->offset = 1;
  return scale;
}

Experts ReadSharedExperts(const Config& config, const Family& f) {
  Experts experts = ReadExperts(config, f,
                                {.default_experts = 16,
                                 .default_used = 1,
                                 .intermediate = "intermediate_size",
                                 .default_intermediate = 8192});
  experts.names.router = "feed_forward.router";
  experts.names.expert = "feed_forward.experts.";
  experts.scoring = format::Scoring::kSigmoid;
  experts.weigh_input = true;
  experts.stacks = {{.gate_up = "feed_forward.experts.gate_up_proj",
                     .down = "feed_forward.experts.down_proj",
                     .transposed = true}};
  experts.Share("feed_forward.shared_expert.", experts.intermediate_size);
  return experts;
}

DecoderSpec ReadLlama4(const Config& config) {
  Family f = ReadFamily(config,
                        {.intermediate = "intermediate_size_mlp",
                         .default_kv_heads = 8,
                         .default_head_dim = 128,
                         .default_context = 131072},
                        {.epsilon = 1e-5, .theta = 500000, .attention_bias = false});
  f.mlp.names.gate = "feed_forward.gate_proj";
  f.mlp.names.up = "feed_forward.up_proj";
  f.mlp.names.down = "feed_forward.down_proj";
  f.attention.rope_pairs = RopePairs::kNeighbours;
  const std::vector<bool> turn = TurningLayers(config, f.sizes.n_layers);
  const std::vector<uint32_t> chunks = Chunks(config, turn);
  const bool normalizes = config.Flag("use_qk_norm", true);
  const std::unique_ptr<format::QueryScaleT> scale = QueryScale(config);
  f.attention.norms_after_rope = normalizes;
  f.AddLayers();
  for (uint32_t i = 0; i < f.sizes.n_layers; ++i) {
    Attention& attention = f.layers[i].attention();
    attention.rope = turn[i] ? 0 : -1;
    attention.chunk = chunks[i];
    if (turn[i] && normalizes) attention.head_norm = HeadNorm::kPlain;
    if (!turn[i] && scale) attention.query_scale = std::make_unique<format::QueryScaleT>(*scale);
  }
  const std::vector<uint64_t> layers = config.Integers("moe_layers", kMaxLayers);
  const uint64_t step = config.Integer("interleave_moe_layer_step", 1, kMaxLayers, 1);
  const bool listed = config.Has("moe_layers");
  f.PlaceExperts(ReadSharedExperts(config, f), [&](uint32_t i) {
    return listed ? std::ranges::find(layers, i) != layers.end() : (i + 1) % step == 0;
  });
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
