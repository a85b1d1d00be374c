// What Gemma 3, 3n and 4 have in common.
#pragma once

#include <vector>

#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/config.h"
#include "tools/convert/sources/gguf/keys.h"
#include "tools/convert/sources/gguf/tensor_names.h"

namespace rondo::convert {

// What layers of 3n and 4 are like: norms before and behind attention and MLP and of each head, of
// values, too; scores that no factor makes smaller.
void ReadGemmaLayers(const Config& config, Family& f);

// Rope 0 is of the layers that see everything, 1 of those with a window, which have a base of their
// own and no scaling.
std::vector<RopeSpec> ReadTwoRopes(const Config& config, const RopeRequest& request);

// The last `shared` layers read the keys and values of the last one of their kind before them.
void ShareKeys(const Config& config, uint32_t shared, Family& f);

// Behind the MLPs; of hidden_size_per_layer_input channels, unless there are none.
void AddLayerEmbeddings(const Config& config, Family& f);

// What files of 3n and 4 say of the layers' embeddings, windows and shared keys: their names, and
// their keys but for those of RoPE. Every `period`-th layer sees everything where no key says
// which.
NameRules GemmaNames();
void AddGemmaLayers(const GgufKeys& keys, uint64_t period, nlohmann::json& config);

}  // namespace rondo::convert
