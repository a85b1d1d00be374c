// What encoders of BERT's kin have in common.
#pragma once

#include <string>

#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/config.h"

namespace rondo::convert {

// Every text is of the first type.
void AddTokenType(const Config& config, const std::string& tensor, Family& f);

// Attention that sees both sides, and nothing behind the last layer.
DecoderSpec BuildEncoder(Family f);

}  // namespace rondo::convert
