// The chat templates of a GGUF file.
#pragma once

#include "tools/convert/sources/config.h"
#include "tools/convert/tokenizer/chat_source.h"

namespace rondo::convert {

// From tokenizer.chat_template, and those that tokenizer.chat_templates names; with the texts of
// the special tokens. `keys`: all keys of the file; `metadata`: the same as JSON. Empty where there
// is none. Throws Error naming the file and the key.
ChatSource ReadGgufChat(const Config& keys, const nlohmann::json& metadata,
                        std::vector<std::string>& notes);

}  // namespace rondo::convert
