// Session: a sequence with its sampler and its text.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/engine/drafter.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/past_texts.h"
#include "runtime/engine/sequence.h"
#include "runtime/engine/session_text.h"
#include "runtime/engine/snapshot.h"
#include "runtime/generation/finish_reason.h"
#include "runtime/generation/speculation_gate.h"
#include "runtime/generation/token_choices.h"
#include "runtime/sampling/sampler.h"

namespace rondo {

struct TokenEvent {
  int32_t token = -1;      // -1: no token came with this event
  float logprob = 0;       // of the model, before any sampling option; 0 unless asked for
  std::string_view bytes;  // the token's raw bytes; may be half a character
  std::string_view text;   // what has become complete: whole code points, may be empty
  FinishReason reason = FinishReason::kNone;
  uint64_t pending = 0;     // tokens of a prompt that still wait for passes
  uint64_t taken_over = 0;  // tokens of the sequence that the prefix cache had
  bool is_thought = false;  // the token is part of a thought, or of what begins or ends one
  bool chosen = false;      // the token is one of Accept
};

// Lies in the engine's arena. All calls but Cancel: one thread per session at a time; sessions of
// one engine take turns, pass by pass. Every failed call leaves the session as it was before the
// call (the one exception is told at Prefill).
//
// Tokens are appended first and evaluated by the first call that needs their logits, so that the
// text of a token is out before the next forward pass, and none is run that nobody asked for.
class Session {
 public:
  // Appends tokens, evaluates them chunk by chunk, and makes the last one's logits current.
  // Errors: kInvalidArgument (no ids; an id out of range, named), kContextFull (policy STOP; the
  // room left is named), kKvPoolFull, kCancelled. Cancelled under SLIDE after the ring has turned
  // past what the session saw before, or what it must be able to undo, it keeps the chunks that
  // were finished: position() tells.
  Status Prefill(std::span<const int32_t> ids) { return Append(ids, {}); }

  // Like Prefill, and hands the logits of every one of these tokens, in order, to `sink`.
  Status PrefillLogits(std::span<const int32_t> ids, const LogitsSink& sink) {
    return Append(ids, sink);
  }

  // Queues tokens; Step evaluates them. Errors: kInvalidArgument, kContextFull (also: more than may
  // wait under SLIDE; how many may is named).
  Status Queue(std::span<const int32_t> ids);

  // Tokens, or rows of an input: those of `ids` where `rows` has none.
  struct Piece {
    std::span<const int32_t> ids;
    InputRowsView rows = {};

    bool is_input() const { return rows.rows > 0; }
    size_t size() const { return is_input() ? rows.rows : ids.size(); }
  };
  static constexpr size_t kMostPieces = 64;
  // Queues the pieces, at most kMostPieces, one behind the other. Errors: as Queue;
  // kInvalidArgument (which piece; a value that is not finite, a coordinate out of range),
  // kKvPoolFull (max_input_rows), kUnsupported (the model makes vectors of texts, or has no RoPE
  // that coordinates could be of).
  Status QueuePieces(std::span<const Piece> pieces);

  // Queues ids, of which each that is the model's token of a picture stands for the next of
  // `media`, with what stands around it. Errors: as Queue; kInvalidArgument (their numbers differ),
  // kUnsupported (the engine takes no pictures).
  Status QueueMedia(std::span<const int32_t> ids, std::span<const Media* const> media);

  // One pass for these sessions of `engine`, distinct, at most kMaxSessions; then each one that has
  // nothing pending any more samples a token as Next does. TakeEvent tells how it went for each.
  // Errors, and then nothing has happened: kInvalidArgument (an event was not taken), kKvPoolFull.
  static Status Step(Engine* engine, std::span<Session* const> sessions);
  // What the last step or Accept had for this session, once; then what drafts gave beside it, token
  // by token; at last, and where it still waits for passes, an event without a token. Errors:
  // kNoLogits, kCancelled, and that of the sampler, as Next.
  Result<TokenEvent> TakeEvent();

  // Samples from the current logits and appends the token, unless it ends the generation by kEos.
  // After an end, the same reason comes again, without a token, until the session is changed by
  // another call. Views in the event live until the next call. Errors: kNoLogits, kCancelled,
  // kKvPoolFull, kInvalidArgument (every token is forbidden by logit_bias, or the model gave no
  // number).
  Result<TokenEvent> Next();

  // The tokens that may come next, in place of those that the session would look for: where the
  // next step runs a pass, it verifies up to max_drafts of them beside the last token. No token,
  // event or status is another for it. What changes the tokens forgets them, a step that brings one
  // too. Error: kInvalidArgument (ids out of range, named).
  Status Propose(std::span<const int32_t> ids);

  // Appends a token that the caller chose, also an end token or one behind an end. TakeEvent has
  // its event, where the generation may end as in Next; the text of one that was not taken comes
  // with the next event, of many such the last SessionText::kUntoldBytes. Errors: kInvalidArgument,
  // kContextFull, and where tokens must be evaluated first kCancelled, kKvPoolFull.
  Status Accept(int32_t token);

  // The logits after the last token, [vocab_size], valid until the next call. Errors: kNoLogits,
  // kCancelled.
  Result<std::span<const float>> Logits();

  // Drops the last n tokens: the session is as before them, its text, its number of generated
  // tokens and whether its generation had ended included, of the last PastTexts::kMost
  // generations. Errors: kInvalidArgument (more than
  // there are, or, under SLIDE, more than are still held whole, and how many are: max_rows of the
  // furthest position at least).
  Status Undo(uint64_t n);
  void Reset();

  // The session as bytes (snapshot.h); `bytes` is always their number. A cancellation that was
  // asked for and an event that was not taken are no part of it. Error: kBufferTooSmall.
  Status Save(std::span<uint8_t> out, size_t* bytes) const;
  // Becomes what was saved, by its own options; on failure it is as before. Errors: as
  // Snapshot::Open; kKvPoolFull.
  Status Restore(std::span<const uint8_t> bytes);

  // [any thread] How many of the tokens that were appended last are evaluated, and how many they
  // are; 0 and 0 where there are none: the call that should append them failed, or Undo, Reset or
  // Restore came later.
  void Progress(uint64_t* done, uint64_t* total) const;
  void EndPrompt() { BeginPrompt(0); }  // as a call that failed before it came here

  // ---- Of an engine whose model makes vectors of texts ----

  // Texts one behind the other, of so many ids each; and where the first `dimensions` numbers of
  // each one's vector go.
  struct Texts {
    const int32_t* ids;
    std::span<const size_t> counts;
    size_t dimensions;
    float* vectors;  // [counts.size(), dimensions]
  };
  // Makes the vectors of these texts with these sessions of `engine`, distinct, at most
  // kMaxSessions: each takes the next text when it is done with one, and passes serve all of them
  // together. A vector depends on its text, the model and the kernel set alone. Where the model's
  // are of length 1, so is what is left of one that is cut. The sessions have no tokens behind it.
  // Errors: kUnsupported (the model predicts tokens), kInvalidArgument (a text without ids, one out
  // of range, vectors of no or too many numbers), kContextFull (a text is too long: which, and the
  // most); no vector is written then. kKvPoolFull, kCancelled (one of the sessions was).
  static Status Embed(Engine* engine, std::span<Session* const> sessions, const Texts& texts);
  // Tokens that a text may have.
  static uint64_t MostTextTokens(const Engine& engine);

  // All that is remembered: of the last positions.
  const KeyHistory& keys() const { return sequence_.keys(); }
  // Tokens, and rows of inputs, appended so far.
  uint64_t position() const { return sequence_.position(); }
  uint64_t remaining() const { return sequence_.remaining(); }
  void Evicted(uint64_t* begin, uint64_t* end) const { sequence_.Evicted(begin, end); }

  Sequence& sequence() { return sequence_; }  // for Engine::Step
  // Bytes of KV that it references, the draft model's too.
  uint64_t HeldBytes() const {
    return sequence_.kv().HeldBytes() + (drafter_ ? drafter_->sequence().kv().HeldBytes() : 0);
  }

  // [any thread] Makes the call that is running, or the next one that evaluates tokens, return
  // kCancelled within the time of one layer, or of a few rows of the output head.
  void Cancel() { sequence_.Cancel(); }
  // Which calls are cancelled by their numbers. Whoever gives a call its number says when it begins
  // and ends: Prefill, PrefillLogits, Next, Logits, Step and Embed heed it.
  Cancellation& cancellation() { return sequence_.cancellation(); }
  const Cancellation& cancellation() const { return sequence_.cancellation(); }

 private:
  friend class Engine;
  Session(Engine* engine, const SessionRegions& regions);
  Status Init(const SessionOptions& options, const SessionRegions& regions);

  SnapshotBinding Binding() const;
  Status CheckPredicts() const;
  Status CheckPrompt(std::span<const int32_t> ids) const;
  Status CheckIds(std::span<const int32_t> ids) const;
  Status CheckRoom(uint64_t n) const;
  Status CheckPrefix(uint64_t n) const;
  Status CheckQueue(uint64_t n) const;
  Status CheckPiece(const Piece& piece) const;
  Status Append(std::span<const int32_t> ids, const LogitsSink& sink);
  Status Reserve(uint64_t end);
  Status Evaluate(std::span<const int32_t> ids, const LogitsSink& sink);
  bool CanUndo(uint64_t position, uint64_t n) const;
  uint64_t MostUndone(uint64_t n) const;
  void GoBack(uint64_t position, bool undoable);
  Status EvaluatePending();
  Status EndIfCalledOff();
  void CopyFrom(const Session& other);
  void GiveBlocksBack();
  void ProposeReady();
  void DropAhead();
  Status WantLogits();
  bool BeginStep();
  bool PrepareConstraint();
  void BeginDrafts();
  void AskGate(SpeculationGate* gate);
  void TellGate();
  void EndStep();
  void EndRefusedStep();
  void DropEvents() { step_event_ = accept_event_ = false; }
  void MakeEvent();
  Result<TokenEvent> StepEvent();
  void BeginEvent();
  void ChooseOfLogits();
  Result<TokenEvent> TakeChoice();
  TokenEvent Take(int32_t token, bool chosen);
  TokenEvent Finished(FinishReason reason);
  TokenEvent EndEvent(FinishReason reason);
  FinishReason EndOf(bool stops, bool whole) const;
  FinishReason LastingEnd() const { return end_is_drawn_ ? FinishReason::kNone : finished_; }
  Status CheckTexts(const Texts& texts) const;
  Status CheckText(std::span<const int32_t> ids, size_t index) const;
  void BeginEmbedding(std::span<const int32_t> ids);
  void EndEmbedding(std::span<float> vector);
  void BeginPrompt(uint64_t tokens);
  void EndGeneration();  // what was generated before counts no more
  void BeginText();      // with the next token
  void LeaveText(uint64_t position);
  void GoBackInText(uint64_t n);
  void ResumeText(bool continues);

  Engine* engine_;
  Sequence sequence_;
  std::optional<Drafter> drafter_;  // where the engine has a draft model
  Sampler sampler_;
  SessionText text_;
  Constraint constraint_;
  TokenChoices choices_;
  SpeculationGate gate_, grammar_gate_;  // of the session's own drafts; of its grammar's
  Speculation speculation_ = Speculation::kNone;
  size_t max_drafts_ = 0;
  std::array<int32_t, TokenChoices::kMostDrafts> proposed_ = {};
  size_t n_proposed_ = 0;
  SpeculationGate* gate_told_ = nullptr;  // by the pass that runs, where it comes to a token
  SpeculationGate asked_gate_;            // what this gate then is
  uint64_t max_tokens_ = 0;
  bool ignore_eos_ = false;
  uint64_t generated_ = 0;   // tokens from Next and Accept since the last Prefill
  uint64_t text_begin_ = 0;  // the position at which the text of the generation begins
  // Whether the generation has ended is a function of the sequence, of where the generation began
  // and of the options: EndOf makes it, and it lasts until the tokens are others.
  FinishReason finished_ = FinishReason::kNone;
  // No token of the sequence made this end, and no event told it yet: it would be drawn again.
  bool end_is_drawn_ = false;
  // What waits for TakeEvent. The event of a step must be taken before the next one; its error
  // comes before the event of Accept.
  bool step_event_ = false;
  bool accept_event_ = false;
  uint64_t told_ = 0;  // tokens before here have no text that an event must tell
  PastTexts past_texts_;
  // The tokens of Progress. Stored by the session's caller.
  std::atomic<uint64_t> prompt_begin_ = 0;
  std::atomic<uint64_t> prompt_tokens_ = 0;
  TokenEvent event_;     // of either
  Status event_status_;  // of a step: not ok where there is no event
};

}  // namespace rondo
