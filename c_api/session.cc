// Sessions: each entry point takes the session for the time of one call, or says that it is busy.
#include <new>

#include "c_api/constraint.h"
#include "c_api/turn.h"
#include "runtime/base/utf8.h"

namespace {

using rondo::Status;
using rondo::StatusCode;
using rondo::c_api::CheckOutput;
using rondo::c_api::Clear;
using rondo::c_api::ClearOptions;
using rondo::c_api::Code;
using rondo::c_api::Fill;
using rondo::c_api::Held;
using rondo::c_api::NewHandle;
using rondo::c_api::NullArgument;
using rondo::c_api::OpenAdapter;
using rondo::c_api::OpenEngine;
using rondo::c_api::OpenSession;
using rondo::c_api::ReadEnum;
using rondo::c_api::ReadFlag;
using rondo::c_api::ReadOptions;
using rondo::c_api::Report;
using rondo::c_api::Retain;
using rondo::c_api::Turn;

Status CheckUtf8(const char* text, size_t index) {
  const auto* begin = reinterpret_cast<const uint8_t*>(text);
  const auto* end = begin + std::strlen(text);
  for (const uint8_t* at = begin; at < end;) {
    const rondo::Utf8Step step = rondo::DecodeUtf8(at, end);
    if (step.kind != rondo::Utf8Kind::kValid) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "stop string %zu is not UTF-8 at its byte %td", index, at - begin);
    }
    at += step.length;
  }
  return Status();
}

Status ReadNumbers(const rondo_session_options& o, rondo::SessionOptions* ours) {
  // generated from here: reads
  ours->sampler.temperature = o.temperature;
  ours->sampler.top_k = o.top_k;
  ours->sampler.top_p = o.top_p;
  ours->sampler.min_p = o.min_p;
  ours->sampler.repetition_penalty = o.repetition_penalty;
  ours->sampler.presence_penalty = o.presence_penalty;
  ours->sampler.frequency_penalty = o.frequency_penalty;
  ours->sampler.penalty_last_n = o.penalty_last_n;
  RONDO_RETURN_IF_ERROR(ReadFlag("session option ignore_eos", o.ignore_eos, &ours->ignore_eos));
  RONDO_RETURN_IF_ERROR(ReadFlag("session option logprobs", o.logprobs, &ours->logprobs));
  ours->sampler.no_repeat_ngram_size = o.no_repeat_ngram_size;
  ours->sampler.seed = o.seed;
  ours->max_tokens = o.max_tokens;
  ReadEnum(o.speculation, &ours->speculation);
  ours->max_drafts = o.max_drafts;
  // generated to here
  return Status();
}

// Opens a session, empty, or a fork of `source`, for which the caller has the turn.
rondo::Result<rondo_session*> Open(OpenEngine* engine, const OpenSession* source,
                                   const rondo_session_options* options) {
  if (engine->Inherited()) {
    return Status::Error(StatusCode::kBusy, "the engine is that of the process before fork()");
  }
  rondo_session_options o;
  RONDO_RETURN_IF_ERROR(ReadOptions(options, "rondo_session_options", &o));
  rondo::SessionOptions session_options;
  RONDO_RETURN_IF_ERROR(ReadNumbers(o, &session_options));
  if (o.speculation < RONDO_SPECULATION_NONE || o.speculation > RONDO_SPECULATION_DRAFT_HEAD) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "speculation is %d; it must be 0 (none), 1 (prompt lookup), 2 (draft "
                         "model) or 3 (draft head)",
                         o.speculation);
  }
  if (o.logit_bias == nullptr && o.n_logit_bias > 0) return NullArgument("logit_bias");
  if (o.stop_strings == nullptr && o.n_stop_strings > 0) return NullArgument("stop_strings");
  if (o.n_logit_bias > rondo::kMaxLogitBias || o.n_stop_strings > rondo::kMaxStopStrings) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%zu logit biases and %zu stop strings; at most %d and %zu are possible",
                         o.n_logit_bias, o.n_stop_strings, rondo::kMaxLogitBias,
                         rondo::kMaxStopStrings);
  }
  rondo::HeapArray<rondo::LogitBias> biases;
  RONDO_ASSIGN(biases, rondo::HeapArray<rondo::LogitBias>::Create(o.n_logit_bias));
  for (size_t i = 0; i < o.n_logit_bias; ++i) {
    biases[i] = {o.logit_bias[i].token, o.logit_bias[i].bias};
  }
  std::string_view stops[rondo::kMaxStopStrings];
  for (size_t i = 0; i < o.n_stop_strings; ++i) {
    if (o.stop_strings[i] == nullptr) return NullArgument("a stop string");
    RONDO_RETURN_IF_ERROR(CheckUtf8(o.stop_strings[i], i));
    stops[i] = o.stop_strings[i];
  }
  session_options.sampler.logit_bias = biases.span();
  session_options.stop_strings = {stops, o.n_stop_strings};
  const Held grammar(o.grammar);
  const Held given(o.adapter);
  RONDO_RETURN_IF_ERROR(grammar.CheckIfGiven("grammar"));
  RONDO_RETURN_IF_ERROR(given.CheckIfGiven("adapter"));
  OpenAdapter* const adapter = source != nullptr && !given ? source->adapter : given.get();
  if (adapter != nullptr) session_options.adapter = &adapter->file;
  rondo::c_api::TemplateMarks marks;
  RONDO_ASSIGN(session_options.constraint,
               rondo::c_api::ReadConstraint(o, *engine->model, grammar.get(), &marks));

  NewHandle handle;
  RONDO_RETURN_IF_ERROR(handle.Check());
  session_options.cancellation = handle.cancellation();
  std::unique_ptr<OpenSession> session(new (std::nothrow) OpenSession);
  if (session == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "the system refused %zu bytes",
                         sizeof(OpenSession));
  }
  if (engine->InCallback()) {
    return Status::Error(StatusCode::kBusy,
                         "the engine is running the call that this is inside of");
  }
  RONDO_ASSIGN(session->session,
               source != nullptr ? engine->engine->ForkSession(*source->session, session_options)
                                 : engine->engine->OpenSession(session_options));
  session->engine = engine;
  session->grammar = grammar.get();
  session->adapter = adapter;
  Retain(engine);
  if (grammar) Retain(grammar.get());
  if (adapter != nullptr) Retain(adapter);
  engine->sessions_open.fetch_add(1, std::memory_order_relaxed);
  return handle.Open<rondo_session>(session.release());
}

// For what a signal handler may ask: its slot, which stays while the session may not.
struct SessionSlot {
  explicit SessionSlot(const rondo_session* session)
      : handle(rondo::c_api::AsNumber(session)),
        slot(rondo::c_api::FindHandle(handle, rondo::c_api::HandleKind::kSession)) {}

  // It is the session's now, too.
  bool IsMine() const { return rondo::c_api::IsSlotOf(*slot, handle); }
  // Why there is none.
  int32_t code() const {
    return handle == 0 ? RONDO_STATUS_INVALID_ARGUMENT : RONDO_STATUS_INVALID_HANDLE;
  }

  uintptr_t handle;
  rondo::c_api::HandleSlot* slot;  // null: the session is not open
};

}  // namespace

extern "C" {

int32_t rondo_session_options_init(rondo_session_options* options, size_t struct_size) {
  const int32_t status = ClearOptions(options, struct_size);
  if (status != RONDO_STATUS_OK) return status;
  const rondo::SessionOptions defaults;
  rondo_session_options o = {};
  // generated from here: defaults
  o.temperature = defaults.sampler.temperature;
  o.top_k = defaults.sampler.top_k;
  o.top_p = defaults.sampler.top_p;
  o.min_p = defaults.sampler.min_p;
  o.repetition_penalty = defaults.sampler.repetition_penalty;
  o.presence_penalty = defaults.sampler.presence_penalty;
  o.frequency_penalty = defaults.sampler.frequency_penalty;
  o.penalty_last_n = defaults.sampler.penalty_last_n;
  o.ignore_eos = defaults.ignore_eos;
  o.logprobs = defaults.logprobs;
  o.no_repeat_ngram_size = defaults.sampler.no_repeat_ngram_size;
  o.seed = defaults.sampler.seed;
  o.max_tokens = defaults.max_tokens;
  o.speculation = static_cast<int32_t>(defaults.speculation);
  o.max_drafts = defaults.max_drafts;
  // generated to here
  Fill(options, o);
  return RONDO_STATUS_OK;
}

int32_t rondo_session_open(rondo_engine* handle, const rondo_session_options* options,
                           rondo_session** session, char* message, size_t message_bytes) {
  if (session == nullptr) return Report(NullArgument("session"), message, message_bytes);
  *session = nullptr;
  const Held engine(handle);
  if (!engine) return Report(engine.Why("engine"), message, message_bytes);
  const auto opened = Open(engine.get(), nullptr, options);
  if (opened.ok()) *session = *opened;
  return Report(opened.status(), message, message_bytes);
}

int32_t rondo_session_fork(rondo_session* session, const rondo_session_options* options,
                           rondo_session** fork, char* message, size_t message_bytes) {
  if (fork == nullptr) return Report(NullArgument("fork"), message, message_bytes);
  *fork = nullptr;
  Turn turn(session);
  if (!turn.taken()) return Report(turn.Why(), message, message_bytes);
  const auto opened = Open(&turn.engine(), &turn.session(), options);
  if (opened.ok()) *fork = *opened;
  return Report(opened.status(), message, message_bytes);
}

void rondo_session_close(rondo_session* handle) {
  Held session(handle);
  if (!session || !session.Close()) return;
  if (!session->engine->Inherited()) session->session->Cancel();
}

int32_t rondo_session_undo(rondo_session* session, uint64_t n) {
  Turn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  return turn.Finish(turn->Undo(n));
}

int32_t rondo_session_reset(rondo_session* session) {
  Turn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  turn->Reset();
  return RONDO_STATUS_OK;
}

int32_t rondo_session_position(rondo_session* session, uint64_t* position) {
  if (position != nullptr) *position = 0;
  Turn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  if (position == nullptr) return turn.Finish(NullArgument("position"));
  *position = turn->position();
  return RONDO_STATUS_OK;
}

int32_t rondo_session_remaining(rondo_session* session, uint64_t* tokens) {
  if (tokens != nullptr) *tokens = 0;
  Turn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  if (tokens == nullptr) return turn.Finish(NullArgument("tokens"));
  *tokens = turn->remaining();
  return RONDO_STATUS_OK;
}

int32_t rondo_session_evicted(rondo_session* session, uint64_t* begin, uint64_t* end) {
  if (begin != nullptr) *begin = 0;
  if (end != nullptr) *end = 0;
  Turn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  if (begin == nullptr || end == nullptr) return turn.Finish(NullArgument("an output"));
  turn->Evicted(begin, end);
  return RONDO_STATUS_OK;
}

int32_t rondo_session_progress(const rondo_session* handle, uint64_t* done, uint64_t* total) {
  if (done != nullptr) *done = 0;
  if (total != nullptr) *total = 0;
  const Held session(handle);
  if (!session) return session.code();
  if (done == nullptr || total == nullptr) return RONDO_STATUS_INVALID_ARGUMENT;
  session->session->Progress(done, total);
  return RONDO_STATUS_OK;
}

int32_t rondo_session_stats(rondo_session* session, rondo_session_counters* counters) {
  Clear(counters);
  Turn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  if (const Status status = CheckOutput(counters, "counters"); !status.ok()) {
    return turn.Finish(status);
  }
  rondo::Sequence& sequence = turn->sequence();
  const rondo::SequenceStats& stats = sequence.stats();
  rondo_session_counters c = {};
  c.tokens_prefilled = turn.session().tokens_prefilled;
  c.tokens_generated = turn.session().tokens_generated;
  c.tokens_taken_over = stats.tokens_taken_over;
  c.passes = stats.passes;
  c.rows = stats.rows;
  c.prefill_ns = stats.prefill_ns;
  c.decode_ns = stats.decode_ns;
  c.sample_ns = stats.sample_ns;
  c.prefix_hits = stats.prefix_hits;
  c.tokens_evicted = stats.tokens_evicted;
  c.kv_bytes_held = turn->HeldBytes();
  c.drafts_proposed = stats.drafts_proposed;
  c.drafts_accepted = stats.drafts_accepted;
  Fill(counters, c);
  return RONDO_STATUS_OK;
}

int32_t rondo_session_cancel(rondo_session* session) {
  const SessionSlot found(session);
  if (found.slot == nullptr) return found.code();
  const bool done = found.slot->cancellation.CancelMine([&] { return found.IsMine(); });
  return done ? RONDO_STATUS_OK : RONDO_STATUS_INVALID_HANDLE;
}

int32_t rondo_session_call(const rondo_session* session, uint64_t* number) {
  if (number != nullptr) *number = 0;
  const SessionSlot found(session);
  if (found.slot == nullptr) return found.code();
  if (number == nullptr) return RONDO_STATUS_INVALID_ARGUMENT;
  const uint64_t seen = found.slot->cancellation.number();
  if (!found.IsMine()) return RONDO_STATUS_INVALID_HANDLE;
  *number = seen;
  return RONDO_STATUS_OK;
}

int32_t rondo_session_cancel_call(rondo_session* session, uint64_t number) {
  using Asked = rondo::Cancellation::Asked;
  const SessionSlot found(session);
  if (found.slot == nullptr) return found.code();
  switch (found.slot->cancellation.CancelCall(number, [&] { return found.IsMine(); })) {
    case Asked::kDone:
      return RONDO_STATUS_OK;
    case Asked::kBehindNext:
      return RONDO_STATUS_INVALID_ARGUMENT;
    case Asked::kNotMine:
      return RONDO_STATUS_INVALID_HANDLE;
  }
  return RONDO_STATUS_INTERNAL;
}

const char* rondo_session_last_error(const rondo_session* handle) {
  const Held session(handle);
  return session ? session->last_error.message() : "";
}

}  // extern "C"
