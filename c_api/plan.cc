// Plans: what running a model will take, asked before any of it is taken.
#include <algorithm>

#include "c_api/handles.h"

namespace rondo::c_api {

namespace {

Status ReadCpus(const rondo_engine_options& theirs, CpuSet* cpus) {
  constexpr uint32_t kMost = 256;
  const bool wanted = theirs.affinity == RONDO_AFFINITY_CPUS;
  if (theirs.n_cpus > kMost || (theirs.n_cpus > 0) != wanted) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "engine option n_cpus is %u, but must be 1 to %u with affinity 2 (cpus), "
                         "and else 0",
                         theirs.n_cpus, kMost);
  }
  if ((theirs.cpus != nullptr) != wanted) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "engine option cpus is %sNULL, but "
                         "must %sbe with affinity %d",
                         wanted ? "" : "not ", wanted ? "not " : "", theirs.affinity);
  }
  for (uint32_t i = 0; i < theirs.n_cpus; ++i) {
    const uint32_t cpu = theirs.cpus[i];
    if (cpu < CpuSet::kMost && !cpus->Has(cpu)) {
      cpus->Add(cpu);
      continue;
    }
    return Status::Error(StatusCode::kInvalidArgument,
                         "engine option cpus[%u] is %u, but must be below %u and there once", i,
                         cpu, CpuSet::kMost);
  }
  return Status();
}

}  // namespace

Status ReadEngineOptions(const rondo_engine_options* theirs, EngineOptions* ours,
                         std::optional<Held<rondo_model>>* draft) {
  rondo_engine_options o;
  RONDO_RETURN_IF_ERROR(ReadOptions(theirs, "rondo_engine_options", &o));
  *ours = EngineOptions();
  // generated from here: reads
  ours->context = o.context;
  ours->max_sessions = o.max_sessions;
  ours->max_rows = o.max_rows;
  ours->threads = o.threads;
  ReadEnum(o.context_policy, &ours->policy);
  ours->sink_tokens = o.sink_tokens;
  ReadEnum(o.kv_format, &ours->kv_format);
  ours->kv_tokens = o.kv_tokens;
  ours->rows_per_step = o.rows_per_step;
  RONDO_RETURN_IF_ERROR(
      ReadFlag("engine option no_prefix_cache", o.no_prefix_cache, &ours->no_prefix_cache));
  ours->profile_events = o.profile_events;
  ReadEnum(o.log_level, &ours->log.most);
  ours->duty_percent = o.duty_percent;
  RONDO_RETURN_IF_ERROR(ReadFlag("engine option draft_head", o.draft_head, &ours->draft_head));
  ReadEnum(o.affinity, &ours->affinity);
  ours->adapter_rank = o.adapter_rank;
  ours->max_input_rows = o.max_input_rows;
  ours->max_media_rows = o.max_media_rows;
  // generated to here
  if (o.kernels != nullptr) ours->kernels = o.kernels;
  ours->progress = {o.progress, o.progress_user};
  ours->host_pool = {o.parallel_for, o.parallel_user};
  ours->log.write = o.log;
  ours->log.user = o.log_user;
  RONDO_RETURN_IF_ERROR(ReadCpus(o, &ours->cpus));
  const Held<rondo_model>& model = draft->emplace(o.draft);
  RONDO_RETURN_IF_ERROR(model.CheckIfGiven("engine option draft"));
  if (model) ours->draft = {&model->file, model->tokenizer.get()};
  return Status();
}

rondo_memory_plan DescribePlan(const EnginePlan& plan) {
  const MemoryPlan& memory = plan.memory;
  rondo_memory_plan p = {};
  p.n_regions = static_cast<uint32_t>(memory.size());
  p.arena_bytes = memory.arena_bytes();
  p.arena_alignment = kArenaAlignment;
  p.weights_bytes = memory.segment_bytes(Segment::kWeights);
  p.kv_pool_bytes = memory.segment_bytes(Segment::kKvPool);
  p.sessions_bytes = memory.segment_bytes(Segment::kSessions);
  p.activations_bytes = memory.segment_bytes(Segment::kActivations);
  p.workspace_bytes = memory.segment_bytes(Segment::kWorkspace);
  p.activations_lower_bound = memory.activation_lower_bound();
  p.kv_bytes_per_token = plan.runner.kv.bytes_per_token() + plan.draft.kv.bytes_per_token();
  p.kv_block_tokens = rondo::kKvBlockTokens;
  p.context = plan.context;
  p.max_sessions = plan.options.max_sessions;
  p.max_rows = plan.options.max_rows;
  p.threads = plan.options.threads;
  p.sink_tokens = plan.options.sink_tokens;
  p.kernels = plan.set->name;
  p.mapped_bytes = plan.mapped_bytes;
  p.kv_tokens = plan.runner.kv.pool_tokens();
  p.rows_per_step = plan.options.rows_per_step;
  return p;
}

Status DescribeRegion(const EnginePlan& plan, uint32_t index, rondo_memory_region* region) {
  if (index >= plan.memory.size()) {
    return Status::Error(StatusCode::kInvalidArgument, "region %u of %zu", index,
                         plan.memory.size());
  }
  const PlanRegion& b = plan.memory.region(index);
  static_assert(sizeof b.name == sizeof region->name);
  rondo_memory_region out = {};
  out.segment = static_cast<int32_t>(b.segment);
  out.offset = b.offset;
  out.bytes = b.bytes;
  out.first_step = b.first_step;
  out.last_step = b.last_step;
  std::memcpy(out.name, b.name, sizeof out.name);
  Fill(region, out);
  return Status();
}

namespace {

Result<EnginePlan> Plan(const rondo_model* handle, const rondo_engine_options* options) {
  const Held model(handle);
  if (!model) return model.Why("model");
  EngineOptions o;
  std::optional<Held<rondo_model>> draft;
  RONDO_RETURN_IF_ERROR(ReadEngineOptions(options, &o, &draft));
  return PlanEngine(model->file, model->tokenizer.get(), o);
}

Result<uint32_t> Fit(const rondo_model* handle, const rondo_engine_options* options,
                     uint64_t bytes) {
  const Held model(handle);
  if (!model) return model.Why("model");
  EngineOptions o;
  std::optional<Held<rondo_model>> draft;
  RONDO_RETURN_IF_ERROR(ReadEngineOptions(options, &o, &draft));
  return FitContext(model->file, model->tokenizer.get(), o,
                    static_cast<size_t>(std::min<uint64_t>(bytes, SIZE_MAX)));
}

Status FillPlan(const rondo_model* model, const rondo_engine_options* options,
                rondo_memory_plan* plan) {
  RONDO_RETURN_IF_ERROR(CheckOutput(plan, "plan"));
  RONDO_ASSIGN(const EnginePlan made, Plan(model, options));
  Fill(plan, DescribePlan(made));
  return Status();
}

Status FillRegion(const rondo_model* model, const rondo_engine_options* options, uint32_t index,
                  rondo_memory_region* region) {
  RONDO_RETURN_IF_ERROR(CheckOutput(region, "region"));
  RONDO_ASSIGN(const EnginePlan made, Plan(model, options));
  return DescribeRegion(made, index, region);
}

}  // namespace
}  // namespace rondo::c_api

using rondo::c_api::Clear;
using rondo::c_api::ClearOptions;
using rondo::c_api::Code;
using rondo::c_api::Fill;
using rondo::c_api::FillPlan;
using rondo::c_api::FillRegion;
using rondo::c_api::Fit;
using rondo::c_api::NullArgument;
using rondo::c_api::Report;

extern "C" {

int32_t rondo_engine_options_init(rondo_engine_options* options, size_t struct_size) {
  const int32_t status = ClearOptions(options, struct_size);
  if (status != RONDO_STATUS_OK) return status;
  const rondo::EngineOptions defaults;
  rondo_engine_options o = {};
  // generated from here: defaults
  o.context = defaults.context;
  o.max_sessions = defaults.max_sessions;
  o.max_rows = defaults.max_rows;
  o.threads = defaults.threads;
  o.context_policy = static_cast<int32_t>(defaults.policy);
  o.sink_tokens = defaults.sink_tokens;
  o.kv_format = static_cast<int32_t>(defaults.kv_format);
  o.kv_tokens = defaults.kv_tokens;
  o.rows_per_step = defaults.rows_per_step;
  o.no_prefix_cache = defaults.no_prefix_cache;
  o.profile_events = defaults.profile_events;
  o.log_level = static_cast<int32_t>(defaults.log.most);
  o.duty_percent = defaults.duty_percent;
  o.draft_head = defaults.draft_head;
  o.affinity = static_cast<int32_t>(defaults.affinity);
  o.adapter_rank = defaults.adapter_rank;
  o.max_input_rows = defaults.max_input_rows;
  o.max_media_rows = defaults.max_media_rows;
  // generated to here
  Fill(options, o);
  return RONDO_STATUS_OK;
}

int32_t rondo_plan(const rondo_model* model, const rondo_engine_options* options,
                   rondo_memory_plan* plan, char* message, size_t message_bytes) {
  Clear(plan);
  return Report(FillPlan(model, options, plan), message, message_bytes);
}

int32_t rondo_plan_region(const rondo_model* model, const rondo_engine_options* options,
                          uint32_t index, rondo_memory_region* region) {
  Clear(region);
  return Code(FillRegion(model, options, index, region));
}

int32_t rondo_plan_fit(const rondo_model* model, const rondo_engine_options* options,
                       uint64_t bytes, uint32_t* context, char* message, size_t message_bytes) {
  if (context == nullptr) return Report(NullArgument("context"), message, message_bytes);
  *context = 0;
  const auto fit = Fit(model, options, bytes);
  if (fit.ok()) *context = *fit;
  return Report(fit.status(), message, message_bytes);
}

}  // extern "C"
