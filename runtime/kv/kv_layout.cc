#include "runtime/kv/kv_layout.h"

#include "runtime/base/checked.h"

namespace rondo {

Result<KvLayout> KvLayout::Create(const KernelSet& set, KvFormat format,
                                  std::span<const Heads> layers) {
  KvLayout layout;
  RONDO_ASSIGN(layout.layers_, HeapArray<Layer>::Create(layers.size()));
  CheckedSize bytes = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    layout.layers_[i] = {bytes.value(), KvPage(set, format, layers[i].head_dim)};
    bytes = bytes + CheckedSize(layers[i].n_kv_heads) * layout.layers_[i].page.bytes();
  }
  if (!bytes.valid()) {
    return Status::Error(StatusCode::kOutOfMemory, "one KV block is larger than memory");
  }
  layout.block_bytes_ = bytes.value();
  return layout;
}

}  // namespace rondo
