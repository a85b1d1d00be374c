// From a Hugging Face folder's tokenizer.json to the tables of runtime/model/tokenizer.fbs.
#pragma once

#include <filesystem>

#include "rondo_generated.h"
#include "tools/convert/section_sink.h"

namespace rondo::convert {

// Reads `directory`/tokenizer.json, puts its tables into `sink` and returns the tokenizer's
// metadata, built in `builder`; no other table may be under construction there.
// Throws Error, naming the file and the key, for anything missing, malformed or not supported.
flatbuffers::Offset<format::Tokenizer> CompileTokenizer(const std::filesystem::path& directory,
                                                        SectionSink& sink,
                                                        flatbuffers::FlatBufferBuilder& builder);

}  // namespace rondo::convert
