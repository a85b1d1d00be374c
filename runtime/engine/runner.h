// Runner: one model's live parts: what runs its passes, and the pool of its KV blocks. An engine
// has one, and one more where a draft model proposes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/status.h"
#include "runtime/decoder/decoder.h"
#include "runtime/engine/options.h"
#include "runtime/engine/sequence.h"
#include "runtime/kv/block_pool.h"
#include "runtime/kv/kv_layout.h"
#include "runtime/kv/prefix_cache.h"
#include "runtime/model/model_file.h"
#include "runtime/plan/memory_plan.h"

namespace rondo {

struct Runner {
  Decoder decoder;
  KvLayout kv;
  BlockPool pool;
  bool has_prefix_cache = false;
  PrefixCache prefix_cache;  // where there is one
  SequenceLimits limits = {};

  bool is_assistant() const { return decoder.spec().other_hidden_size > 0; }

  // A sequence's table in memory of BlockTable::Bytes(kv), and what it takes prefixes from; null:
  // nothing.
  BlockTable NewTable(std::span<std::byte> memory) { return {kv, &pool, memory.data()}; }
  PrefixCache* prefixes() { return has_prefix_cache ? &prefix_cache : nullptr; }

  // Adds what it takes to `memory`. `options`: resolved; `context`: tokens that a sequence can see.
  // Errors: kInvalidArgument, kUnsupported, kOutOfMemory (sizes).
  static Result<Runner> Plan(const ModelFile& file, const KernelSet& set,
                             const EngineOptions& options, const ContextWindow& window,
                             uint32_t context, MemoryPlan* memory);
  // After the plan's Layout; the runner must not move afterwards. Errors: kCorrupt, kCancelled (by
  // `progress`).
  Status Bind(const ModelFile& file, const MemoryPlan& memory, uint8_t* arena, ThreadPool* threads,
              const LoadProgress& progress);
};

}  // namespace rondo
