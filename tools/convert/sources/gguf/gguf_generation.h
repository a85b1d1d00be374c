// The recommended sampling of a GGUF file, in the form of a generation_config.json.
#pragma once

#include <nlohmann/json.hpp>

#include "tools/convert/sources/config.h"

namespace rondo::convert {

// From general.sampling.*, which llama.cpp's converter copies out of a generation_config.json, but
// for do_sample: true where a temperature above 0 or a choice among tokens is there. `keys`: all
// keys of the file. An empty object where there is none. Throws Error naming the file and the key.
nlohmann::json ReadGgufGeneration(const Config& keys);

}  // namespace rondo::convert
