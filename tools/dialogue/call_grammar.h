// The grammar of a model's calls.
#pragma once

#include "tools/common/constraint.h"

namespace rondo::tools {

// Of answers whose calls of the conversation's tools always parse. Throws Error: in which
// function's schema what is not understood, or how many of the functions fit.
Grammar CallGrammar(const Model& model, const Chat& chat);

}  // namespace rondo::tools
