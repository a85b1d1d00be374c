#include "tools/bench/generation.h"

#include <algorithm>
#include <array>

#include "tools/bench/random_tokens.h"
#include "tools/bench/stepping.h"

namespace rondo::tools {
namespace {

constexpr std::array<int32_t, 1> kFirst = {0};

}  // namespace

Generation::Generation(Engine* engine, Session* session, uint64_t tokens, uint32_t vocab_size)
    : engine_(engine), session_(session), vocab_size_(vocab_size), tokens_(tokens) {
  session_->Append(kFirst);
  for (int32_t& token : tokens_) token = StepToToken(engine_, session_).token;
  session_->Undo(appended());
}

uint64_t Generation::Run(uint32_t drafts, uint32_t right_percent) {
  RandomTokens throws(100);
  std::vector<int32_t> proposed;
  uint64_t passes = 0;
  session_->Append(kFirst);
  for (uint64_t told = 0; told < tokens_.size(); ++passes) {
    // The last token needs no draft behind it.
    proposed.resize(std::min<uint64_t>(drafts, tokens_.size() - told - 1));
    for (size_t i = 0; i < proposed.size(); ++i) {
      const bool is_right = static_cast<uint32_t>(throws.Next()) < right_percent;
      const auto other = static_cast<int32_t>((tokens_[told + i] + 1u) % vocab_size_);
      proposed[i] = is_right ? tokens_[told + i] : other;
    }
    session_->Propose(proposed);
    Event event = StepToToken(engine_, session_);
    for (; event.token >= 0; ++told) event = session_->TakeEvent();
  }
  return passes;
}

}  // namespace rondo::tools
