#include "tools/bench/generation.h"

#include <algorithm>

#include "tools/bench/random_tokens.h"
#include "tools/bench/stepping.h"

namespace rondo::tools {

Generation::Generation(rondo_engine* engine, rondo_session* session, uint64_t tokens,
                       uint32_t vocab_size)
    : engine_(engine), session_(session), vocab_size_(vocab_size), tokens_(tokens) {
  Append(session_, {0});
  for (int32_t& token : tokens_) token = StepToToken(engine_, session_).token;
  Check(session_, rondo_session_undo(session_, appended()));
}

uint64_t Generation::Run(uint32_t drafts, uint32_t right_percent) {
  RandomTokens throws(100);
  std::vector<int32_t> proposed;
  uint64_t passes = 0;
  Append(session_, {0});
  for (uint64_t told = 0; told < tokens_.size(); ++passes) {
    // The last token needs no draft behind it.
    proposed.resize(std::min<uint64_t>(drafts, tokens_.size() - told - 1));
    for (size_t i = 0; i < proposed.size(); ++i) {
      const bool is_right = static_cast<uint32_t>(throws.Next()) < right_percent;
      const auto other = static_cast<int32_t>((tokens_[told + i] + 1u) % vocab_size_);
      proposed[i] = is_right ? tokens_[told + i] : other;
    }
    Check(session_, rondo_session_propose(session_, proposed.data(), proposed.size()));
    rondo_event event = StepToToken(engine_, session_);
    for (; event.token >= 0; ++told) {
      Check(session_, rondo_session_event(session_, &event));
    }
  }
  return passes;
}

}  // namespace rondo::tools
