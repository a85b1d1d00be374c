// From a GGUF file's metadata to the config.json that the model came with, as far as it is needed.
#pragma once

#include "tools/convert/sources/gguf/keys.h"

namespace rondo::convert {

// In the form of transformers 5 (`rope_parameters`), with the ids of the tokens that begin and end
// a text. Throws Error naming the file and the key that is missing, wrong or not known.
nlohmann::json ReadGgufConfig(const GgufKeys& keys);

// Above 0 where the layers have experts.
uint64_t ExpertCount(const GgufKeys& keys);

}  // namespace rondo::convert
