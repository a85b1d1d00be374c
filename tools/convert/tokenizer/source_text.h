// SourceText: what a source says of text, its tokenizer and its chat templates.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/convert/sources/source.h"
#include "tools/convert/tokenizer/chat_source.h"

namespace rondo::convert {

struct SourceText {            // NOLINT(bugprone-exception-escape): as FolderTokenizer
  ChatSource chat;             // empty where there is none
  nlohmann::json tokenizer;    // in the form of tokenizer.json; null where there is none
  std::string tokenizer_file;  // for messages
};

// What is assumed is added to `notes`. Throws Error.
SourceText ReadSourceText(const Source& source, std::vector<std::string>& notes);

}  // namespace rondo::convert
