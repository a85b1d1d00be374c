// What a FlatBuffers verifier can't see: does the metadata make sense?
#pragma once

#include "rondo_generated.h"
#include "runtime/base/status.h"
#include "runtime/model/packed_layout.h"

namespace rondo {

// `model` has passed the FlatBuffers verifier and its `sections` are present and lie inside the
// file in order. Checks that required fields are there, every enum is known, every index in range,
// every shape consistent with the others and with its section's length, every number usable.
// Errors: kCorrupt, kUnsupported (what by name).
// `layout`: that of Model.layout, or nullptr for a portable file.
Status CheckModel(const format::Model& model, const PackedLayout* layout);

// The entry of `model.sections()` that equals `section`, or nullptr.
const format::Section* FindSection(const format::Model& model, const format::Section& section);

}  // namespace rondo
