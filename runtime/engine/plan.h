// EnginePlan: everything that follows from (model, options) before any memory exists.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/status.h"
#include "runtime/decoder/profile.h"
#include "runtime/engine/media.h"
#include "runtime/engine/options.h"
#include "runtime/engine/runner.h"
#include "runtime/model/model_file.h"
#include "runtime/plan/memory_plan.h"

namespace rondo {

class Tokenizer;

// Where one session's state lies in the arena.
struct SessionRegions {
  MemoryPlan::RegionId session;      // the Session object
  MemoryPlan::RegionId keys;         // of the KeyHistory
  MemoryPlan::RegionId shifts;       // its shifts; kNoRegion: no sequence has inputs
  MemoryPlan::RegionId block_table;  // the BlockTable
  MemoryPlan::RegionId logits;  // float [vocab_size]: of the last evaluated row; kNoRegion: none
  MemoryPlan::RegionId sampler;
  MemoryPlan::RegionId stop_strings;
  MemoryPlan::RegionId piece;       // the text that one token completes
  MemoryPlan::RegionId text;        // one event's text: what was held back, and the piece, twice
  MemoryPlan::RegionId draft_keys;  // as `keys`, of the draft model; kNoRegion: none
  MemoryPlan::RegionId draft_block_table;  // likewise
  // float [2, hidden_size]: what a draft head or an assistant reads; of an embedder the vector of
  // the text under way; kNoRegion: none
  MemoryPlan::RegionId hidden;
};

struct EnginePlan {
  MemoryPlan memory;
  EngineOptions options;      // with every 0 resolved
  uint64_t mapped_bytes = 0;  // of weights read where they lie in the file, not in the arena
  uint32_t context = 0;       // tokens a session can see, whole blocks under kSlide
  const KernelSet* set = nullptr;
  Runner runner;
  Runner draft;  // where options.draft names a model
  HeapArray<SessionRegions> sessions;
  InputStore::Plan inputs;        // where options.max_input_rows
  HeapArray<MediaEncoder> media;  // one, where options.max_media_rows
  Profile profile;                // where options.profile_events
  // Of each thread, and one for outside of passes; kNoRegion: nothing is sampled.
  MemoryPlan::RegionId sampler_scratch = MemoryPlan::kNoRegion;
  size_t sampler_scratch_bytes = 0;  // of each
  MemoryPlan::RegionId draft_logits =
      MemoryPlan::kNoRegion;  // a row for each thread, where a draft model or head has fewer tokens
};

// Pure: no state is made but the plan's own heap, and the system is asked for nothing. `tokenizer`
// may be null (token ids only).
// Errors: kInvalidArgument (which option, its range), kUnsupported, kOutOfMemory (sizes).
Result<EnginePlan> PlanEngine(const ModelFile& model, const Tokenizer* tokenizer,
                              const EngineOptions& options);

// The same to run it: asks the system to permit the kernels, and takes the next best where it does
// not.
Result<EnginePlan> PlanToRun(const ModelFile& model, const Tokenizer* tokenizer,
                             const EngineOptions& options);

// The largest `context`, up to the model's context_length, whose plan fits `bytes`, with all other
// options as given. Errors: as PlanEngine; kArenaTooSmall where none fits.
Result<uint32_t> FitContext(const ModelFile& model, const Tokenizer* tokenizer,
                            const EngineOptions& options, size_t bytes);

}  // namespace rondo
