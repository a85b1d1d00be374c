// What a DecoderSpec leaves to the checkpoint: names and forms that are written in more than one
// way, and whether there is a head of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

struct Fit {
  uint64_t bytes;        // of the checkpoint that the recipes read
  std::string left_out;  // what the spec leaves out of it, for `rondo inspect`; empty: nothing
};

// Afterwards every tensor that a recipe names is in the checkpoint, in the right shape, and none is
// there that the spec has no place for. Throws Error naming the tensor. In `notes`: a head that is
// not as the config says.
Fit FitToCheckpoint(const Checkpoint& checkpoint, DecoderSpec& spec,
                    std::vector<std::string>& notes);

}  // namespace rondo::convert
