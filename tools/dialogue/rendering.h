// What a chat template makes of a conversation that is tried on it.
#pragma once

#include <optional>
#include <string>

#include "tools/common/library.h"

namespace rondo::tools {

// The text; nothing where the template refuses this conversation. That there is no memory answers
// nothing: throws rondo::Error.
std::optional<std::string> TryRendering(const Model& model, const Chat& chat);

}  // namespace rondo::tools
