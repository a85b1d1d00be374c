// The position embedding of a Hugging Face config, folded into one frequency per pair of channels.
#pragma once

#include <vector>

#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/config.h"

namespace rondo::convert {

struct RopeRequest {
  uint32_t head_dim;
  uint32_t context_length;  // max_position_embeddings
  // Where config.json does not say:
  double theta = 10000;
  double partial = 1;  // the share of a head's channels that turn
};

// Reads `rope_parameters` (transformers 5) or `rope_theta` and `rope_scaling` (earlier). Known
// types: default, linear, dynamic (as default up to the context length, where it ends: each longer
// text would turn by frequencies of its own), llama3, yarn, longrope; others are refused by name.
// Values go through float32 where they do in transformers.
RopeSpec ReadRope(const Config& config, const RopeRequest& request);

// The same with the parameters in an object of its own; `config` is the whole file.
RopeSpec ReadRope(const Config& config, const Config& parameters, const RopeRequest& request);

// Those of layers that see everything and of those with a window, in this order: rope_parameters
// holds an object for each; where it has none, `request` says what is meant.
std::vector<RopeSpec> ReadRopesByWindow(const Config& config, const RopeRequest& full,
                                        const RopeRequest& sliding);

// Without scaling.
RopeSpec PlainRope(const Config& config, double theta, const RopeRequest& request);

}  // namespace rondo::convert
