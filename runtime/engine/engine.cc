#include "runtime/engine/engine.h"

#include <algorithm>
#include <limits>
#include <new>

#include "platforms/cpu.h"
#include "platforms/memory.h"
#include "runtime/engine/session.h"
#include "runtime/model/adapter_file.h"

namespace rondo {

namespace {

// Of the threads that were planned, as many as may run at the same time where this one does: those
// that it starts are kept to its CPUs, but where they have CPUs of their own.
uint32_t ThreadsHere(const EngineOptions& planned) {
  const bool elsewhere =
      planned.affinity != Affinity::kSystem || planned.host_pool.parallel_for != nullptr;
  const uint32_t cpus = elsewhere ? 0 : CallersCpus().Count();
  return cpus == 0 ? planned.threads : std::min(planned.threads, cpus);
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::Create(const ModelFile& model, const Tokenizer* tokenizer,
                                               const EngineOptions& options, void* arena,
                                               size_t arena_bytes) {
  const StatsClock clock;
  std::unique_ptr<Engine> engine(new (std::nothrow) Engine);
  if (engine == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "the system refused %zu bytes", sizeof(Engine));
  }
  engine->model_ = &model;
  engine->tokenizer_ = tokenizer;
  RONDO_ASSIGN(engine->plan_, PlanToRun(model, tokenizer, options));
  EnginePlan& plan = engine->plan_;
  RONDO_RETURN_IF_ERROR(engine->TakeArena(arena, arena_bytes));
  uint32_t& threads = plan.options.threads;
  if (options.threads == 0) threads = ThreadsHere(plan.options);
  engine->threads_ = ThreadPool::Create(threads, options.host_pool, plan.options.cpus);
  if (engine->threads_ == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "the system refused a pool of %u threads",
                         threads);
  }
  const uint32_t wanted = threads;
  threads = static_cast<uint32_t>(engine->threads_->threads());  // those that could be started
  RONDO_ASSIGN(engine->sessions_, HeapArray<Session*>::Create(plan.options.max_sessions));
  engine->queue_.set_duty_percent(plan.options.duty_percent);
  plan.profile.Bind(plan.memory, engine->arena_);
  if (plan.profile.on()) plan.runner.decoder.set_profile(&plan.profile);
  engine->inputs_.Bind(plan.inputs, plan.memory, engine->arena_);
  plan.runner.decoder.set_inputs(&engine->inputs_);
  RONDO_RETURN_IF_ERROR(
      plan.runner.Bind(model, plan.memory, engine->arena_, engine->threads_, options.progress));
  if (engine->has_media()) {
    if (plan.profile.on()) plan.media[0].tower().decoder().set_profile(&plan.profile);
    RONDO_RETURN_IF_ERROR(plan.media[0].Bind(model, plan.memory, engine->arena_, engine->threads_));
  }
  if (engine->has_draft()) {
    RONDO_RETURN_IF_ERROR(
        plan.draft.Bind(*options.draft.file, plan.memory, engine->arena_, engine->threads_, {}));
    if (engine->has_assistant()) plan.draft.decoder.set_assisted(&plan.runner.decoder);
  }
  const Log& log = plan.options.log;
  log.Write(LogLevel::kInfo,
            "engine: kernels %s, %u threads, an arena of %zu bytes, made in %.0f ms",
            plan.set->name, threads, plan.memory.arena_bytes(),
            static_cast<double>(clock.nanoseconds()) * 1e-6);
  if (threads < wanted) {
    log.Write(LogLevel::kWarning, "the system started only %u of %u threads", threads, wanted);
  }
  return engine;
}

// Sessions own nothing outside of the arena, which a child of fork() may share with its parent:
// they are left as they are.
Engine::~Engine() {
  ThreadPool::Destroy(threads_);
  if (mapped_bytes_ > 0) UnmapMemory(arena_, mapped_bytes_);
}

Status Engine::TakeArena(void* arena, size_t arena_bytes) {
  const size_t need = plan_.memory.arena_bytes();
  if (arena == nullptr) {
    arena_ = static_cast<uint8_t*>(MapMemory(need));
    if (arena_ == nullptr) {
      return Status::Error(StatusCode::kOutOfMemory, "the system refused an arena of %zu bytes",
                           need);
    }
    mapped_bytes_ = need;
    return Status();
  }
  if (reinterpret_cast<uintptr_t>(arena) % kArenaAlignment != 0) {
    return Status::Error(StatusCode::kArenaMisaligned,
                         "the arena begins at an address that is not a multiple of %zu",
                         kArenaAlignment);
  }
  if (arena_bytes < need) {
    return Status::Error(StatusCode::kArenaTooSmall,
                         "the arena has %zu bytes, but the plan needs %zu", arena_bytes, need);
  }
  arena_ = static_cast<uint8_t*>(arena);
  // Kernels read, but do not use, what lies between the ends of rows and buffers.
  std::fill(arena_ + plan_.memory.segment_offset(Segment::kKvPool), arena_ + need, uint8_t{0});
  return Status();
}

// The turn is held while a slot is taken, not while its session is made of the options: they may be
// long, and the tokenizer is others', too.
Result<Session*> Engine::OpenSession(const SessionOptions& options) {
  RONDO_RETURN_IF_ERROR(CheckAdapter(options.adapter));
  Session* session = nullptr;
  const SessionRegions* regions = nullptr;
  {
    const MutexLock turn(turn_);
    const auto slot = std::find(sessions_.begin(), sessions_.end(), nullptr);
    if (slot == sessions_.end()) {
      return Status::Error(StatusCode::kBusy, "all %zu sessions of the engine are open",
                           sessions_.size());
    }
    regions = &plan_.sessions[static_cast<size_t>(slot - sessions_.begin())];
    session = new (Memory(regions->session).data()) Session(this, *regions);
    *slot = session;
  }
  const Status status = session->Init(options, *regions);
  if (status.ok()) return session;
  CloseSession(session);
  return status;
}

Result<Session*> Engine::ForkSession(const Session& source, const SessionOptions& wishes) {
  SessionOptions options = wishes;
  const AdapterFile* const adapter = source.sequence_.adapter();
  if (options.adapter == nullptr) options.adapter = adapter;
  if (options.adapter != adapter) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "a fork has its source's adapter, which its keys and values depend on; "
                         "another one was given");
  }
  RONDO_ASSIGN(Session* const fork, OpenSession(options));
  const MutexLock turn(turn_);
  fork->CopyFrom(source);
  return fork;
}

Status Engine::CheckAdapter(const AdapterFile* adapter) const {
  if (adapter == nullptr) return Status();
  if (&adapter->model() != &model()) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the adapter was opened for another model than the engine's");
  }
  const uint32_t most = plan().options.adapter_rank;
  if (adapter->rank() <= most) return Status();
  return Status::Error(StatusCode::kInvalidArgument,
                       "the adapter's rank is %u, but engine option adapter_rank is %u",
                       adapter->rank(), most);
}

void Engine::CloseSession(Session* session) {
  const MutexLock turn(turn_);
  const auto slot = std::find(sessions_.begin(), sessions_.end(), session);
  if (session == nullptr || slot == sessions_.end()) return;
  session->GiveBlocksBack();
  session->~Session();
  *slot = nullptr;
}

KeyMemory Engine::KeysIn(MemoryPlan::RegionId keys, MemoryPlan::RegionId shifts) {
  const bool has_shifts = shifts != MemoryPlan::kNoRegion;
  return {Array<InputKey>(keys), has_shifts ? Array<int64_t>(shifts) : std::span<int64_t>(),
          plan_.options.max_rows, has_shifts ? &inputs_ : nullptr};
}

std::span<const float> Engine::AsOurs(std::span<const float> draft_logits, size_t thread) const {
  const size_t vocab = limits().vocab_size;
  if (draft_logits.size() >= vocab) return draft_logits.first(vocab);
  const std::span<float> row = Array<float>(plan_.draft_logits).subspan(thread * vocab, vocab);
  const auto rest = std::copy(draft_logits.begin(), draft_logits.end(), row.begin());
  std::fill(rest, row.end(), -std::numeric_limits<float>::infinity());
  return row;
}

}  // namespace rondo
