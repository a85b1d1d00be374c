#include "runtime/engine/engine.h"

#include <algorithm>
#include <new>

#include "platforms/memory.h"
#include "runtime/engine/engine_core.h"
#include "runtime/engine/session.h"

namespace rondo {

struct Engine::Impl {
  EngineCore core;
  HeapArray<Session*> sessions;  // one per slot, null where free

  ~Impl() {
    for (Session* session : sessions) {
      if (session != nullptr) session->~Session();
    }
    ThreadPool::Destroy(core.pool);
    if (core.mapped_bytes > 0) UnmapMemory(core.arena, core.mapped_bytes);
  }
};

Engine::Engine(Impl* impl) : impl_(impl) {}
Engine::~Engine() { delete impl_; }

Result<std::unique_ptr<Engine>> Engine::Create(const ModelFile& model, const Tokenizer* tokenizer,
                                               const EngineOptions& options, void* arena,
                                               size_t arena_bytes) {
  std::unique_ptr<Impl> impl(new (std::nothrow) Impl);
  if (impl == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "the system refused %zu bytes", sizeof(Impl));
  }
  EngineCore& core = impl->core;
  core.model = &model;
  core.tokenizer = tokenizer;
  RONDO_ASSIGN(core.blueprint, Blueprint::Draw(model, tokenizer, options));
  const MemoryPlan& memory = core.blueprint.plan.memory;
  const size_t need = memory.arena_bytes();

  if (arena == nullptr) {
    core.arena = static_cast<uint8_t*>(MapMemory(need));
    if (core.arena == nullptr) {
      return Status::Error(StatusCode::kOutOfMemory, "the system refused an arena of %zu bytes",
                           need);
    }
    core.mapped_bytes = need;
  } else {
    if (reinterpret_cast<uintptr_t>(arena) % kArenaAlignment != 0) {
      return Status::Error(StatusCode::kArenaMisaligned,
                           "the arena begins at an address that is not a multiple of %zu",
                           kArenaAlignment);
    }
    if (arena_bytes < need) {
      return Status::Error(StatusCode::kArenaTooSmall,
                           "the arena has %zu bytes, but the plan needs %zu", arena_bytes, need);
    }
    core.arena = static_cast<uint8_t*>(arena);
    // Kernels read, but do not use, what lies between the ends of rows and buffers.
    const size_t packed = memory.segment_offset(Segment::kKvPool);
    std::fill(core.arena + packed, core.arena + need, uint8_t{0});
  }
  uint32_t& threads = core.blueprint.plan.options.threads;
  core.pool = ThreadPool::Create(threads);
  if (core.pool == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "the system refused a pool of %u threads",
                         threads);
  }
  threads = static_cast<uint32_t>(core.pool->threads());  // those that could be started
  RONDO_ASSIGN(impl->sessions,
               HeapArray<Session*>::Create(core.blueprint.plan.options.max_sessions));
  RONDO_RETURN_IF_ERROR(
      core.blueprint.decoder.Bind(model, memory, core.arena, core.pool, options.progress));

  std::unique_ptr<Engine> engine(new (std::nothrow) Engine(impl.get()));
  if (engine == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "the system refused %zu bytes", sizeof(Engine));
  }
  static_cast<void>(impl.release());
  return engine;
}

const EnginePlan& Engine::plan() const { return impl_->core.blueprint.plan; }
uint32_t Engine::vocab_size() const {
  return static_cast<uint32_t>(impl_->core.blueprint.decoder.spec().vocab_size);
}
bool Engine::owns_arena() const { return impl_->core.mapped_bytes > 0; }

Result<Session*> Engine::OpenSession(const SessionOptions& options) {
  EngineCore& core = impl_->core;
  const std::lock_guard turn(core.turn);
  const auto slot = std::find(impl_->sessions.begin(), impl_->sessions.end(), nullptr);
  if (slot == impl_->sessions.end()) {
    return Status::Error(StatusCode::kBusy, "all %zu sessions of the engine are open",
                         impl_->sessions.size());
  }
  const Blueprint& blueprint = core.blueprint;
  const SessionBlocks& blocks =
      blueprint.sessions[static_cast<size_t>(slot - impl_->sessions.begin())];
  const KvRing ring(blueprint.kv, blueprint.window, core.At<uint8_t>(blocks.kv));
  auto* session = new (core.At<uint8_t>(blocks.session)) Session(&core, ring);
  if (const Status status = session->Init(options, blocks); !status.ok()) {
    session->~Session();
    return status;
  }
  *slot = session;
  return session;
}

void Engine::CloseSession(Session* session) {
  const std::lock_guard turn(impl_->core.turn);
  const auto slot = std::find(impl_->sessions.begin(), impl_->sessions.end(), session);
  if (session == nullptr || slot == impl_->sessions.end()) return;
  session->~Session();
  *slot = nullptr;
}

}  // namespace rondo
