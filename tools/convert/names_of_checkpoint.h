// What a DecoderSpec leaves to the checkpoint: names that are written in more than one way, and
// whether there is a head of its own.
#pragma once

#include "tools/convert/architectures/decoder_spec.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

// Where the checkpoint lacks a tensor and has it by one of spec.other_names, the spec then says so.
void TakeOtherNames(const Checkpoint& checkpoint, DecoderSpec& spec);

// With spec.head_may_be_tied: the head is the embedding if the checkpoint has none.
void TieHead(const Checkpoint& checkpoint, DecoderSpec& spec);

}  // namespace rondo::convert
