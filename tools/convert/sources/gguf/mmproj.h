// Mmproj: what sees for a model whose text is a GGUF file, out of the file beside it that llama.cpp
// calls mmproj, in the terms of the Hugging Face folder that it was made from.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "tools/convert/sources/checkpoint.h"
#include "tools/convert/sources/config.h"
#include "tools/convert/sources/gguf/mmproj_rules.h"

namespace rondo::convert {

struct Mmproj {
  std::filesystem::path path;
  nlohmann::json whole;  // what config.json has beside the text's keys
  Config vision;         // its vision_config
  Config processor;      // preprocessor_config.json
  std::shared_ptr<const Checkpoint> checkpoint;
};

// Where a GGUF file says that it is one.
bool IsMmproj(const GgufFile& file);

// The one that goes with the text's model in `model`: `named`, or where that is empty the only file
// beside it that is called so; nothing where there is none. Throws Error where there are several.
std::optional<std::filesystem::path> FindMmproj(const std::filesystem::path& model,
                                                const std::filesystem::path& named);

// `text_hidden`: the text's hidden size, which what sees must give. Throws Error.
Mmproj OpenMmproj(const std::filesystem::path& path, FindMmprojRules find_rules,
                  uint64_t text_hidden);

}  // namespace rondo::convert
