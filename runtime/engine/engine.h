// Engine: a model made runnable inside one arena. Plan, create, open sessions, step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "platforms/thread_pool.h"
#include "runtime/base/status.h"
#include "runtime/engine/plan.h"
#include "runtime/engine/sequence.h"

namespace rondo {

class Session;

class Engine {
 public:
  // `model` and `tokenizer` must outlive the engine, and so must `arena` if given: aligned to
  // kArenaAlignment, at least plan.memory.arena_bytes() long, not touched by the caller.
  // arena == nullptr: the engine maps its own. On failure nothing is left behind.
  // Errors: as PlanEngine; kArenaTooSmall, kArenaMisaligned, kOutOfMemory, kCorrupt (a weight
  // section's checksum, a value that is not finite).
  static Result<std::unique_ptr<Engine>> Create(const ModelFile& model, const Tokenizer* tokenizer,
                                                const EngineOptions& options, void* arena,
                                                size_t arena_bytes);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  const EnginePlan& plan() const { return plan_; }
  const ModelFile& model() const { return *model_; }
  const Tokenizer* tokenizer() const { return tokenizer_; }  // may be null
  const SequenceLimits& limits() const { return limits_; }
  bool owns_arena() const { return mapped_bytes_ > 0; }

  // Takes one of max_sessions slots. The session must not outlive the engine.
  // Errors: kBusy (all slots taken), kInvalidArgument. The Session lies in the arena: no
  // allocation.
  Result<Session*> OpenSession(const SessionOptions& options);
  void CloseSession(Session* session);

  // Runs one pass for up to kMaxSessions distinct sequences of this engine, each with something
  // pending. A sequence that waits for one row gets it before longer ones get theirs, in order, as
  // far as max_rows go. Sequence::outcome() tells how it ended for each: a sequence that was
  // cancelled is as before, and the others do not notice.
  // Error: kInternal (the pool has too few blocks); nothing has happened.
  Status Step(std::span<Sequence* const> sequences);

  // One caller at a time computes on the engine's threads and scratch, or changes who references
  // which KV blocks. Step takes it itself.
  std::mutex& turn() { return turn_; }
  std::span<std::byte> sampler_scratch() const { return Memory(plan_.sampler_scratch); }

  std::span<std::byte> Memory(MemoryPlan::RegionId region) const {
    const PlanRegion& r = plan_.memory.region(region);
    return {reinterpret_cast<std::byte*>(arena_ + r.offset), r.bytes};
  }
  template <typename T>
  std::span<T> Array(MemoryPlan::RegionId region) const {
    const std::span<std::byte> memory = Memory(region);
    return {reinterpret_cast<T*>(memory.data()), memory.size() / sizeof(T)};
  }

 private:
  Engine() = default;
  Status TakeArena(void* arena, size_t arena_bytes);
  void StepLogits(std::span<const SequenceRows> rows, std::span<Sequence*> chosen);

  const ModelFile* model_ = nullptr;
  const Tokenizer* tokenizer_ = nullptr;
  EnginePlan plan_;
  SequenceLimits limits_ = {};
  ThreadPool* threads_ = nullptr;
  uint8_t* arena_ = nullptr;
  size_t mapped_bytes_ = 0;       // of an arena of our own, else 0
  HeapArray<Session*> sessions_;  // one per slot, null where free
  std::mutex turn_;
};

}  // namespace rondo
