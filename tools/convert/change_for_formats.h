// The identities of a model, before weights get the formats that were asked for.
#pragma once

#include <string>
#include <vector>

#include "tools/convert/convert.h"
#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/output/metadata.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

// Puts scales of channels (identities/scale_channels.h) and the basis of the stream
// (identities/turn_stream.h) into the recipes of `spec`, but for float32 and for what keeps the
// bits that the source has: that is said in `notes`. Returns what was changed, for `rondo inspect`.
// Throws Error.
Facts ChangeForFormats(const ConvertOptions& options, const Checkpoint& checkpoint,
                       DecoderSpec& spec, std::vector<std::string>& notes);

}  // namespace rondo::convert
