#include "runtime/engine/runner.h"

#include <algorithm>

namespace rondo {

namespace {

Result<KvLayout> MakeKvLayout(const DecoderSpec& spec, const KernelSet& set,
                              const ContextWindow& window, const EngineOptions& options) {
  // The prefix cache finds a text by the blocks of what keeps something of all its positions: where
  // there is nothing but states, of an entry of no bytes.
  const bool anchored = std::any_of(spec.sublayers.begin(), spec.sublayers.end(),
                                    [](const SublayerSpec& s) { return s.keeps_state(); }) &&
                        std::none_of(spec.sublayers.begin(), spec.sublayers.end(),
                                     [](const SublayerSpec& s) { return s.keeps_positions(); });
  RONDO_ASSIGN(auto entries,
               HeapArray<KvLayout::Entry>::Create(spec.n_kv_entries + (anchored ? 1 : 0)));
  for (const SublayerSpec& sublayer : spec.sublayers) {
    if (sublayer.keeps()) {
      entries[sublayer.kv_entry] = sublayer.kv;
    }
  }
  return KvLayout::Create(set, options.kv_format, entries.span(), window, options.max_rows,
                          options.max_sessions, options.kv_tokens);
}

// A model that learned its positions one by one has none beyond its table. One whose RoPE is
// dynamic would turn every longer text by frequencies of its own, and cached keys anew with each
// token.
Status CheckPositions(const DecoderSpec& spec, const EngineOptions& options) {
  if (spec.max_context != 0 && options.context > spec.max_context) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "engine option context is %u, but the model's dynamic RoPE ends at %llu",
                         options.context, static_cast<unsigned long long>(spec.max_context));
  }
  if (spec.max_positions == 0) return Status();
  if (options.policy == ContextPolicy::kSlide) {
    return Status::Error(StatusCode::kUnsupported,
                         "engine option policy is 1 (slide), but the model's positions end at "
                         "%llu: use 0 (stop)",
                         static_cast<unsigned long long>(spec.max_positions));
  }
  if (options.context <= spec.max_positions) return Status();
  return Status::Error(StatusCode::kInvalidArgument,
                       "engine option context is %u, but the model's positions end at %llu",
                       options.context, static_cast<unsigned long long>(spec.max_positions));
}

}  // namespace

Result<Runner> Runner::Plan(const ModelFile& file, const KernelSet& set,
                            const EngineOptions& options, const ContextWindow& window,
                            uint32_t context, MemoryPlan* memory) {
  Runner runner;
  RONDO_ASSIGN(runner.decoder, Decoder::Plan(file, set,
                                             {options.max_rows, options.max_sessions,
                                              options.threads, options.adapter_rank},
                                             window, options.draft_head, memory));
  const DecoderSpec& spec = runner.decoder.spec();
  RONDO_RETURN_IF_ERROR(CheckPositions(spec, options));
  RONDO_ASSIGN(runner.kv, MakeKvLayout(spec, set, window, options));
  RONDO_ASSIGN(runner.pool, BlockPool::Plan(runner.kv, memory));
  // A model that keeps nothing of a position has nothing to take over.
  // Where rows see what is behind them, what is kept of a prefix is another in every text.
  runner.has_prefix_cache = !options.no_prefix_cache && !runner.kv.groups().empty() &&
                            !spec.sees_ahead && !spec.prefix_sees_whole;
  if (runner.has_prefix_cache) {
    RONDO_ASSIGN(runner.prefix_cache, PrefixCache::Plan(runner.kv, memory));
  }
  runner.limits = {spec.vocab_size,    options.max_rows, context,
                   spec.short_context, spec.sees_ahead,  spec.prefix_sees_whole};
  return runner;
}

Status Runner::Bind(const ModelFile& file, const MemoryPlan& memory, uint8_t* arena,
                    ThreadPool* threads, const LoadProgress& progress) {
  pool.Bind(memory, arena);
  if (has_prefix_cache) prefix_cache.Bind(memory, arena, kv, &pool);
  return decoder.Bind(file, memory, arena, threads, progress);
}

}  // namespace rondo
