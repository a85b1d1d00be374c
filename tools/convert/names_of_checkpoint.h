// Names of tensors that checkpoints write in more than one way.
#pragma once

#include "tools/convert/architectures/decoder_spec.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

// Where the checkpoint lacks a tensor and has it by one of spec.other_names, the spec then says so.
void TakeOtherNames(const Checkpoint& checkpoint, DecoderSpec& spec);

}  // namespace rondo::convert
