// Which of a model's matrices may have fine rows (format::Linear.fine_rows).
#pragma once

#include <cstdint>
#include <map>

#include "tools/convert/output/decoder_spec.h"

namespace rondo::convert {

// By their weights' tensors, until `spec` changes: those that the runtime reads it of.
std::map<uint32_t, format::LinearT*> Finable(DecoderSpec& spec);

}  // namespace rondo::convert
