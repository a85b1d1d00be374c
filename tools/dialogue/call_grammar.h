// The grammar of a model's calls.
#pragma once

#include "tools/common/constraint.h"

namespace rondo::tools {

// Of answers whose calls of the options' tools always parse. Throws Error: in which function's
// schema what is not understood, or how many of the functions fit.
Grammar CallGrammar(rondo_model* model, const rondo_chat_options& options);

}  // namespace rondo::tools
