// The architectures that the converter knows: each turns config.json into a DecoderSpec.
#pragma once

#include "tools/convert/config.h"
#include "tools/convert/decoder_spec.h"

namespace rondo::convert {

// By config.json's `architectures`, or `model_type` where that is absent. Throws Error naming the
// architecture and those known, or the key that is wrong. Token ids are the caller's to add.
DecoderSpec ReadArchitecture(const Config& config);

// Llama 2, 3 and their kin: RMSNorm, rotary positions, grouped queries, SwiGLU.
DecoderSpec ReadLlama(const Config& config);

}  // namespace rondo::convert
