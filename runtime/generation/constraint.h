// Constraint: what a session's generation may say next, by its grammar and by what is told of
// thoughts.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/base/cancellation.h"
#include "runtime/base/status.h"
#include "runtime/generation/kept_places.h"
#include "runtime/generation/thinking.h"
#include "runtime/grammar/grammar.h"
#include "runtime/grammar/state_bytes.h"
#include "runtime/kv/key_history.h"

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
  bool ends = true;      // end tokens come where the grammar's text may end; else none does
  ThinkingOptions thinking;
};

// The generation's text is all tokens from `begin` on. One thread at a time, but for Next.
class Constraint {
 public:
  // What the next token is.
  struct Outlook {
    int32_t forced = -1;   // this one, whatever the model says; -1: one of its choice
    bool masked = false;   // of those in the mask
    bool may_end = false;  // where there is none of these, the text is whole
  };

  // Errors: kInvalidArgument, kUnsupported; as Thinking::Init.
  Status Init(const ConstraintOptions& options, const Tokenizer* tokenizer, size_t vocab_size);
  bool exists() const { return options_.grammar != nullptr || thinking_.exists(); }
  bool has_grammar() const { return options_.grammar != nullptr; }

  // Another generation begins, or the same one again.
  void Restart() {
    place_.position = ConstraintPlace::kNowhere;
    status_ = Status();
  }
  // Tokens from `position` on were dropped.
  void BackTo(uint64_t position) {
    Restart();
    kept_.BackTo(position);
  }
  // All tokens are others.
  void Forget() {
    Restart();
    kept_.Clear();
  }
  // Reads what was appended. Errors: kConstraint, kCancelled (`cancel` is set; null: never).
  Status Follow(const KeyHistory& tokens, uint64_t begin, const Cancellation* cancel = nullptr);
  // As Follow; what may follow is then at hand for Next.
  Status Prepare(const KeyHistory& tokens, uint64_t begin, const Cancellation* cancel);
  // How Follow ended last.
  const Status& status() const { return status_; }
  // With the last token that Follow read the text is whole, and nothing may follow.
  bool IsComplete() const;
  // That token is part of a thought, or of what begins or ends one.
  bool is_thought() const { return place_.is_thought; }

  // What may follow the text and these tokens behind it; no token where the mask is empty. Follow
  // came before for the tokens. `mask`: a bit for each token. Error: kConstraint.
  Result<Outlook> Next(const KeyHistory& tokens, std::span<const int32_t> behind,
                       std::span<uint32_t> mask) const;
  // Tokens that must follow, whatever the model says; how many, `drafts.size()` at most.
  size_t Forced(std::span<int32_t> drafts) const;
  // Tokens of the text that the grammar leaves no choice of, as the tokenizer cuts it: likely ones,
  // as a model may cut it otherwise.
  size_t Likely(std::span<int32_t> drafts) const;

  // ---- For snapshots ----

  // Where the generation from `begin` on stood, as bytes that are right for the same options alone:
  // how many, of which are written as many as `out` has room for. 0: its text says it.
  size_t Save(const KeyHistory& tokens, uint64_t begin, std::span<uint8_t> out) const;
  // Of a generation from `begin` on, of tokens [first, end). Bytes of other options are nothing to
  // it. Error: kCorrupt.
  Status CheckSaved(std::span<const uint8_t> bytes, uint64_t begin, uint64_t first,
                    uint64_t end) const;
  // Of bytes that were checked; Forget came before.
  void Load(std::span<const uint8_t> bytes, uint64_t begin, uint64_t first, uint64_t end);

 private:
  using Place = ConstraintPlace;
  static constexpr uint64_t kNowhere = Place::kNowhere;
  // Tokens before the generation that are looked through for a thought that it goes on with.
  static constexpr uint64_t kLookedBack = 4096;
  struct Tokens;

  Place Start(const KeyHistory& tokens) const;
  Status Read(const Tokens& tokens, uint64_t end, Place* place) const;
  Status ReadOne(const Tokens& tokens, Place* place, const Cancellation* cancel) const;
  Status FollowAll(const KeyHistory& tokens, const Cancellation* cancel);
  void Keep(const KeyHistory& tokens);
  void AllowAllButEnds(std::span<uint32_t> mask) const;
  bool IsWhole(const Place& place) const;
  // The text so far is the begin of a thought's opening, which may go on.
  bool MayOpen(const Place& place) const;
  uint64_t Identity() const;
  bool ReadPlace(grammar::StateReader* in, uint64_t begin, uint64_t end, KeptPlace* kept) const;
  Status ReadSaved(std::span<const uint8_t> bytes, uint64_t begin, uint64_t first, uint64_t end,
                   KeptPlaces* places) const;

  ConstraintOptions options_;
  const Tokenizer* tokenizer_ = nullptr;
  size_t vocab_size_ = 0;
  Thinking thinking_;
  Place place_;
  uint64_t begin_ = 0;
  KeptPlaces kept_;
  uint64_t next_kept_ = 0;
  Status status_;
};

}  // namespace rondo
