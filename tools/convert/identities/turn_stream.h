// The basis of a model's residual stream, chosen before its weights get few bits.
#pragma once

#include <functional>
#include <string>

#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

// What `spec` adds to its stream and what reads it may be in any orthogonal basis: RMSNorm sees a
// row's length alone, once its gains are multiplied into what reads it. Trained models have
// channels that are much louder than others, or in which all that reads them has its largest
// weights: few bits with one scale a row lose by them. Turn() (base/turn.h) spreads them over all
// channels. That may lose, too: channels that are quiet, and read with large weights, then get the
// rounding of the loud ones.
struct StreamTurn {
  bool turned = false;
  // By a sample of the weights, of the noise that rounding them to few bits makes: the share that
  // would remain behind the turn. 0: nothing was measured.
  double noise = 0;
  std::string restriction;  // why no basis but its own is possible; empty: any is
};

// Turns `spec`'s recipes where the noise shrinks to 80 % or less. Throws Error.
StreamTurn TurnStreamWhereNoiseShrinks(const Checkpoint& checkpoint,
                                       const std::function<bool(const TensorRecipe&)>& keeps_bits,
                                       DecoderSpec& spec);
// Does so in any case where it can; returns the restriction.
std::string TurnStream(const Checkpoint& checkpoint, DecoderSpec& spec);

}  // namespace rondo::convert
