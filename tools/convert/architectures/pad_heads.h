// PadHeads: heads of any number of channels, for a runtime that has them in eights.
#pragma once

#include "tools/convert/output/decoder_spec.h"

namespace rondo::convert {

// Behind the channels of each head of attention that are no multiple of 8 come such as are zero
// wherever they are made, and that nothing reads: scores, and what is made of values, stay as they
// are. Which channels turn together stays, too: none of these do. Throws Error where a LayerNorm is
// over a head's channels, whose mean would be another.
void PadHeads(DecoderSpec& spec);
// The same of what sees for it, whose tensors are `spec`'s.
void PadHeads(format::ModelT& vision, DecoderSpec& spec);

}  // namespace rondo::convert
