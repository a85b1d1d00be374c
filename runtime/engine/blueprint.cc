#include "runtime/engine/blueprint.h"

#include <algorithm>
#include <cstdio>

#include "platforms/cpu.h"
#include "runtime/base/checked.h"
#include "runtime/engine/session.h"
#include "runtime/sampling/sampler.h"
#include "runtime/sampling/stop_strings.h"

namespace rondo {

namespace {

constexpr uint32_t kMaxContext = 1u << 24;
constexpr uint32_t kMaxThreads = 256;

Status CheckRange(const char* name, uint32_t value, uint32_t low, uint32_t high) {
  if (value >= low && value <= high) return Status();
  return Status::Error(StatusCode::kInvalidArgument, "engine option %s is %u, but must be %u to %u",
                       name, value, low, high);
}

// Fills in what was left to the library, and refuses what is out of range.
Result<EngineOptions> Resolve(const ModelFile& model, EngineOptions options) {
  if (options.context == 0) options.context = model.model().context_length();
  if (options.threads == 0) options.threads = std::min(PerformanceCores(), kMaxThreads);
  RONDO_RETURN_IF_ERROR(CheckRange("context", options.context, 1, kMaxContext));
  RONDO_RETURN_IF_ERROR(CheckRange("max_sessions", options.max_sessions, 1, kMaxSessions));
  RONDO_RETURN_IF_ERROR(CheckRange("max_rows", options.max_rows, 1, kMaxRows));
  RONDO_RETURN_IF_ERROR(CheckRange("threads", options.threads, 1, kMaxThreads));
  if (options.policy != ContextPolicy::kStop && options.policy != ContextPolicy::kSlide) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "engine option policy is %d, but must be 0 (stop) or 1 (slide)",
                         static_cast<int>(options.policy));
  }
  if (options.kv_format != KvFormat::kInt8 && options.kv_format != KvFormat::kFloat32) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "engine option kv_format is %d, but must be 0 (int8) or 1 (float32)",
                         static_cast<int>(options.kv_format));
  }
  if (options.policy == ContextPolicy::kStop && options.sink_tokens != 0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "engine option sink_tokens is %u, but without the slide policy nothing "
                         "is evicted: leave it 0",
                         options.sink_tokens);
  }
  return options;
}

// Under SLIDE the window turns in whole blocks, and a row at the start of a block must still see
// at least one whole block before it.
Result<ContextWindow> MakeWindow(const EngineOptions& options) {
  ContextWindow window;
  window.slides = options.policy == ContextPolicy::kSlide;
  window.blocks = CeilDiv(options.context, kKvBlockTokens);
  if (!window.slides) return window;
  window.sink_blocks = CeilDiv(options.sink_tokens, kKvBlockTokens);
  if (window.blocks < window.sink_blocks + 2) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "engine option context is %u, but sliding with %u sink tokens needs at "
                         "least %llu",
                         options.context, options.sink_tokens,
                         static_cast<unsigned long long>(window.sink_blocks + 2) * kKvBlockTokens);
  }
  return window;
}

Result<KvLayout> MakeKvLayout(const DecoderSpec& spec, const KernelSet& set, KvFormat format,
                              const ContextWindow& window, uint64_t max_rows) {
  RONDO_ASSIGN(auto layers, HeapArray<KvLayout::Layer>::Create(spec.layers.size()));
  for (size_t i = 0; i < layers.size(); ++i) {
    const LayerSpec& layer = spec.layers[i];
    if (layer.conv_taps > 0) {
      layers[i] = {.floats = spec.hidden_size, .window = layer.conv_taps};
    } else {
      layers[i] = {
          .n_kv_heads = layer.n_kv_heads, .head_dim = layer.head_dim, .window = layer.window};
    }
  }
  return KvLayout::Create(set, format, layers.span(), window, max_rows);
}

// A model that learned its positions one by one has none beyond its table.
Status CheckPositions(const DecoderSpec& spec, const EngineOptions& options) {
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

// Asks for one session's blocks.
SessionBlocks AddSession(const Blueprint& blueprint, const Tokenizer* tokenizer, size_t index,
                         MemoryPlan* memory) {
  const auto add = [&](Segment segment, const char* what, CheckedSize bytes) {
    char name[PlanBlock::kMaxName];
    std::snprintf(name, sizeof name, "session %zu: %s", index, what);
    return memory->Add(segment, bytes.valid() ? bytes.value() : SIZE_MAX, name);
  };
  const CheckedSize tokens = blueprint.ring_tokens();
  const size_t piece = tokenizer != nullptr ? StreamDecoder::MaxTextBytes(*tokenizer) : 0;
  const Segment s = Segment::kSessions;
  return {
      .session = add(s, "state", sizeof(Session)),
      .kv =
          add(Segment::kKvPool, "KV blocks", CheckedSize(blueprint.kv.session_bytes()) + kOverRead),
      .tokens = add(s, "tokens", tokens * sizeof(int32_t)),
      .logits = add(s, "logits", CheckedSize(blueprint.decoder.spec().vocab_size) * sizeof(float)),
      .sampler = add(s, "sampler", Sampler::Bytes(Session::SamplerHistory(tokens.value()))),
      .stop_strings = add(s, "stop strings", StopStrings::Bytes(piece)),
      .piece = add(s, "piece of text", piece),
      .text = add(s, "text", 2 * (piece + kMaxStopStringBytes)),
  };
}

}  // namespace

Result<Blueprint> Blueprint::Draw(const ModelFile& model, const Tokenizer* tokenizer,
                                  const EngineOptions& wishes) {
  Blueprint b;
  RONDO_ASSIGN(b.plan.options, Resolve(model, wishes));
  const EngineOptions& options = b.plan.options;
  b.set = SelectKernelSet(options.kernels);
  if (b.set == nullptr) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "engine option kernels is \"%.*s\", which this build or CPU lacks; leave "
                         "it empty for the best one",
                         static_cast<int>(std::min<size_t>(options.kernels.size(), 32)),
                         options.kernels.data());
  }
  RONDO_ASSIGN(b.window, MakeWindow(options));
  b.ring_blocks = b.window.RingBlocks(options.max_rows);

  const size_t n_layers = model.model().layers()->size();
  constexpr size_t kOtherBlocks = 32;
  constexpr size_t kBlocksPerSession = sizeof(SessionBlocks) / sizeof(MemoryPlan::BlockId);
  RONDO_ASSIGN(b.plan.memory, MemoryPlan::Create(n_layers + kOtherBlocks +
                                                 kBlocksPerSession * options.max_sessions));
  MemoryPlan* memory = &b.plan.memory;
  RONDO_ASSIGN(b.decoder,
               Decoder::Plan(model, *b.set, options.max_rows, options.threads, b.window, memory));
  RONDO_RETURN_IF_ERROR(CheckPositions(b.decoder.spec(), options));
  RONDO_ASSIGN(
      b.kv, MakeKvLayout(b.decoder.spec(), *b.set, options.kv_format, b.window, options.max_rows));
  RONDO_ASSIGN(b.sessions, HeapArray<SessionBlocks>::Create(options.max_sessions));
  for (size_t i = 0; i < b.sessions.size(); ++i)
    b.sessions[i] = AddSession(b, tokenizer, i, memory);
  const auto vocab_size = static_cast<uint32_t>(b.decoder.spec().vocab_size);
  b.sampler_scratch =
      memory->Add(Segment::kWorkspace, Sampler::ScratchBytes(vocab_size), "sampler scratch");
  b.chunk_tokens =
      memory->Add(Segment::kWorkspace, options.max_rows * sizeof(int32_t), "chunk of tokens");
  RONDO_RETURN_IF_ERROR(memory->Layout());

  b.plan.mapped_bytes = b.decoder.weights().mapped_bytes();
  b.plan.kv_block_tokens = kKvBlockTokens;
  b.plan.kv_bytes_per_token = b.kv.bytes_per_token();
  b.plan.context =
      b.window.slides ? static_cast<uint32_t>(b.window.blocks * kKvBlockTokens) : options.context;
  b.plan.kernels = b.set->name;
  return b;
}

Result<EnginePlan> PlanEngine(const ModelFile& model, const Tokenizer* tokenizer,
                              const EngineOptions& options) {
  RONDO_ASSIGN(Blueprint blueprint, Blueprint::Draw(model, tokenizer, options));
  return std::move(blueprint.plan);
}

Result<uint32_t> FitContext(const ModelFile& model, const Tokenizer* tokenizer,
                            const EngineOptions& options, size_t bytes) {
  const auto arena_bytes = [&](uint32_t blocks) -> Result<size_t> {
    EngineOptions trial = options;
    trial.context = static_cast<uint32_t>(blocks * kKvBlockTokens);
    RONDO_ASSIGN(EnginePlan plan, PlanEngine(model, tokenizer, trial));
    return plan.memory.arena_bytes();
  };
  // The fewest blocks that the policy allows; then the most that fit, by bisection.
  const bool slides = options.policy == ContextPolicy::kSlide;
  uint32_t low =
      slides ? static_cast<uint32_t>(CeilDiv(options.sink_tokens, kKvBlockTokens)) + 2 : 1;
  uint32_t high = std::max<uint32_t>(
      low, static_cast<uint32_t>(CeilDiv(model.model().context_length(), kKvBlockTokens)));
  RONDO_ASSIGN(const size_t least, arena_bytes(low));
  if (least > bytes) {
    return Status::Error(
        StatusCode::kArenaTooSmall,
        "the smallest context, %zu tokens, needs %zu bytes, but only %zu are given",
        low * kKvBlockTokens, least, bytes);
  }
  while (low < high) {
    const uint32_t middle = low + (high - low + 1) / 2;
    const Result<size_t> need = arena_bytes(middle);
    if (need.ok() && *need <= bytes) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const uint32_t context = static_cast<uint32_t>(low * kKvBlockTokens);
  return slides ? context
                : std::min(context,
                           std::max<uint32_t>(model.model().context_length(), kKvBlockTokens));
}

}  // namespace rondo
