// Constraint: what a session's generation may say next, by its grammar and by what is told of
// thoughts.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "runtime/base/status.h"
#include "runtime/generation/thinking.h"
#include "runtime/grammar/grammar.h"
#include "runtime/kv/token_history.h"

namespace rondo {

enum class GrammarBegin : int32_t {
  kAtOnce = 0,
  kAfterToken = 1,     // behind ConstraintOptions.token, where it comes
  kAfterThinking = 2,  // behind a thought, where the generation begins with one or inside of one
};

struct ConstraintOptions {
  grammar::Grammar* grammar = nullptr;  // null: anything; outlives the session
  GrammarBegin begin = GrammarBegin::kAtOnce;
  int32_t token = 0;     // kAfterToken
  bool goes_on = false;  // behind the grammar's text comes any other
  ThinkingOptions thinking;
};

// The generation's text is all tokens from `begin` on. One thread at a time, but for Next.
class Constraint {
 public:
  // What the next token is.
  struct Outlook {
    int32_t forced = -1;  // this one, whatever the model says; -1: one of its choice
    bool masked = false;  // of those in the mask
  };

  // Errors: kInvalidArgument, kUnsupported; as Thinking::Init.
  Status Init(const ConstraintOptions& options, const Tokenizer* tokenizer, size_t vocab_size);
  bool exists() const { return options_.grammar != nullptr || thinking_.exists(); }
  bool has_grammar() const { return options_.grammar != nullptr; }

  // The tokens are others than those that were read: they are read anew when they are needed.
  void Restart() { place_.position = kNowhere; }
  // Reads what was appended. Error: kConstraint.
  Status Follow(const TokenHistory& tokens, uint64_t begin);
  // With the last token that Follow read the text is whole, and nothing may follow.
  bool IsComplete() const;
  // That token is part of a thought, or of what begins or ends one.
  bool is_thought() const { return place_.is_thought; }

  // What may follow the text and these tokens behind it; no token where the mask is empty. Follow
  // came before for the tokens. `mask`: a bit for each token. Error: kConstraint.
  Result<Outlook> Next(const TokenHistory& tokens, std::span<const int32_t> behind,
                       std::span<uint32_t> mask) const;
  // Tokens that must follow, whatever the model says; how many, `drafts.size()` at most.
  size_t Forced(std::span<int32_t> drafts) const;
  // Tokens of the text that the grammar leaves no choice of, as the tokenizer cuts it: likely ones,
  // as a model may cut it otherwise.
  size_t Likely(std::span<int32_t> drafts) const;

 private:
  static constexpr uint64_t kNowhere = std::numeric_limits<uint64_t>::max();
  // Tokens before the generation that are looked through for a thought that it goes on with.
  static constexpr uint64_t kLookedBack = 4096;

  struct Place {
    uint64_t position = kNowhere;  // the first token that was not read
    Thinking::Place thought;
    bool is_thought = false;            // the last token
    bool waits = false;                 // for the thought to end, and then the grammar begins
    uint32_t opened = 0;                // tokens of a thought's opening, with which the text begins
    uint64_t grammar_begin = kNowhere;  // where the grammar's text begins
    grammar::GrammarPlace grammar;
  };
  struct Tokens;

  Place Start(const TokenHistory& tokens) const;
  Status Read(const Tokens& tokens, uint64_t end, Place* place) const;
  Status ReadOne(const Tokens& tokens, Place* place) const;
  bool IsWhole(const Place& place) const;
  // The text so far is the begin of a thought's opening, which may go on.
  bool MayOpen(const Place& place) const;

  ConstraintOptions options_;
  const Tokenizer* tokenizer_ = nullptr;
  size_t vocab_size_ = 0;
  Thinking thinking_;
  Place place_;
  uint64_t begin_ = 0;
};

}  // namespace rondo
