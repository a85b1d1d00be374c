// FinishReason: why a generation ended.
#pragma once

#include <cstdint>

namespace rondo {

enum class FinishReason : int32_t {
  kNone = 0,
  kEos = 1,          // an end token of the model; not part of the context
  kStopString = 2,   // a stop string came up; the text ends before it
  kTokenLimit = 3,   // max_tokens were generated
  kContextFull = 4,  // policy STOP and no room for another token
  kGrammar = 5,      // the text is whole by the session's grammar, and nothing may follow
};

}  // namespace rondo
