#include "runtime/engine/plan.h"

#include <algorithm>

#include "platforms/cpu.h"
#include "runtime/base/checked.h"
#include "runtime/base/format.h"
#include "runtime/decoder/attention.h"
#include "runtime/engine/draft_model.h"
#include "runtime/engine/sequence.h"
#include "runtime/engine/session.h"
#include "runtime/model/adapter_file.h"
#include "runtime/model/limits.h"
#include "runtime/model/linears.h"
#include "runtime/sampling/sampler.h"
#include "runtime/sampling/stop_strings.h"
#include "runtime/text/tokenizer.h"

namespace rondo {

namespace {

constexpr uint32_t kMaxKvTokens = kMaxContext * kMaxSessions;
constexpr uint32_t kMaxThreads = 256;

// "0 (int8), 1 (float32), ..."
void ListKvFormats(char* text, size_t bytes) {
  const std::span<const KvFormatRule> rules = KvFormatRules();
  size_t used = 0;
  for (size_t i = 0; i < rules.size(); ++i) {
    const char* between = i == 0 ? "" : i + 1 < rules.size() ? ", " : " or ";
    used += Format(text + used, bytes - used, "%s%zu (%s)", between, i, rules[i].name);
    used = std::min(used, bytes - 1);
  }
}

Status CheckRange(const char* name, uint32_t value, uint32_t low, uint32_t high) {
  if (value >= low && value <= high) return Status();
  return Status::Error(StatusCode::kInvalidArgument, "engine option %s is %u, but must be %u to %u",
                       name, value, low, high);
}

// Fills in the CPUs of the engine's threads; none: wherever the system puts them.
Status ResolveCpus(EngineOptions* options) {
  switch (options->affinity) {
    case Affinity::kSystem:
      break;
    case Affinity::kPerformance:
      options->cpus = PerformanceCpus();
      break;
    case Affinity::kCpus: {
      const CpuSet usable = UsableCpus();
      if (usable.Count() == 0) {
        return Status::Error(StatusCode::kUnsupported,
                             "engine option affinity is 2 (cpus), but this system does not keep "
                             "threads to CPUs");
      }
      for (uint32_t cpu = 0; cpu < CpuSet::kMost; ++cpu) {
        if (!options->cpus.Has(cpu) || usable.Has(cpu)) continue;
        return Status::Error(StatusCode::kInvalidArgument,
                             "engine option cpus names CPU %u, which this process may not run on",
                             cpu);
      }
      if (options->threads == 0) options->threads = std::min(options->cpus.Count(), kMaxThreads);
      break;
    }
    default:
      return Status::Error(
          StatusCode::kInvalidArgument,
          "engine option affinity is %d, but must be 0 (system), 1 (performance) or 2 (cpus)",
          static_cast<int>(options->affinity));
  }
  if (options->affinity == Affinity::kSystem || options->host_pool.parallel_for == nullptr) {
    return Status();
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "engine option affinity is %d, but with parallel_for the engine has no "
                       "threads of its own: leave it 0",
                       static_cast<int>(options->affinity));
}

// A prefix is of one pass, with all pictures that are in it: they have places for their rows, and
// it some tokens beside them.
uint32_t RowsForPrefix(const ModelFile& model, const EngineOptions& options) {
  constexpr uint32_t kTokens = 256;
  if (!model.model().prefix_sees_whole() || options.max_media_rows == 0) return options.max_rows;
  const uint32_t rows = std::min(options.max_media_rows, kMaxRows) + kTokens;
  return std::max(options.max_rows, std::min(rows, kMaxRows));
}

// Fills in what was left to the library, and refuses what is out of range.
Result<EngineOptions> Resolve(const ModelFile& model, EngineOptions options) {
  if (options.context == 0) options.context = model.model().context_length();
  RONDO_RETURN_IF_ERROR(ResolveCpus(&options));
  if (options.threads == 0) options.threads = std::min(PerformanceCores(), kMaxThreads);
  if (options.duty_percent == 0) options.duty_percent = 100;
  RONDO_RETURN_IF_ERROR(CheckRange("max_rows", options.max_rows, 1, kMaxRows));
  options.max_rows = RowsForPrefix(model, options);
  if (options.rows_per_step == 0) options.rows_per_step = options.max_rows;
  RONDO_RETURN_IF_ERROR(CheckRange("context", options.context, 1, kMaxContext));
  RONDO_RETURN_IF_ERROR(CheckRange("max_sessions", options.max_sessions, 1, kMaxSessions));
  RONDO_RETURN_IF_ERROR(CheckRange("threads", options.threads, 1, kMaxThreads));
  RONDO_RETURN_IF_ERROR(CheckRange("rows_per_step", options.rows_per_step, 1, options.max_rows));
  RONDO_RETURN_IF_ERROR(CheckRange("duty_percent", options.duty_percent, 1, 100));
  RONDO_RETURN_IF_ERROR(CheckRange("kv_tokens", options.kv_tokens, 0, kMaxKvTokens));
  RONDO_RETURN_IF_ERROR(CheckRange("profile_events", options.profile_events, 0, kMaxProfileEvents));
  RONDO_RETURN_IF_ERROR(CheckRange("adapter_rank", options.adapter_rank, 0, kMaxAdapterRank));
  RONDO_RETURN_IF_ERROR(CheckRange("max_input_rows", options.max_input_rows, 0, kMaxInputRows));
  RONDO_RETURN_IF_ERROR(CheckRange("max_media_rows", options.max_media_rows, 0, kMaxInputRows));
  RONDO_RETURN_IF_ERROR(CheckRange("log_level", static_cast<uint32_t>(options.log.most), 0,
                                   static_cast<uint32_t>(LogLevel::kDebug)));
  if (options.policy != ContextPolicy::kStop && options.policy != ContextPolicy::kSlide) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "engine option policy is %d, but must be 0 (stop) or 1 (slide)",
                         static_cast<int>(options.policy));
  }
  if (const auto number = static_cast<int32_t>(options.kv_format); !IsKvFormat(number)) {
    char formats[128];
    ListKvFormats(formats, sizeof formats);
    return Status::Error(StatusCode::kInvalidArgument,
                         "engine option kv_format is %d, but must be %s", number, formats);
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

// Asks for one session's regions.
SessionRegions AddSession(const EnginePlan& plan, const Tokenizer* tokenizer, size_t index,
                          MemoryPlan* memory) {
  const auto add = [&](const char* what, CheckedSize bytes) {
    char name[PlanRegion::kMaxName];
    Format(name, sizeof name, "session %zu: %s", index, what);
    return memory->Add(Segment::kSessions, bytes.valid() ? bytes.value() : SIZE_MAX, name);
  };
  const size_t piece = tokenizer != nullptr ? StreamDecoder::MaxTextBytes(*tokenizer) : 0;
  const CheckedSize positions =
      CheckedSize(Sequence::HistoryTokens(plan.runner.kv.ring_tokens(), plan.runner.kv.window(),
                                          plan.context)) +
      plan.options.max_rows;
  const CheckedSize keys = positions * sizeof(InputKey);
  const bool has_draft = plan.options.draft.file != nullptr;
  const bool assisted = has_draft && plan.draft.is_assistant();
  const bool drafts = has_draft && !assisted;
  const DecoderSpec& spec = plan.runner.decoder.spec();
  return {
      .session = add("state", sizeof(Session)),
      .keys = add("keys", keys),
      .shifts = plan.options.has_inputs() ? add("shifts", positions * sizeof(int64_t))
                                          : MemoryPlan::kNoRegion,
      .block_table = add("block table", BlockTable::Bytes(plan.runner.kv)),
      .logits = spec.is_embedder() ? MemoryPlan::kNoRegion
                                   : add("logits", CheckedSize(spec.vocab_size) * sizeof(float)),
      .sampler = add("sampler", Sampler::Bytes()),
      .stop_strings = add("stop strings", StopStrings::Bytes(piece)),
      .piece = add("piece of text", piece),
      .text = add("text", SessionText::TextBytes(piece)),
      .draft_keys = drafts ? add("draft: keys", keys) : MemoryPlan::kNoRegion,
      .draft_block_table =
          drafts ? add("draft: blocks", BlockTable::Bytes(plan.draft.kv)) : MemoryPlan::kNoRegion,
      .hidden = spec.is_embedder() ? add("vector", RowScratch(spec.embedder.widest))
                : spec.has_draft_head || assisted
                    ? add("hidden states", CheckedSize(2) * spec.hidden_size * sizeof(float))
                    : MemoryPlan::kNoRegion,
  };
}

// The best of this CPU but `refused`; of those that read a packed file's layout, where there are
// some.
const KernelSet* BestKernelSet(const ModelFile& model, const KernelSet* refused) {
  const KernelSet* best = nullptr;
  for (const KernelSet* set : AllKernelSets()) {
    if (set == refused || !set->available()) continue;
    if (model.layout() == nullptr || LayoutOf(*set) == *model.layout()) return set;
    if (best == nullptr) best = set;
  }
  return best;
}

Status NoSuchKernels(std::string_view name) {
  char known[128] = "";
  size_t size = 0;
  for (const KernelSet* set : AllKernelSets()) {
    if (!set->available() || size >= sizeof known) continue;
    size += Format(known + size, sizeof known - size, "%s%s", size == 0 ? "" : ", ", set->name);
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "engine option kernels is \"%.*s\", but this build and CPU have %s",
                       CutForMessage(name, 32), name.data(), known);
}

// What a draft model takes beside the model. It finds no prefixes: a text that is new to it costs
// little.
Status PlanDraft(const ContextWindow& window, EnginePlan* plan) {
  EngineOptions options = plan->options;
  options.no_prefix_cache = true;
  options.draft_head = false;
  options.adapter_rank = 0;  // it only proposes
  const bool assists = options.draft.file->model().assistant() != nullptr;
  if (assists) options.max_rows = std::min(options.max_rows, options.max_sessions);
  plan->memory.BeginPart("draft: ");
  Result<Runner> draft =
      Runner::Plan(*options.draft.file, *plan->set, options, window, plan->context, &plan->memory);
  if (!draft.ok()) {
    return Status::Error(draft.status().code(), "draft model: %s", draft.status().message());
  }
  draft->limits.has_prefix = false;  // it proposes row by row, and what it proposes is verified
  plan->draft = std::move(*draft);
  if (assists) RONDO_RETURN_IF_ERROR(plan->draft.decoder.Assist(plan->runner.decoder));
  plan->memory.EndPart();
  plan->mapped_bytes += plan->draft.decoder.weights().mapped_bytes();
  return Status();
}

// Where a draft model or head has fewer tokens than the model, its logits are filled up.
void PlanDraftLogits(const ModelFile& model, EnginePlan* plan) {
  const size_t vocab = plan->runner.limits.vocab_size;
  const format::Model* const draft =
      plan->options.draft.file != nullptr ? &plan->options.draft.file->model() : nullptr;
  const bool of_model =
      draft != nullptr && (draft->assistant() != nullptr ? draft->assistant()->n_tokens()
                                                         : draft->vocab_size()) < vocab;
  const bool of_head = plan->options.draft_head && model.model().draft_head()->n_tokens() < vocab;
  if (!of_model && !of_head) return;
  const CheckedSize rows = CheckedSize(plan->options.threads) * vocab * sizeof(float);
  plan->draft_logits = plan->memory.Add(Segment::kWorkspace, rows.ValueOrMost(), "draft logits");
}

// A model that makes vectors of texts predicts nothing: no draft is of use to it, nor is it a draft
// model; and its texts are whole.
Status CheckEmbedder(const ModelFile& model, const EngineOptions& options) {
  const ModelFile* const draft = options.draft.file;
  const bool is_embedder = model.model().embedder() != nullptr;
  if (draft != nullptr && (is_embedder || draft->model().embedder() != nullptr)) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "engine option draft is set, but the %s makes vectors of texts and "
                         "predicts no tokens",
                         is_embedder ? "model" : "draft model");
  }
  if (is_embedder && options.max_input_rows > 0) {
    return Status::Error(
        StatusCode::kUnsupported,
        "engine option max_input_rows is %u, but the model makes vectors of texts: "
        "leave it 0",
        options.max_input_rows);
  }
  if (!is_embedder || options.policy == ContextPolicy::kStop) return Status();
  return Status::Error(StatusCode::kUnsupported,
                       "engine option policy is 1 (slide), but the model makes vectors of whole "
                       "texts: use 0 (stop)");
}

// Apart, so that what it takes of the stack is free again.
[[gnu::noinline]] Status PlanMedia(const ModelFile& model, const KernelSet& set,
                                   const EngineOptions& options, MemoryPlan* memory,
                                   MediaEncoder* media) {
  RONDO_ASSIGN(*media, MediaEncoder::Plan(model, set, options, memory));
  return Status();
}

// All but the layout. `refused`: kernels that are not to be taken, or null.
Result<EnginePlan> AskForAll(const ModelFile& model, const Tokenizer* tokenizer,
                             const EngineOptions& wishes, const KernelSet* refused) {
  EnginePlan plan;
  RONDO_ASSIGN(plan.options, Resolve(model, wishes));
  const EngineOptions& options = plan.options;
  if (model.model().assistant() != nullptr) {
    return Status::Error(
        StatusCode::kInvalidArgument,
        "the model is an assistant, which only drafts for another model: open that "
        "one, and give this one as its engine option draft");
  }
  RONDO_RETURN_IF_ERROR(CheckEmbedder(model, options));
  if (options.draft_head && model.model().draft_head() == nullptr) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "engine option draft_head is 1, but the model's file has no draft head: "
                         "`rondo convert --mtp` keeps that of a checkpoint");
  }
  plan.set =
      options.kernels.empty() ? BestKernelSet(model, refused) : SelectKernelSet(options.kernels);
  if (plan.set == nullptr || plan.set == refused) {
    return NoSuchKernels(options.kernels);
  }
  RONDO_ASSIGN(const ContextWindow window, MakeWindow(options));
  plan.context =
      window.slides ? static_cast<uint32_t>(window.blocks * kKvBlockTokens) : options.context;

  MemoryPlan* memory = &plan.memory;
  RONDO_ASSIGN(plan.runner, Runner::Plan(model, *plan.set, options, window, plan.context, memory));
  plan.options.no_prefix_cache = !plan.runner.has_prefix_cache;
  if (options.draft.file != nullptr) {
    RONDO_RETURN_IF_ERROR(CheckDraftModel(model, tokenizer, options.draft, options.draft_head));
    RONDO_RETURN_IF_ERROR(PlanDraft(window, &plan));
  }
  PlanDraftLogits(model, &plan);
  if (options.max_media_rows > 0) {
    RONDO_ASSIGN(plan.media, HeapArray<MediaEncoder>::Create(1));
    RONDO_RETURN_IF_ERROR(PlanMedia(model, *plan.set, options, memory, &plan.media[0]));
  }
  plan.inputs = InputStore::Plan::Make(
      options.max_input_rows + options.max_media_rows, plan.runner.decoder.spec().hidden_size,
      plan.media.size() > 0 ? plan.media[0].further_rows() : 0, IsTurned(model.model()), memory);
  RONDO_ASSIGN(plan.sessions, HeapArray<SessionRegions>::Create(options.max_sessions));
  for (size_t i = 0; i < plan.sessions.size(); ++i) {
    plan.sessions[i] = AddSession(plan, tokenizer, i, memory);
  }
  const auto vocab_size = static_cast<uint32_t>(plan.runner.decoder.spec().vocab_size);
  if (!plan.runner.decoder.spec().is_embedder()) {
    const CheckedSize scratch =
        CheckedSize(TokenChoices::ScratchBytes(vocab_size)).AlignUp(kArenaAlignment);
    plan.sampler_scratch_bytes = scratch.ValueOrMost();
    plan.sampler_scratch = memory->Add(Segment::kWorkspace,
                                       (scratch * (CheckedSize(options.threads) + 1)).ValueOrMost(),
                                       "sampler scratch");
  }
  plan.profile = Profile::Plan(options.profile_events, memory);

  plan.mapped_bytes += plan.runner.decoder.weights().mapped_bytes();
  return plan;
}

Result<EnginePlan> MakePlan(const ModelFile& model, const Tokenizer* tokenizer,
                            const EngineOptions& options, const KernelSet* refused) {
  Result<EnginePlan> plan = AskForAll(model, tokenizer, options, refused);
  if (plan.ok()) RONDO_RETURN_IF_ERROR(plan->memory.Layout());
  return plan;  // the only copy: it takes 11 KB of a stack
}

// The first of [low, high] from which on `property` is what it is at the end; it changes in one
// direction.
template <typename Property>
uint32_t FirstLike(uint32_t low, uint32_t high, const Property& property) {
  const auto wanted = property(high);
  for (uint32_t end = high; low < end;) {
    const uint32_t middle = low + (end - low) / 2;
    if (property(middle) == wanted) {
      end = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// The last of [low, high] that `fits`, where all before it do; 0: none does.
template <typename Fits>
Result<uint32_t> LastThat(uint32_t low, uint32_t high, const Fits& fits) {
  RONDO_ASSIGN(const bool some, fits(low));
  if (!some) return 0;
  while (low < high) {
    const uint32_t middle = low + (high - low + 1) / 2;
    RONDO_ASSIGN(const bool more, fits(middle));
    if (more) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace

Result<EnginePlan> PlanEngine(const ModelFile& model, const Tokenizer* tokenizer,
                              const EngineOptions& options) {
  return MakePlan(model, tokenizer, options, nullptr);
}

Result<EnginePlan> PlanToRun(const ModelFile& model, const Tokenizer* tokenizer,
                             const EngineOptions& options) {
  Result<EnginePlan> plan = MakePlan(model, tokenizer, options, nullptr);
  if (!plan.ok() || plan->set->Permitted()) return plan;
  return MakePlan(model, tokenizer, options, plan->set);
}

// A longer context may take less: a pool of so many tokens has room for fewer rings of a layer with
// a window of its own, and buffers that share memory may happen to share more of it. So contexts
// are taken in stretches, the last first, in which there are as many rings; in each of these the
// most that is live at once grows with the context, and ends the search at once as a rule; and in
// pieces of a stretch in which attention has as many segments all buffers stay as they are.
Result<uint32_t> FitContext(const ModelFile& model, const Tokenizer* tokenizer,
                            const EngineOptions& options, size_t bytes) {
  EngineOptions trial = options;
  // SIZE_MAX: larger than memory, or there is no such context, as of a draft model's positions.
  const auto size_of = [&](uint32_t context, bool at_least) -> Result<size_t> {
    trial.context = context;
    Result<EnginePlan> plan = AskForAll(model, tokenizer, trial, nullptr);
    if (plan.status().code() == StatusCode::kOutOfMemory) return plan.status();
    if (!plan.ok() || plan->memory.overflows()) return SIZE_MAX;
    MemoryPlan& memory = plan->memory;
    RONDO_RETURN_IF_ERROR(memory.Layout());
    const size_t shared =
        memory.segment_bytes(Segment::kActivations) - memory.activation_lower_bound();
    return memory.arena_bytes() - (at_least ? shared : 0);
  };
  const auto fits_at_least = [&](uint32_t context) -> Result<bool> {
    RONDO_ASSIGN(const size_t size, size_of(context, true));
    return size <= bytes;
  };
  const auto fits = [&](uint32_t context) -> Result<bool> {
    RONDO_ASSIGN(const size_t size, size_of(context, false));
    return size <= bytes;
  };
  const auto window = [&](uint32_t context) {
    trial.context = context;
    const Result<ContextWindow> made = MakeWindow(trial);
    return made.ok() ? *made : ContextWindow();
  };
  const auto rings = [&](uint32_t context) {
    return KvLayout::ShareOf(window(context), options.max_rows, options.max_sessions,
                             options.kv_tokens)
        .rings;
  };
  const auto segments = [&](uint32_t context) { return AttentionSegments::Most(window(context)); };

  // The least that the policy allows. A model whose positions end has none beyond them, where no
  // plan is made.
  const uint32_t most = std::min(model.model().context_length(), kMaxContext);
  const size_t sink_blocks = CeilDiv(options.sink_tokens, kKvBlockTokens);
  const size_t smallest =
      options.policy == ContextPolicy::kSlide ? (sink_blocks + 1) * kKvBlockTokens + 1 : 1;
  const auto least = static_cast<uint32_t>(std::min<size_t>(smallest, most));
  trial.context = least;
  RONDO_ASSIGN(const EnginePlan first, PlanEngine(model, tokenizer, trial));
  for (uint32_t last = most; last >= least;) {
    const uint32_t begin = FirstLike(least, last, rings);
    RONDO_ASSIGN(uint32_t end, LastThat(begin, last, fits_at_least));
    while (end >= begin) {
      RONDO_ASSIGN(const bool is_it, fits(end));
      if (is_it) return end;
      const uint32_t piece = FirstLike(begin, end, segments);
      RONDO_ASSIGN(const uint32_t found, LastThat(piece, end, fits));
      if (found > 0) return found;
      end = piece - 1;
    }
    last = begin - 1;
  }
  return Status::Error(StatusCode::kArenaTooSmall,
                       "the smallest context, %u token%s, needs %zu bytes, but only %zu are given",
                       least, least == 1 ? "" : "s", first.memory.arena_bytes(), bytes);
}

}  // namespace rondo
