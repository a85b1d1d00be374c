// The scales of a model's channels, chosen before its weights get few bits.
#pragma once

#include <functional>
#include <string>

#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

struct ChannelScales {
  std::string fact;          // which were changed and which could not be, for `rondo inspect`
  bool beside_kept = false;  // some were left beside what keeps its bits
};

// Of equal checkpoints one may have a norm's gain of 64 where another has 1, and what reads it 64
// times smaller: in float they are one model, in few bits they are not. Each channel that an
// identity leads to gets the power of two, in `spec`'s recipes, by which its share of what it
// enters and its share of what reads it are about as large: then the error of rows in 8 bits and
// that of weights are, too. A power of two, so that in float32 the model stays the same to the bit.
// Channels that are nearly so already stay as they are, as do those beside a tensor that
// `keeps_bits`. Throws Error.
ChannelScales ScaleChannels(const Checkpoint& checkpoint,
                            const std::function<bool(const TensorRecipe&)>& keeps_bits,
                            DecoderSpec& spec);

}  // namespace rondo::convert
