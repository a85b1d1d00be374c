// Session: one sequence of tokens with its KV cache, sampler and text state.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/decoder/decoder.h"
#include "runtime/engine/options.h"
#include "runtime/kv/kv_ring.h"
#include "runtime/sampling/sampler.h"
#include "runtime/sampling/stop_strings.h"
#include "runtime/text/stream_decoder.h"

namespace rondo {

struct EngineCore;
struct SessionBlocks;

enum class FinishReason : int32_t {
  kNone = 0,
  kEos = 1,          // an end token of the model; not part of the context
  kStopString = 2,   // a stop string came up; the text ends before it
  kTokenLimit = 3,   // max_tokens were generated
  kContextFull = 4,  // policy STOP and no room for another token
};

struct TokenEvent {
  int32_t token = -1;      // -1: no token came with this event
  float logprob = 0;       // of the model, before any sampling option; 0 unless asked for
  std::string_view bytes;  // the token's raw bytes; may be half a character
  std::string_view text;   // what has become complete: whole code points, may be empty
  FinishReason reason = FinishReason::kNone;
};

// Lies in the engine's arena. All calls but Cancel: one thread per session at a time; sessions of
// one engine take turns. Every failed call leaves the session as it was before the call (the one
// exception is told at Prefill).
//
// Tokens are appended first and evaluated by the first call that needs their logits, so that the
// text of a token is out before the next forward pass, and none is run that nobody asked for.
class Session {
 public:
  // Tokens that the sampler must remember so that penalties survive an Undo of the whole ring.
  static constexpr size_t SamplerHistory(size_t ring_tokens) {
    return ring_tokens + kMaxPenaltyWindow;
  }

  // Appends tokens, evaluates them chunk by chunk, and makes the last one's logits current.
  // Errors: kInvalidArgument (no ids; an id out of range, named), kContextFull (policy STOP; the
  // room left is named), kCancelled. Cancelled under SLIDE after the ring has turned past what the
  // session saw before, it keeps the chunks that were finished: position() tells.
  Status Prefill(std::span<const int32_t> ids);

  // Like Prefill, and hands the logits of every one of these tokens, in order, to `sink` (row =
  // index into ids).
  Status PrefillLogits(std::span<const int32_t> ids, const LogitsSink& sink);

  // Samples from the current logits and appends the token, unless it ends the generation by kEos.
  // After an end, the same reason comes again, without a token, until the session is changed by
  // another call. Views in the event live until the next call. Errors: kNoLogits, kCancelled,
  // kInvalidArgument (every token is forbidden by logit_bias, or the model gave no number).
  Result<TokenEvent> Next();

  // Appends a token that the caller chose. Errors: kInvalidArgument, kContextFull.
  Status Accept(int32_t token);

  // The logits after the last token, [vocab_size], valid until the next call. Errors: kNoLogits,
  // kCancelled.
  Result<std::span<const float>> Logits();

  // Drops the last n tokens. Errors: kInvalidArgument (more than there are, or, under SLIDE, more
  // than the ring still holds whole: the last max_rows are always possible).
  Status Undo(uint64_t n);
  void Reset();

  uint64_t position() const { return position_; }  // tokens appended so far
  uint64_t remaining() const;  // tokens that still fit under STOP; UINT64_MAX under SLIDE
  // Positions [begin, end) were evicted: the last token does not see them.
  void Evicted(uint64_t* begin, uint64_t* end) const;

  // [any thread] Makes the call that is running, or the next one that evaluates tokens, return
  // kCancelled within one layer's time.
  void Cancel() { cancel_.store(true, std::memory_order_relaxed); }

 private:
  friend class Engine;
  Session(EngineCore* core, const KvRing& ring) : core_(core), ring_(ring) {}
  Status Init(const SessionOptions& options, const SessionBlocks& blocks);

  Status CheckIds(std::span<const int32_t> ids) const;
  Status CheckRoom(uint64_t n) const;
  Status Append(std::span<const int32_t> ids, const LogitsSink* sink);
  Status Evaluate(uint64_t end, uint64_t first_logits, const LogitsSink* sink);
  uint64_t NextChunk(uint64_t end, uint64_t* first_logits);
  void CutBack(uint64_t position);
  Status EvaluatePending();
  void Push(int32_t token);
  void EndGeneration();  // what was generated before counts no more
  void NoteText(std::span<const int32_t> ids);
  void AddText(int32_t token, TokenEvent* event);
  void FlushText(TokenEvent* event);
  void PutText(std::string_view text);

  EngineCore* core_;
  KvRing ring_;
  Sampler sampler_;
  StopStrings stop_strings_;
  StreamDecoder stream_;
  bool has_text_ = false;  // a token that is not special was appended: text goes on, not begins
  uint64_t max_tokens_ = 0;
  bool ignore_eos_ = false;
  bool logprobs_ = false;

  int32_t* tokens_ = nullptr;  // the token of position p lies at p % ring tokens
  float* logits_ = nullptr;
  uint64_t position_ = 0;   // tokens appended
  uint64_t evaluated_ = 0;  // of these, tokens whose keys and values are in the ring
  bool long_ = false;       // those of a long sequence (DecoderSpec::short_context)
  uint64_t logits_at_ = 0;  // logits_ are those after this many tokens; 0: none
  uint64_t generated_ = 0;  // tokens from Next and Accept since the last Prefill
  FinishReason finished_ = FinishReason::kNone;
  std::span<char> text_;  // of the last event
  size_t text_size_ = 0;
  std::span<char> piece_;  // what one token completes
  std::atomic<bool> cancel_ = false;
};

}  // namespace rondo
