// The mergers behind Qwen's ViT: qwen2vl_merger, qwen2.5vl_merger, and qwen3vl_merger, which
// Qwen3.5 has, too. llama.cpp's converter splits the two frames of a patch, and in the older two
// queries, keys and values.
#include <string>
#include <utility>
#include <vector>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/mmproj/projectors.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

const std::string kPrefix = "model.visual.";

NameRules QwenNames(const std::string& merger_norm) {
  const std::string layer = kPrefix + "blocks.{}.";
  return {
      {"v.patch_embd", kPrefix + "patch_embed.proj"},
      {"v.patch_embd.weight", kPrefix + "patch_embed.proj.frame.0"},
      {"v.patch_embd.weight.{}", kPrefix + "patch_embed.proj.frame.{}"},
      {"v.position_embd", kPrefix + "pos_embed"},
      {"v.post_ln", kPrefix + merger_norm},
      {"v.blk.{}.ln1", layer + "norm1"},
      {"v.blk.{}.ln2", layer + "norm2"},
      {"v.blk.{}.attn_qkv", layer + "attn.qkv"},
      {"v.blk.{}.attn_q", layer + "attn.q"},
      {"v.blk.{}.attn_k", layer + "attn.k"},
      {"v.blk.{}.attn_v", layer + "attn.v"},
      {"v.blk.{}.attn_out", layer + "attn.proj"},
      {"v.blk.{}.ffn_gate", layer + "mlp.gate_proj"},
  };
}

MmprojRules OlderMerger(const char* model_type, const char* up, const char* down,
                        void (*add)(const GgufKeys&, MmprojConfigs&)) {
  NameRules names = QwenNames("merger.ln_q");
  names.push_back({"v.blk.{}.ffn_up", kPrefix + "blocks.{}.mlp." + up});
  names.push_back({"v.blk.{}.ffn_down", kPrefix + "blocks.{}.mlp." + down});
  return {model_type, names, add};
}

// `first`, `last`: the merger's layers.
void AddQwen(const GgufKeys& keys, const char* gelu, const char* first, const char* last,
             MmprojConfigs& configs) {
  Rename("mm.0", kPrefix + first, configs);
  Rename("mm.2", kPrefix + last, configs);
  json& vision = configs.vision;
  vision["depth"] = vision["num_hidden_layers"];
  vision["num_heads"] = vision["num_attention_heads"];
  vision["hidden_act"] = ActivationOf(keys, gelu);
  const char* const kMerge = "spatial_merge_size";
  vision[kMerge] = keys.Has(kMerge) ? keys.Count(kMerge, kMaxHidden) : 2;
  const std::string patch = kPrefix + "patch_embed.proj.";
  configs.joined.push_back(
      {patch + "weight", {patch + "frame.0", patch + "frame.1"}, JoinedTensor::Way::kFrames});
  for (uint64_t i = 0; i < keys.n_layers(); ++i) {
    const std::string attention = kPrefix + "blocks." + std::to_string(i) + ".attn.";
    for (const char* end : {".weight", ".bias"}) {
      const auto named = [&](const char* part) {
        return std::string(attention).append(part) + end;
      };
      configs.joined.push_back({named("qkv"), {named("q"), named("k"), named("v")}});
    }
  }
}

// Pixels of a picture; the file's own, where it has them.
void AddPixels(const GgufKeys& keys, uint64_t fewest, uint64_t most, json& processor) {
  const auto pixels = [&](const char* key, uint64_t if_absent) {
    return keys.Has(key) ? keys.Count(key, uint64_t{1} << 30) : if_absent;
  };
  processor["min_pixels"] = pixels("image_min_pixels", fewest);
  processor["max_pixels"] = pixels("image_max_pixels", most);
}

// As the published models of both have them.
void AddOlderPixels(const GgufKeys& keys, json& processor) {
  AddPixels(keys, 56 * 56, 28 * 28 * 16384, processor);
}

void AddQwen2(const GgufKeys& keys, MmprojConfigs& configs) {
  AddQwen(keys, "gelu", "merger.mlp.0", "merger.mlp.2", configs);
  configs.vision["embed_dim"] = configs.vision["hidden_size"];
  configs.vision.erase("hidden_size");  // here it is the text's
  AddOlderPixels(keys, configs.processor);
}

void AddQwen25(const GgufKeys& keys, MmprojConfigs& configs) {
  AddQwen(keys, "gelu", "merger.mlp.0", "merger.mlp.2", configs);
  AddOlderPixels(keys, configs.processor);
  // The last layer of so many sees all.
  const uint64_t period = keys.Count("n_wa_pattern", kMaxLayers);
  json& whole = configs.vision["fullatt_block_indexes"] = json::array();
  for (uint64_t i = period; i <= keys.n_layers(); i += period) whole.push_back(i - 1);
  configs.vision["window_size"] =
      keys.Has("window_size") ? keys.Count("window_size", 1u << 14) : 112;
}

void AddQwen3(const GgufKeys& keys, MmprojConfigs& configs) {
  AddQwen(keys, "gelu_pytorch_tanh", "merger.linear_fc1", "merger.linear_fc2", configs);
  configs.vision["num_position_embeddings"] = DimensionOf(keys, "v.position_embd.weight", 0);
  AddPixels(keys, 65536, 16777216, configs.processor);
  json& layers = configs.vision["deepstack_visual_indexes"] = json::array();
  const char* const kLayers = "is_deepstack_layers";
  if (!keys.Has(kLayers)) return;
  const std::vector<uint64_t> has_merger = keys.PerLayer(kLayers, 1);
  for (size_t i = 0; i < has_merger.size(); ++i) {
    if (has_merger[i] == 0) continue;
    // In the file they are called by their layers, in the checkpoint counted.
    const std::string ours = kPrefix + "deepstack_merger_list." + std::to_string(layers.size());
    const std::string theirs = "v.deepstack." + std::to_string(i);
    Rename(theirs + ".norm", ours + ".norm", configs);
    Rename(theirs + ".fc1", ours + ".linear_fc1", configs);
    Rename(theirs + ".fc2", ours + ".linear_fc2", configs);
    layers.push_back(i);
  }
}

}  // namespace

MmprojRules Qwen2Mmproj() { return OlderMerger("qwen2_vl", "fc1", "fc2", AddQwen2); }

MmprojRules Qwen25Mmproj() { return OlderMerger("qwen2_5_vl", "up_proj", "down_proj", AddQwen25); }

MmprojRules Qwen3Mmproj() {
  NameRules names = QwenNames("merger.norm");
  names.push_back({"v.blk.{}.ffn_up", kPrefix + "blocks.{}.mlp.linear_fc1"});
  names.push_back({"v.blk.{}.ffn_down", kPrefix + "blocks.{}.mlp.linear_fc2"});
  return {"qwen3_vl", names, AddQwen3};
}

}  // namespace rondo::convert
