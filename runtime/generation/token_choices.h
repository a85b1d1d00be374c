// TokenChoices: the tokens that one pass samples for a session, and the drafts that it verifies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/generation/constraint.h"
#include "runtime/kv/key_history.h"
#include "runtime/sampling/sampler.h"

namespace rondo {

// Who makes drafts in passes of its own, before the pass that verifies them.
enum class DraftsBy : uint8_t { kNobody, kModel, kHead };  // kHead: or an assistant

// A pass has a row for the sequence's last token and one for each draft behind it. Every row is
// sampled as if the drafts before it were tokens, with the draw of its own position; the drafts are
// accepted up to the first that is not what was sampled there. So the tokens are those of a pass
// for each, to the bit, whatever is proposed. They are handed out one by one.
//
// One thread at a time, but for Choose.
class TokenChoices {
 public:
  static constexpr size_t kMostDrafts = 7;

  struct Choice {
    int32_t token = Sampler::kNoToken;
    float logprob = 0;         // of the model; 0 unless asked for
    bool constrained = false;  // no token: the constraint ran out of what it may take
    bool is_whole = false;     // no token: the constraint has the text end here, and no other way
  };

  // Both are kept.
  void Init(const Sampler* sampler, const Constraint* constraint, bool logprobs) {
    sampler_ = sampler;
    constraint_ = constraint;
    logprobs_ = logprobs;
  }
  // Bytes of scratch for one row.
  static size_t ScratchBytes(uint32_t vocab_size) {
    return Sampler::ScratchBytes(vocab_size) + MaskWords(vocab_size) * sizeof(uint32_t);
  }

  // Forgets what was chosen, and proposes these drafts, at most kMostDrafts.
  void Begin(std::span<const int32_t> drafts);
  // Of these drafts up to `most` are wanted, until the next Begin.
  void Ask(DraftsBy by, size_t most) {
    asked_ = by;
    most_asked_ = most;
  }
  size_t asked(DraftsBy by) const { return by == asked_ ? most_asked_ : 0; }
  // Adds what is sampled from a draft model's logits behind the drafts so far, with the draw that
  // the row which verifies it has.
  void Propose(std::span<const float> logits, const KeyHistory& tokens,
               std::span<std::byte> scratch);
  std::span<const int32_t> proposed() const { return {drafts_.data(), n_drafts_}; }
  size_t drafts() const { return n_drafts_; }
  // The keys of the rows: `last`, the sequence's last one, and of the drafts at most `most`; the
  // others are no drafts any more.
  std::span<const InputKey> Rows(InputKey last, size_t most);

  // Samples row `row`: a draft's own number, counted from 1, or 0. `tokens` are the sequence's.
  // Different threads may choose for different rows. `scratch`: ScratchBytes.
  void Choose(size_t row, std::span<const float> logits, const KeyHistory& tokens,
              std::span<std::byte> scratch);
  // Of the drafts, when all rows have been chosen for: how many are accepted. With Accept, they and
  // the token behind them are then ready.
  size_t CountAccepted() const;
  size_t Accept();

  // Tokens that are chosen and were not handed out yet.
  size_t ready() const { return n_ready_ - next_; }
  Choice Take() { return chosen_[next_++]; }
  // These tokens, as far as there is room; how many. They are drafts that are right.
  size_t Ready(std::span<int32_t> tokens) const;
  // The token that was handed out last took no pass of its own.
  bool saved_pass() const { return next_ > 1; }

 private:
  static size_t MaskWords(size_t vocab_size) { return (vocab_size + 31) / 32; }
  Choice Sample(std::span<const float> logits, const KeyHistory& tokens,
                std::span<const int32_t> behind, std::span<std::byte> scratch) const;

  const Sampler* sampler_ = nullptr;
  const Constraint* constraint_ = nullptr;
  bool logprobs_ = false;
  std::array<int32_t, kMostDrafts> drafts_ = {};
  std::array<InputKey, 1 + kMostDrafts> rows_;  // the sequence's last key, and the drafts
  std::array<Choice, 1 + kMostDrafts> chosen_;
  size_t n_drafts_ = 0;
  DraftsBy asked_ = DraftsBy::kNobody;
  size_t most_asked_ = 0;
  size_t n_ready_ = 0;
  size_t next_ = 0;
};

}  // namespace rondo
