// The scales of channels, before weights get the formats that were asked for.
#pragma once

#include <string>
#include <vector>

#include "tools/convert/convert.h"
#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

// Puts them into the recipes of `spec` (identities/scale_channels.h), but for float32 and for what
// keeps the bits that the source has: that is said in `notes`. Returns what was scaled, for `rondo
// inspect`; empty: nothing could be. Throws Error.
std::string ScaleForFormats(const ConvertOptions& options, const Checkpoint& checkpoint,
                            DecoderSpec& spec, std::vector<std::string>& notes);

}  // namespace rondo::convert
