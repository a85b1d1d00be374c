// Session: one sequence of tokens with its KV cache, sampler and text state.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/engine/options.h"

namespace rondo {

enum class FinishReason : int32_t {
  kNone = 0,
  kEos = 1,          // an end token of the model; not part of the context
  kStopString = 2,   // a stop string came up; the text ends before it
  kTokenLimit = 3,   // max_tokens were generated
  kContextFull = 4,  // policy STOP and no room for another token
};

struct TokenEvent {
  int32_t token = -1;  // -1: no token came with this event (kContextFull)
  float logprob = 0;   // natural logarithm of the model's probability, before any sampling option
  std::string_view bytes;  // the token's raw bytes; may be half a character
  std::string_view text;   // what has become complete: whole code points, may be empty
  FinishReason reason = FinishReason::kNone;
};

// All calls but Cancel: one thread per session at a time; sessions of one engine take turns.
// Every failed call leaves the session as it was before the call.
class Session {
 public:
  // Appends tokens: evaluates them chunk by chunk, and makes the last one's logits current.
  // `stop` as for Cancel. Errors: kInvalidArgument (no ids; an id out of range, named),
  // kContextFull (policy STOP; the room left is named), kCancelled.
  Status Prefill(std::span<const int32_t> ids);

  // Samples from the current logits and accepts the token, unless it ends the generation by
  // kEos. The accepted token is evaluated by the call that next needs its logits.
  // Views in the event live until the next call. Errors: kNoLogits, kCancelled.
  Result<TokenEvent> Next();

  // Appends a token that the caller chose, as Next does with a sampled one.
  Status Accept(int32_t token);

  // The current logits, [vocab_size], valid until the next call. Errors: kNoLogits, kCancelled.
  Result<std::span<const float>> Logits();

  // Like Prefill, and hands the logits of every one of these tokens, in order, to `row`
  // (index into ids, logits [vocab_size], user). For `rondo logits` and `rondo eval`.
  using LogitsRow = void (*)(void* user, size_t index, std::span<const float> logits);
  Status PrefillLogits(std::span<const int32_t> ids, LogitsRow row, void* user);

  // Drops the last n tokens; the logits are then those after the token before them (evaluated
  // anew when asked for). Errors: kInvalidArgument (more than there are, or, under kSlide, more
  // than the ring still holds whole: at least max_rows are always possible).
  Status Undo(uint64_t n);
  void Reset();

  uint64_t position() const;   // tokens appended so far
  uint64_t remaining() const;  // tokens that still fit under STOP; UINT64_MAX under SLIDE
  // Positions [first, second) were evicted and are no longer seen.
  void Evicted(uint64_t* begin, uint64_t* end) const;

  // [any thread] Makes the call that is running, or the next one, return kCancelled within one
  // layer's time.
  void Cancel();

  // The message for the last failed call through the C ABI lives with the session's handle.

 private:
  friend class Engine;
  Session() = default;
};

}  // namespace rondo
