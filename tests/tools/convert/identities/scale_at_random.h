// The same model otherwise: each identity's channels scaled at random.
#pragma once

#include <cstdint>

#include "tools/convert/output/decoder_spec.h"

namespace rondo::convert {

// One in four of the channels of each identity that has no restriction, by powers of two from 1/64
// to 64.
void ScaleAtRandom(uint32_t seed, DecoderSpec& spec);

}  // namespace rondo::convert
