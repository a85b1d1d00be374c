// The text's part of a model that also sees or hears. It is a model of its own, described by
// text_config; what belongs to pictures and sounds is left out.
#pragma once

#include "tools/convert/architectures/architecture.h"
#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/config.h"

namespace rondo::convert {

// Throws Error.
DecoderSpec ReadTextPart(const Config& config, const Architecture& whole);

}  // namespace rondo::convert
