// A checkpoint with a LoRA adapter added to its weights, as the model that it is of runs with it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

// `spec`: of the model, not yet fitted to `base`. What is left out is said in `notes`. Throws
// Error.
std::shared_ptr<const Checkpoint> Merge(const std::filesystem::path& adapter,
                                        const DecoderSpec& spec,
                                        const std::shared_ptr<const Checkpoint>& base,
                                        std::vector<std::string>& notes);

}  // namespace rondo::convert
