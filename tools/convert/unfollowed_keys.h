// Keys of a generation_config.json that would change what is generated, and that nothing follows.
#pragma once

#include <string>
#include <vector>

#include "tools/convert/sources/config.h"

namespace rondo::convert {

// Names them in a note, those that are not known among them where `own`: the object is a
// generation_config.json, not a config.json that holds its keys.
void TellUnfollowed(const Config& generation, bool own, std::vector<std::string>& notes);

}  // namespace rondo::convert
