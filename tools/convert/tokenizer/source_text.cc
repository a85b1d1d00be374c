#include "tools/convert/tokenizer/source_text.h"

#include <utility>

#include "tools/convert/tokenizer/folder.h"
#include "tools/convert/tokenizer/folder_chat.h"
#include "tools/convert/tokenizer/gguf_chat.h"
#include "tools/convert/tokenizer/gguf_tokenizer.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;

SourceText OfFolder(const fs::path& directory, std::vector<std::string>& notes) {
  SourceText text;
  text.chat = ReadFolderChat(directory);
  const fs::path tokenizer = FindTokenizer(directory);
  if (tokenizer.empty()) {
    notes.push_back(
        "no tokenizer.json, tokenizer.model, *.tiktoken, or vocab.json with merges.txt: the file "
        "takes and gives token ids only");
    return text;
  }
  text.tokenizer_file = tokenizer.string();
  FolderTokenizer read = ReadFolderTokenizer(tokenizer);
  text.tokenizer = std::move(read.document);
  notes.insert(notes.end(), read.notes.begin(), read.notes.end());
  return text;
}

SourceText OfGguf(const fs::path& path, const GgufKeys& keys, std::vector<std::string>& notes) {
  SourceText text;
  const nlohmann::json& metadata = keys.file().metadata();
  text.chat = ReadGgufChat(keys.all(), metadata, notes);
  text.tokenizer_file = path.string() + ", read as a tokenizer.json";
  text.tokenizer = ReadGgufTokenizer(keys.all(), metadata, text.tokenizer_file, notes);
  return text;
}

}  // namespace

SourceText ReadSourceText(const Source& source, std::vector<std::string>& notes) {
  return source.gguf == nullptr ? OfFolder(source.path, notes)
                                : OfGguf(source.path, *source.gguf, notes);
}

}  // namespace rondo::convert
