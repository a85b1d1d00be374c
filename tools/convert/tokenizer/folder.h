// The tokenizer of a checkpoint's folder, whatever its form, as a tokenizer.json.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace rondo::convert {

// The document of another library is moved, and its move is not marked as one that cannot throw.
struct FolderTokenizer {           // NOLINT(bugprone-exception-escape)
  nlohmann::json document;         // in the form of a tokenizer.json
  std::vector<std::string> notes;  // what was assumed, a sentence each
};

// The file in `directory` that the tokenizer is read from: tokenizer.json, else tokenizer.model or
// spiece.model, else the only *.tiktoken, else vocab.json with merges.txt; empty: there is none.
std::filesystem::path FindTokenizer(const std::filesystem::path& directory);

// Reads `path`, one of those, with what the files beside it say: tokenizer_config.json
// (added_tokens_decoder, bos_token, eos_token, add_bos_token, add_eos_token, legacy,
// tokenizer_class, pat_str), special_tokens_map.json, added_tokens.json, and config.json's
// model_type. What they mean is what transformers 5.12's AutoTokenizer makes of them. Throws Error
// naming the file and the key.
FolderTokenizer ReadFolderTokenizer(const std::filesystem::path& path);

}  // namespace rondo::convert
