#include "tools/bench/session_tests.h"

#include "tools/bench/stepping.h"

namespace rondo::tools {

EngineOptions Testbed::OptionsFor(uint32_t sessions, uint64_t context) const {
  EngineOptions engine;
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

rondo_memory_plan Testbed::Plan(const EngineOptions& engine_options) const {
  return model.handle.Plan(engine_options);
}

Engine Testbed::Create(const EngineOptions& engine_options) const {
  return CreateEngine(model.handle, engine_options);
}

Session Testbed::OpenAt(Engine* engine, uint64_t depth) {
  Session session = OpenEndless(*engine);
  session.Append(tokens.Some(depth));
  StepToToken(engine, &session);
  GoBackTo(&session, depth);
  return session;
}

void Testbed::SetPromptLimit(double operations, Measurement* m) const {
  if (!integer_weights) return;
  m->limit = Limit::kInt8Peak;
  m->work = operations;
}

}  // namespace rondo::tools
