#include "tools/convert/architectures/mmproj/projectors.h"

#include <utility>

#include "runtime/model/limits.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert {

NameRules SiglipNames(const std::string& prefix) {
  const std::string layer = prefix + "encoder.layers.{}.";
  return {
      {"v.patch_embd", prefix + "embeddings.patch_embedding"},
      {"v.position_embd", prefix + "embeddings.position_embedding"},
      {"v.post_ln", prefix + "post_layernorm"},
      {"v.blk.{}.ln1", layer + "layer_norm1"},
      {"v.blk.{}.ln2", layer + "layer_norm2"},
      {"v.blk.{}.attn_q", layer + "self_attn.q_proj"},
      {"v.blk.{}.attn_k", layer + "self_attn.k_proj"},
      {"v.blk.{}.attn_v", layer + "self_attn.v_proj"},
      {"v.blk.{}.attn_out", layer + "self_attn.out_proj"},
      {"v.blk.{}.ffn_up", layer + "mlp.fc1"},
      {"v.blk.{}.ffn_down", layer + "mlp.fc2"},
  };
}

std::string ActivationOf(const GgufKeys& keys, const char* gelu) {
  if (keys.all().Flag("clip.use_silu", false)) return "silu";
  return keys.all().Flag("clip.use_gelu", false) ? gelu : "quick_gelu";
}

uint64_t DimensionOf(const GgufKeys& keys, const std::string& tensor, size_t dimension) {
  const auto found = keys.file().tensors().find(tensor);
  if (found == keys.file().tensors().end()) {
    Fail(keys.file().path(), ": tensor ", tensor, " is missing");
  }
  const std::vector<uint64_t>& shape = found->second.shape;
  if (dimension >= shape.size()) {
    Fail(keys.file().path(), ": tensor ", tensor, " has ", shape.size(),
         " dimensions, expected more than ", dimension);
  }
  return shape[dimension];
}

void CheckGrid(const GgufKeys& keys, uint64_t more) {
  const char* const kTable = "v.position_embd.weight";
  const uint64_t side = keys.Count("image_size", kMaxHidden) / keys.Count("patch_size", kMaxHidden);
  const GgufFile::Tensor* const table =
      keys.HasTensor(kTable) ? &keys.file().tensors().at(kTable) : nullptr;
  if (table == nullptr) Fail(keys.file().path(), ": tensor ", kTable, " is missing");
  const uint64_t rows = table->elements() / table->shape.back();
  if (rows == side * side + more) return;
  keys.Refuse("image_size", "gives a grid of " + std::to_string(side) + " x " +
                                std::to_string(side) + " patches, but tensor " + kTable + " has " +
                                std::to_string(rows) + " positions");
}

void Rename(const std::string& theirs, const std::string& ours, MmprojConfigs& configs) {
  for (const std::string end : {".weight", ".bias"}) {
    configs.joined.push_back({ours + end, {theirs + end}});
  }
}

void AddTiles(const GgufKeys& keys, const char* fewest, const char* most, MmprojConfigs& configs) {
  for (const auto& [theirs, ours] :
       {std::pair("preproc_min_tiles", fewest), {"preproc_max_tiles", most}}) {
    if (keys.Has(theirs)) configs.processor[ours] = keys.Count(theirs, 256);
  }
}

uint64_t ScaleFactor(const GgufKeys& keys, uint64_t if_absent) {
  const char* const kKey = "projector.scale_factor";
  return keys.Has(kKey) ? keys.Count(kKey, kMaxHidden) : if_absent;
}

}  // namespace rondo::convert
