#include "tools/bench/session_tests.h"

#include "tools/bench/stepping.h"

namespace rondo::tools {

rondo_engine_options Testbed::EngineOptions(uint32_t sessions, uint64_t context) const {
  rondo_engine_options engine = EngineDefaults();
  engine.context = static_cast<uint32_t>(context);
  engine.max_sessions = sessions;
  engine.max_rows = options.max_rows;
  engine.rows_per_step = options.rows_per_step;
  engine.no_prefix_cache = 1;
  engine.threads = threads;
  engine.kv_format = options.kv_format;
  if (!options.kernels.empty()) engine.kernels = options.kernels.c_str();
  return engine;
}

rondo_memory_plan Testbed::Plan(const rondo_engine_options& engine_options) const {
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  char message[256];
  if (rondo_plan(model.handle.get(), &engine_options, &plan, message, sizeof message) !=
      RONDO_STATUS_OK) {
    throw Error(message);
  }
  return plan;
}

Engine Testbed::Create(const rondo_engine_options& engine_options) const {
  return CreateEngine(model.handle.get(), engine_options);
}

Session Testbed::OpenAt(rondo_engine* engine, uint64_t depth) {
  Session session = OpenEndless(engine);
  Append(session.get(), tokens.Some(depth));
  StepToToken(engine, session.get());
  GoBackTo(session.get(), depth);
  return session;
}

void Testbed::SetPromptLimit(double operations, Measurement* m) const {
  if (!integer_weights) return;
  m->limit = Limit::kInt8Peak;
  m->work = operations;
}

}  // namespace rondo::tools
