// Blueprint: everything that follows from (model, options) before any memory exists.
#pragma once

#include "runtime/decoder/decoder.h"
#include "runtime/engine/engine.h"
#include "runtime/kv/context_window.h"
#include "runtime/kv/kv_layout.h"

namespace rondo {

// Where one session's state lies in the arena.
struct SessionBlocks {
  MemoryPlan::BlockId session;  // the Session object
  MemoryPlan::BlockId kv;       // its ring's blocks
  MemoryPlan::BlockId tokens;   // int32 [ring tokens]: what was appended
  MemoryPlan::BlockId logits;   // float [vocab_size]: of the last evaluated row
  MemoryPlan::BlockId sampler;
  MemoryPlan::BlockId stop_strings;
  MemoryPlan::BlockId piece;  // the text that one token completes
  MemoryPlan::BlockId text;   // one event's text: what was held back, and the piece, twice
};

struct Blueprint {
  EnginePlan plan;
  const KernelSet* set = nullptr;
  Decoder decoder;
  KvLayout kv;
  ContextWindow window;
  uint64_t ring_blocks = 0;  // per session
  HeapArray<SessionBlocks> sessions;
  MemoryPlan::BlockId sampler_scratch = 0;
  MemoryPlan::BlockId chunk_tokens = 0;  // int32 [max_rows]

  // Errors: kInvalidArgument (which option, its range), kUnsupported, kOutOfMemory.
  static Result<Blueprint> Draw(const ModelFile& model, const Tokenizer* tokenizer,
                                const EngineOptions& options);

  uint64_t ring_tokens() const { return ring_blocks * kKvBlockTokens; }
};

}  // namespace rondo
