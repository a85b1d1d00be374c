// The scales of a model's channels, chosen before its weights get few bits.
#pragma once

#include <cstdint>
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
// that of weights are, too. Where weights have fewer bits, a channel that is loud on both sides is
// left to the rows, as far as their bits reach further. A power of two, so that in float32 the
// model stays the same to the bit. Channels that are nearly so already stay as they are, as do
// those beside a tensor that `keeps_bits`. `weight_bits`: 2 to 8. Throws Error.
ChannelScales ScaleChannels(const Checkpoint& checkpoint,
                            const std::function<bool(const TensorRecipe&)>& keeps_bits,
                            uint32_t weight_bits, DecoderSpec& spec);

}  // namespace rondo::convert
