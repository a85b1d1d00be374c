// Byte-level BPE in GPT-2's two files: vocab.json and merges.txt.
#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

namespace rondo::convert {

// Their content in the form of a tokenizer.json without pipeline and added tokens. Throws Error
// naming the file and the line.
nlohmann::json VocabAndMergesJson(const std::filesystem::path& vocab,
                                  const std::filesystem::path& merges);

}  // namespace rondo::convert
