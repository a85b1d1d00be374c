// Engine: a model made runnable inside one arena. Plan, create, open sessions, step.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "platforms/sync.h"
#include "platforms/thread_pool.h"
#include "runtime/base/status.h"
#include "runtime/engine/pass_queue.h"
#include "runtime/engine/pass_under_way.h"
#include "runtime/engine/plan.h"
#include "runtime/engine/sequence.h"
#include "runtime/engine/stats.h"

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
  const SequenceLimits& limits() const { return plan_.runner.limits; }
  bool owns_arena() const { return mapped_bytes_ > 0; }

  // Takes one of max_sessions slots. The session must not outlive the engine.
  // Errors: kBusy (all slots taken), kInvalidArgument. The Session lies in the arena: no
  // allocation.
  Result<Session*> OpenSession(const SessionOptions& options);
  // The same, with the tokens of `source`, which is not in a pass: blocks of KV are shared until
  // either writes to them. It has the adapter of `source`, whether or not options name it.
  Result<Session*> ForkSession(const Session& source, const SessionOptions& options);
  void CloseSession(Session* session);

  // [any thread] Runs one pass for up to kMaxSessions distinct sequences of this engine, each with
  // something pending, and for those of other calls that wait at the same time; which of them have
  // rows in it, ScheduleRows says. Sequence::outcome() tells how it ended for each: a sequence that
  // was cancelled is as before, and the others do not notice. It returns within the time of a layer
  // where all of these sequences are cancelled, and before their pass has begun where one is.
  // Error: kKvPoolFull; nothing has happened to these sequences.
  Status Step(std::span<Sequence* const> sequences);

  // Promises that passes for `sequence` up to position `end` do not fail with kKvPoolFull, whoever
  // is served meanwhile. Error: kKvPoolFull; nothing has happened. EndReserve: behind the passes,
  // also where there was no promise.
  Status Reserve(Sequence* sequence, uint64_t end);
  void EndReserve(Sequence* sequence);

  // One caller at a time changes who references which KV blocks. Step takes it itself, before a
  // pass and behind it.
  Mutex& turn() { return turn_; }
  // One caller at a time samples outside of passes, with the scratch behind those of the threads.
  Mutex& sampling() { return sampling_; }
  size_t threads() const { return plan_.options.threads; }
  ThreadPool& pool() const { return *threads_; }
  Runner& runner() { return plan_.runner; }
  Runner& draft() { return plan_.draft; }  // where has_draft()
  bool has_draft() const { return plan_.options.draft.file != nullptr; }
  // That is an assistant: it has no text of its own.
  bool has_assistant() const { return has_draft() && plan_.draft.is_assistant(); }
  // Sequences keep what the draft head or the assistant reads.
  bool keeps_hidden() const {
    return plan_.runner.decoder.spec().has_draft_head || has_assistant();
  }
  // It makes vectors of texts, and no logits.
  bool is_embedder() const { return plan_.runner.decoder.spec().is_embedder(); }
  // A row of the draft model's logits as one of the vocabulary of the model.
  std::span<const float> AsOurs(std::span<const float> draft_logits, size_t thread) const;
  std::span<std::byte> sampler_scratch(size_t thread) const {
    const size_t bytes = plan_.sampler_scratch_bytes;
    return Memory(plan_.sampler_scratch).subspan(thread * bytes, bytes);
  }
  // Of all sequences so far.
  EngineStats& stats() { return stats_; }

  // Where pictures are planned for.
  MediaEncoder& media() { return plan_.media[0]; }
  bool has_media() const { return plan_.media.size() > 0; }
  MediaTurn& media_turn() { return media_turn_; }
  // [any thread] Runs `slice` on this thread, in its turn between passes.
  template <typename Slice>
  void RunSlice(const Slice& slice) {
    PassRequest request{{}, true, Status()};
    request.work = [](void* context) { (*static_cast<const Slice*>(context))(); };
    request.context = const_cast<Slice*>(&slice);
    queue_.Serve(&request, &pass_);
  }

  // The inputs of its sequences; none where none are planned.
  InputStore& inputs() { return inputs_; }
  // The memory of a sequence's keys.
  KeyMemory KeysIn(MemoryPlan::RegionId keys, MemoryPlan::RegionId shifts);

  // Null where none is wanted.
  Profile* profile() { return plan_.profile.on() ? &plan_.profile : nullptr; }
  // Times that the host's pool did not do what it must.
  uint64_t host_faults() const { return threads_->host_faults(); }

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
  // Error: kInvalidArgument (of another model, or of a larger rank than is planned).
  Status CheckAdapter(const AdapterFile* adapter) const;
  Status TakeArena(void* arena, size_t arena_bytes);
  friend class PassUnderWay;
  void LogOutcome(const Status& status);

  const ModelFile* model_ = nullptr;
  const Tokenizer* tokenizer_ = nullptr;
  EnginePlan plan_;
  ThreadPool* threads_ = nullptr;
  uint8_t* arena_ = nullptr;
  size_t mapped_bytes_ = 0;       // of an arena of our own, else 0
  HeapArray<Session*> sessions_;  // one per slot, null where free
  PassQueue queue_;
  PassUnderWay pass_{this};
  Mutex turn_;
  Mutex sampling_;
  MediaTurn media_turn_;
  EngineStats stats_;
  InputStore inputs_;
  std::atomic<bool> told_of_faults_{false};
};

}  // namespace rondo
