// How the makers of a model recommend to sample from it.
#pragma once

#include "rondo_generated.h"
#include "tools/convert/sources/config.h"

namespace rondo::convert {

// From a generation_config.json, or a config.json that holds its keys, as transformers reads it:
// without do_sample the most likely token is taken; with it an absent temperature is 1, top_k 50
// and top_p 1 (off). The repetition penalty looks back over the whole sequence there, over the most
// that a session can here. Null where nothing is recommended but the most likely token. Throws
// Error for what no session takes.
flatbuffers::Offset<format::Sampling> BuildSampling(const Config& generation,
                                                    flatbuffers::FlatBufferBuilder& builder);

}  // namespace rondo::convert
