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

// With spec.tied_head: the head is the checkpoint's own where that is there and is not the
// embedding, whatever the config says; a sentence in `notes` then tells. Other tensors of that name
// are left out, and told of.
void UntieHead(const Checkpoint& checkpoint, DecoderSpec& spec, std::vector<std::string>& notes);

}  // namespace rondo::convert
