// Which of transformers' tokenizer classes reads a folder, and what that class does itself.
#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "tools/convert/tokenizer/tokenizer_config.h"

namespace rondo::convert {

// kFile: one that takes tokenizer.json as it is.
enum class TokenizerClass { kFile, kLlama, kGpt2, kQwen2, kGptNeoX };

// What AutoTokenizer chooses, from tokenizer_class and from the model_type of a config.json.
TokenizerClass ClassOf(const TokenizerConfig& config);

// Puts the class's own normaliser, pre-tokeniser and decoder into `document`, in the form of a
// tokenizer.json. Nothing for kFile.
void PutPipeline(TokenizerClass of, const TokenizerConfig& config, nlohmann::json& document);

// A token that the class has where the folder does not name it: null, or its text.
const char* DefaultToken(TokenizerClass of, const std::string& key);

}  // namespace rondo::convert
