// From tokenizer.json, or what stands for it, to the tables of runtime/model/tokenizer.fbs.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "rondo_generated.h"
#include "tools/convert/common/section_sink.h"

namespace rondo::convert {

// Compiles `document`, which has the form of a Hugging Face tokenizer.json: puts its tables into
// `sink` and returns the tokenizer's metadata, built in `builder`; no other table may be under
// construction there. `source` is the file that complaints name ("dir/tokenizer.json", or the file
// that the document was made from). Other formats are first put into this form: pieces with scores
// by SentencePieceJson (sentencepiece.h), bytes with ranks by BytePairJson (byte_pair.h).
// The model has rows for `model_tokens` tokens. Throws Error, naming the source and the key, for
// anything missing, malformed or not supported.
flatbuffers::Offset<format::Tokenizer> CompileTokenizer(const nlohmann::json& document,
                                                        const std::string& source,
                                                        uint32_t model_tokens, SectionSink& sink,
                                                        flatbuffers::FlatBufferBuilder& builder);

}  // namespace rondo::convert
