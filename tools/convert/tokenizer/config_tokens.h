// Special tokens that the files beside a tokenizer add to those of its own, as transformers does.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/convert/tokenizer/tokenizer_class.h"
#include "tools/convert/tokenizer/tokenizer_config.h"

namespace rondo::convert {

// Adds what `config` names to the `added_tokens` of `document`, in the form of a tokenizer.json:
// one that is there takes the flags given here, one of the vocabulary becomes an added token, any
// other takes the next id. Where the document has no post_processor, add_bos_token and
// add_eos_token say what stands around a text. `source` is the file that complaints name, `notes`
// takes what was left out. Throws Error.
void AddConfigTokens(TokenizerClass of, const TokenizerConfig& config, const std::string& source,
                     nlohmann::json& document, std::vector<std::string>& notes);

}  // namespace rondo::convert
