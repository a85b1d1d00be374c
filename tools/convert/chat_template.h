// The chat templates of a model, from the places where its makers put them.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "rondo_generated.h"

namespace rondo::convert {

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

struct ChatSource {
  NamedTexts templates;  // name and Jinja text; the first serves where no other is asked for
  NamedTexts tokens;     // "bos_token" and its text, and the like
};

// From a Hugging Face folder: chat_template.jinja and additional_chat_templates/, else
// tokenizer_config.json or chat_template.json (one text, or a list of named ones). Empty where
// there is none. Throws Error, naming the file and the key, for what cannot be read.
ChatSource ReadChat(const std::filesystem::path& directory);

// The metadata of the file; null without templates and tokens. A template that Rondo cannot read,
// or that names what it does not have, is kept, with a note. Throws Error for templates beyond the
// limits of a file.
flatbuffers::Offset<format::Chat> BuildChat(const ChatSource& source,
                                            flatbuffers::FlatBufferBuilder& builder,
                                            std::vector<std::string>& notes);

}  // namespace rondo::convert
