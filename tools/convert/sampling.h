// How the makers of a model recommend to sample from it.
#pragma once

#include <string>
#include <vector>

#include "rondo_generated.h"
#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/config.h"

namespace rondo::convert {

// `spec` has the vocabulary and the end tokens. From a generation_config.json, or a config.json
// that holds its keys, as transformers reads it: without do_sample the most likely token is taken;
// with it an absent temperature is 1, top_k 50 and top_p 1 (off). The repetition penalty looks back
// over the whole sequence there, over the most that a session can here. What a list holds that no
// session takes is told in `notes` and left out. Null where nothing is recommended but the most
// likely token. Throws Error for numbers that no session takes.
flatbuffers::Offset<format::Sampling> BuildSampling(const Config& generation,
                                                    const DecoderSpec& spec,
                                                    flatbuffers::FlatBufferBuilder& builder,
                                                    std::vector<std::string>& notes);

}  // namespace rondo::convert
