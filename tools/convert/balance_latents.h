// What latent attention caches of a position, made fit for one scale.
#pragma once

#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

// A cached key is a part that turns and the latent. In int8 both have one scale, and the larger one
// sets it: of the smaller one little may be left. Nothing in training keeps them alike, since a
// factor on the turned part of keys and its inverse on that of queries leave every score as it is.
// So each layer gets the power of two with which both parts are about equally large, as the weights
// tell it for normalised inputs. In float32 the model stays the same to the bit. Throws Error.
void BalanceLatents(const Checkpoint& checkpoint, DecoderSpec& spec);

}  // namespace rondo::convert
