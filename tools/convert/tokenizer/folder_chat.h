// The chat templates of a checkpoint's folder, from the places where its makers put them.
#pragma once

#include <filesystem>

#include "tools/convert/tokenizer/chat_source.h"

namespace rondo::convert {

// From chat_template.jinja and additional_chat_templates/, else tokenizer_config.json or
// chat_template.json (one text, or a list of named ones). Empty where there is none. Throws Error,
// naming the file and the key, for what cannot be read.
ChatSource ReadFolderChat(const std::filesystem::path& directory);

}  // namespace rondo::convert
