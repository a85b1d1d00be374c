// The position embedding of a Hugging Face config, folded into one frequency per pair of channels.
#pragma once

#include "tools/convert/config.h"
#include "tools/convert/decoder_spec.h"

namespace rondo::convert {

// Reads `rope_parameters` (transformers 5) or `rope_theta` and `rope_scaling` (earlier). Known
// types: default, linear, llama3, yarn; others are refused by name. `context_length`:
// max_position_embeddings. Values go through float32 where they do in transformers.
RopeSpec ReadRope(const Config& config, uint32_t head_dim, uint32_t context_length);

}  // namespace rondo::convert
