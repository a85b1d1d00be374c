// Constraint: what a grammar lets a session's generation say next.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/base/status.h"
#include "runtime/grammar/grammar.h"
#include "runtime/kv/token_history.h"

namespace rondo {

// The generation's text is all tokens from `begin` on. One thread at a time, but for Allowed.
class Constraint {
 public:
  // Null: anything.
  void Init(grammar::Grammar* grammar) { grammar_ = grammar; }
  bool exists() const { return grammar_ != nullptr; }

  // The tokens are others than those that were read: they are read anew when they are needed.
  void Restart() { place_ = {}; }
  // Reads what was appended. Error: kConstraint.
  Status Follow(const TokenHistory& tokens, uint64_t begin);
  // With the last token that Follow read the text is whole, and nothing may follow.
  bool IsComplete() const { return grammar_->IsComplete(place_); }

  // Tokens that may follow the text and these behind it; none where nothing may. Follow came before
  // for the tokens. `mask`: a bit for each token. Error: kConstraint.
  Status Allowed(const TokenHistory& tokens, std::span<const int32_t> behind,
                 std::span<uint32_t> mask) const;

 private:
  grammar::Grammar* grammar_ = nullptr;
  grammar::GrammarPlace place_;
  uint64_t begin_ = 0;
};

}  // namespace rondo
