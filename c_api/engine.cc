// Engines: the model made runnable in one arena, and the report of its memory.
#include <new>

#include "c_api/handles.h"

namespace {

using rondo::Status;
using rondo::StatusCode;
using rondo::c_api::CheckOutput;
using rondo::c_api::Clear;
using rondo::c_api::Code;
using rondo::c_api::DescribePlan;
using rondo::c_api::DescribeRegion;
using rondo::c_api::Fill;
using rondo::c_api::Held;
using rondo::c_api::NewHandle;
using rondo::c_api::NullArgument;
using rondo::c_api::OpenEngine;
using rondo::c_api::ReadEngineOptions;
using rondo::c_api::Release;
using rondo::c_api::Report;
using rondo::c_api::Retain;

struct Releaser {
  void operator()(OpenEngine* engine) const { Release(engine); }
};

// Lends the thread to the host's pool, whose other work may call the library: such calls on this
// engine are told from those that may wait for it.
void ParallelFor(void* self, size_t count, void (*task)(void*, size_t), void* context) {
  auto* const engine = static_cast<OpenEngine*>(self);
  engine->callback_thread = rondo::ThisThread();
  engine->host_pool.parallel_for(engine->host_pool.user, count, task, context);
  engine->callback_thread = 0;
}

rondo::Result<rondo_engine*> Create(const rondo_model* handle, const rondo_engine_options* options,
                                    void* arena, size_t arena_bytes) {
  const Held model(handle);
  if (!model) return model.Why("model");
  if (arena == nullptr && arena_bytes > 0) return NullArgument("arena");
  rondo::EngineOptions o;
  std::optional<Held<rondo_model>> draft;
  RONDO_RETURN_IF_ERROR(ReadEngineOptions(options, &o, &draft));
  NewHandle made;
  RONDO_RETURN_IF_ERROR(made.Check());
  std::unique_ptr<OpenEngine, Releaser> engine(new (std::nothrow) OpenEngine);
  if (engine == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "the system refused %zu bytes",
                         sizeof(OpenEngine));
  }
  engine->model = model.get();
  Retain(engine->model);
  engine->draft = draft->get();
  if (engine->draft != nullptr) Retain(engine->draft);
  if (o.host_pool.parallel_for != nullptr) {
    engine->host_pool = o.host_pool;
    o.host_pool = {ParallelFor, engine.get()};
  }
  RONDO_ASSIGN(engine->engine,
               rondo::Engine::Create(model->file, model->tokenizer.get(), o, arena, arena_bytes));
  return made.Open<rondo_engine>(engine.release());
}

}  // namespace

extern "C" {

int32_t rondo_engine_create(rondo_model* model, const rondo_engine_options* options, void* arena,
                            size_t arena_bytes, rondo_engine** engine, char* message,
                            size_t message_bytes) {
  if (engine == nullptr) return Report(NullArgument("engine"), message, message_bytes);
  *engine = nullptr;
  const auto created = Create(model, options, arena, arena_bytes);
  if (created.ok()) *engine = *created;
  return Report(created.status(), message, message_bytes);
}

void rondo_engine_close(rondo_engine* engine) { rondo::c_api::Close(engine); }

int32_t rondo_engine_memory(const rondo_engine* handle, rondo_memory_plan* plan) {
  Clear(plan);
  const Held engine(handle);
  if (!engine) return engine.code();
  if (const Status status = CheckOutput(plan, "plan"); !status.ok()) return Code(status);
  Fill(plan, DescribePlan(engine->engine->plan()));
  return RONDO_STATUS_OK;
}

int32_t rondo_engine_memory_region(const rondo_engine* handle, uint32_t index,
                                   rondo_memory_region* region) {
  Clear(region);
  const Held engine(handle);
  if (!engine) return engine.code();
  if (const Status status = CheckOutput(region, "region"); !status.ok()) return Code(status);
  return Code(DescribeRegion(engine->engine->plan(), index, region));
}

int32_t rondo_engine_stats(const rondo_engine* handle, rondo_engine_counters* counters) {
  Clear(counters);
  const Held engine(handle);
  if (!engine) return engine.code();
  if (const Status status = CheckOutput(counters, "counters"); !status.ok()) return Code(status);
  rondo_engine_counters c = {};
  c.sessions_open = engine->sessions_open.load(std::memory_order_relaxed);
  c.owns_arena = engine->engine->owns_arena();
  c.tokens_prefilled = engine->tokens_prefilled.load(std::memory_order_relaxed);
  c.tokens_generated = engine->tokens_generated.load(std::memory_order_relaxed);
  const auto read = [](const std::atomic<uint64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
  };
  const rondo::EngineStats& stats = engine->engine->stats();
  const rondo::EnginePlan& plan = engine->engine->plan();
  c.tokens_taken_over = read(stats.tokens_taken_over);
  c.parallel_faults = engine->engine->host_faults();
  c.passes = read(stats.passes);
  c.rows = read(stats.rows);
  c.prefill_ns = read(stats.prefill_ns);
  c.decode_ns = read(stats.decode_ns);
  c.sample_ns = read(stats.sample_ns);
  c.prefix_hits = read(stats.prefix_hits);
  c.tokens_evicted = read(stats.tokens_evicted);
  c.kv_bytes_used = plan.runner.pool.used_bytes() + plan.draft.pool.used_bytes();
  c.kv_bytes_total = plan.runner.pool.all_bytes() + plan.draft.pool.all_bytes();
  c.drafts_proposed = read(stats.drafts_proposed);
  c.drafts_accepted = read(stats.drafts_accepted);
  Fill(counters, c);
  return RONDO_STATUS_OK;
}

int32_t rondo_engine_profile(const rondo_engine* handle, uint64_t* cursor,
                             rondo_profile_event* event) {
  Clear(event);
  const Held engine(handle);
  if (!engine) return engine.code();
  if (cursor == nullptr) return RONDO_STATUS_INVALID_ARGUMENT;
  if (const Status status = CheckOutput(event, "event"); !status.ok()) return Code(status);
  rondo::ProfileEvent recorded;
  if (!engine->engine->plan().profile.Read(cursor, &recorded)) return RONDO_STATUS_OK;
  rondo_profile_event e = {};
  e.layer = recorded.layer;
  e.rows = recorded.rows;
  e.inputs = recorded.inputs;
  e.outputs = recorded.outputs;
  e.begin_ns = recorded.begin;
  e.duration_ns = recorded.duration;
  e.thread = recorded.thread;
  e.name = recorded.name;
  Fill(event, e);
  return RONDO_STATUS_OK;
}

}  // extern "C"
