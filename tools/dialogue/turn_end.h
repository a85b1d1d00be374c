// The token that a chat template ends an answer with.
#pragma once

#include <string>

#include "tools/common/library.h"

namespace rondo::tools {

// Text of the special token that `template_text`, Jinja that is not the model's own, writes behind
// an answer, where a generation does not end with it anyway; empty where there is none.
std::string TurnEnd(const Model& model, const std::string& template_text);

}  // namespace rondo::tools
