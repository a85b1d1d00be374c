// Engine: a model made runnable inside one arena. Plan, create, open sessions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/base/status.h"
#include "runtime/engine/options.h"
#include "runtime/model/model_file.h"
#include "runtime/plan/memory_plan.h"

namespace rondo {

class Session;
class Tokenizer;

// Everything that follows from (model, options) before any memory exists.
struct EnginePlan {
  MemoryPlan memory;
  EngineOptions options;      // with every 0 resolved
  uint64_t mapped_bytes = 0;  // of weights read where they lie in the file, not in the arena
  size_t kv_bytes_per_token = 0;
  uint32_t kv_block_tokens = 0;  // positions per KV block
  uint32_t context = 0;          // tokens a session can see, whole blocks under kSlide
  const char* kernels = "";      // the kernel set's name
};

// Pure: no state is made but the plan's own heap. `tokenizer` may be null (token ids only).
// Errors: kInvalidArgument (which option, its range), kUnsupported, kOutOfMemory (sizes).
Result<EnginePlan> PlanEngine(const ModelFile& model, const Tokenizer* tokenizer,
                              const EngineOptions& options);

// The largest `context` (a multiple of the block length) whose plan fits `bytes`, with all other
// options as given. Error: kArenaTooSmall where not even one block fits.
Result<uint32_t> FitContext(const ModelFile& model, const Tokenizer* tokenizer,
                            const EngineOptions& options, size_t bytes);

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
  ~Engine();

  const EnginePlan& plan() const;
  uint32_t vocab_size() const;
  bool owns_arena() const;

  // Takes one of max_sessions slots. The session must not outlive the engine.
  // Errors: kBusy (all slots taken), kInvalidArgument. The Session lies in the arena: no
  // allocation.
  Result<Session*> OpenSession(const SessionOptions& options);
  void CloseSession(Session* session);

 private:
  struct Impl;
  explicit Engine(Impl* impl);
  Impl* impl_;
};

}  // namespace rondo
