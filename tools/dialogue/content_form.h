// How a chat template reads what a message says: as a text, or as a list of parts.
#pragma once

#include <nlohmann/json.hpp>

#include "tools/common/library.h"

namespace rondo::tools {

// The template of `chat` shows nothing of a message whose content is a text, but its parts: some
// of models that see do so.
bool ReadsPartsAlone(const Model& model, const Chat& chat);

// The messages with every text as a list of one part.
nlohmann::ordered_json InParts(nlohmann::ordered_json messages);

}  // namespace rondo::tools
