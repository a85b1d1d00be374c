// The matrices of attention by name.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rondo {

struct AttentionMatrix {
  enum : size_t { kQkv, kOutput };
};

// What Attention.kv_layer says in place of a layer.
inline constexpr int32_t kOwnKeys = -1;
inline constexpr int32_t kKeysOfOther = -2;  // of the model that an assistant drafts for

}  // namespace rondo
