// Generation in which drafts are right as often as is wished: the session's tokens are known from
// before, and proposed, some of them made wrong.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/common/library.h"

namespace rondo::tools {

class Generation {
 public:
  // Finds out what `tokens` tokens, at least 1, come behind token 0 where the session stands, which
  // has nothing waiting. Leaves it there.
  Generation(Engine* engine, Session* session, uint64_t tokens, uint32_t vocab_size);

  // Generates them; the passes that it took. Each draft of a pass, at most `drafts`, is right by a
  // chance of `right_percent` in 100, the same way in every run. Throws Error, Interrupted.
  uint64_t Run(uint32_t drafts, uint32_t right_percent);

  // What Run appends.
  uint64_t appended() const { return 1 + tokens_.size(); }

 private:
  Engine* const engine_;
  Session* const session_;
  const uint32_t vocab_size_;
  std::vector<int32_t> tokens_;
};

}  // namespace rondo::tools
