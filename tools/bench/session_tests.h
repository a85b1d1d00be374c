// The tests of many sessions: each creates an engine, measures its repetitions in turn and gives
// what it found.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/bench/limits.h"
#include "tools/bench/random_tokens.h"
#include "tools/bench/runner.h"

namespace rondo::tools {

// What they share. One at a time.
struct Testbed {
  const BenchModel& model;
  const BenchOptions& options;
  const Limits& limits;
  uint32_t threads;  // as the engine's option
  bool integer_weights;
  RandomTokens tokens;

  // With room for `sessions` sessions of `context` tokens, and without a prefix cache.
  EngineOptions OptionsFor(uint32_t sessions, uint64_t context) const;
  rondo_memory_plan Plan(const EngineOptions& engine_options) const;
  Engine Create(const EngineOptions& engine_options) const;
  // After `depth` tokens of its own, of which the last one waits.
  Session OpenAt(Engine* engine, uint64_t depth);
  // The operations of a prompt are held against the int8 peak, which is no limit of float weights.
  void SetPromptLimit(double operations, Measurement* m) const;
};

// Sessions decode side by side, one pass for all: a measurement for each number of them.
std::vector<Measurement> MeasureSideBySide(Testbed& bed);
// A long prompt alone, and beside a session that decodes.
std::vector<Measurement> MeasureBeside(Testbed& bed);
// One thread of the host that calls rondo_session_next, and two, each for a session of its own.
std::vector<Measurement> MeasureCallers(Testbed& bed);
// Forks of a session, in a KV pool that has room for its prompt and their ends, and no more.
std::vector<Measurement> MeasureForks(Testbed& bed);
// A long prompt's first token, without and with what the prefix cache has.
std::vector<Measurement> MeasurePrefix(Testbed& bed);
// A session saved and restored, against evaluating its tokens again.
std::vector<Measurement> MeasureSnapshot(Testbed& bed);

}  // namespace rondo::tools
