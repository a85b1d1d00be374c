// The tokens that end a generation though no eos_token_id names them.
#pragma once

#include <string>
#include <vector>

#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/tokenizer/source_text.h"

namespace rondo::convert {

// Adds to spec.eos_tokens the tokenizer's eos_token, the token that the chat template writes behind
// an answer, and the special tokens that are known by their text to end a turn ("<|im_end|>"):
// many a model says so in one of these places only, and its chat would not end. Each is told in a
// note, and where there is no end token at all that is.
void AddEndTokens(const SourceText& source, DecoderSpec& spec, std::vector<std::string>& notes);

}  // namespace rondo::convert
