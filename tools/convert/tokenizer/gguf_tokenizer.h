// The tokenizer of a GGUF file in the form of a tokenizer.json.
#pragma once

#include <string>
#include <vector>

#include "tools/convert/sources/config.h"

namespace rondo::convert {

// From tokenizer.ggml.*: byte-level BPE (model gpt2), SentencePiece's BPE (llama, and gemma4, which
// has its merges) and Unigram (t5).
// `keys`: all keys of the file, as GgufKeys::all() has them; `metadata`: the same as JSON; `file`
// for messages. Null, with a note, where there is no tokenizer. Throws Error naming the file and
// the key.
nlohmann::json ReadGgufTokenizer(const Config& keys, const nlohmann::json& metadata,
                                 const std::string& file, std::vector<std::string>& notes);

}  // namespace rondo::convert
