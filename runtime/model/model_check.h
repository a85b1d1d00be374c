// What a FlatBuffers verifier can't see: does the metadata make sense?
#pragma once

#include "rondo_generated.h"
#include "runtime/base/status.h"

namespace rondo {

// `model` has passed the FlatBuffers verifier and its `sections` are present and lie inside the
// file in order. Checks that required fields are there, every enum is known, every index in range,
// every shape consistent with the others and with its section's length, every number usable.
// Errors: kCorrupt, kUnsupported (what by name).
Status CheckModel(const format::Model& model);

// The entry of `model.sections()` that equals `section`, or nullptr.
const format::Section* FindSection(const format::Model& model, const format::Section& section);

}  // namespace rondo
