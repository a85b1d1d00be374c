// What config.json says of a model, by the keys that many families have.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/convert/architectures/rope.h"
#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/config.h"

namespace rondo::convert {

struct Sizes {
  uint32_t vocab, hidden, intermediate, n_layers, n_heads, n_kv_heads, head_dim, context;
};

// Which keys of config.json hold the sizes, and what is meant where one is absent.
struct SizeKeys {
  const char* hidden = "hidden_size";
  const char* n_layers = "num_hidden_layers";
  const char* n_heads = "num_attention_heads";
  const char* context = "max_position_embeddings";
  const char* intermediate = "intermediate_size";  // null: there is none
  bool four_times = false;                         // hidden_size: where that is absent, or null
  uint32_t default_kv_heads = 0;                   // 0: as many as heads
  uint32_t default_head_dim = 0;                   // 0: hidden_size / num_attention_heads
  uint32_t default_context = 2048;
  const char* without_kv_heads = nullptr;  // a model that knows no num_key_value_heads
};

// Within limits.h, and such as divide each other as they must.
Sizes ReadSizes(const Config& config, const SizeKeys& keys = {});

// By transformers' names: silu, gelu, gelu_pytorch_tanh, ...
format::Activation ReadActivation(const Config& config, const char* key, const char* if_absent);

// sliding_window of the layers that `layer_types` calls sliding; where that list is absent, of
// those for which `slides` holds. 0: none. `window`: 0 where the model has no window at all.
std::vector<uint32_t> ReadWindows(const Config& config, const Sizes& sizes, uint64_t window,
                                  const std::function<bool(uint32_t layer)>& slides);
// Config's sliding_window; `if_absent` where the key is not there, 0 where it is null.
uint64_t ReadWindow(const Config& config, uint64_t if_absent);

// Which layers the list `key` calls `type`, where each is that or `other`; empty: it is absent.
std::vector<bool> ReadLayerTypes(const Config& config, const char* key, uint32_t n_layers,
                                 const std::string& type, const std::string& other);

}  // namespace rondo::convert
