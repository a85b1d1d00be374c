// What Gemma 3, 3n and 4 have in common.
#pragma once

#include <vector>

#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/config.h"

namespace rondo::convert {

// Rope 0 is of the layers that see everything, 1 of those with a window, which have a base of their
// own and no scaling.
std::vector<RopeSpec> ReadTwoRopes(const Config& config, const RopeRequest& request);

// The last `shared` layers read the keys and values of the last one of their kind before them.
void ShareKeys(const Config& config, uint32_t shared, Family& f);

// Of hidden_size_per_layer_input channels, unless there are none.
void AddLayerEmbeddings(const Config& config, Family& f);

}  // namespace rondo::convert
