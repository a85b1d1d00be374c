// The measuring itself: an engine for each number of threads, every test at every depth.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/bench/bench_model.h"
#include "tools/bench/measurement.h"
#include "tools/bench/subject.h"
#include "tools/common/sight.h"

namespace rondo::tools {

struct BenchOptions {
  uint64_t prompt_tokens = 512;         // 0: no prefill test
  uint64_t decode_tokens = 128;         // 0: no decode test
  std::vector<uint32_t> depths = {0};   // ascending, not empty
  std::vector<uint32_t> threads = {0};  // none twice, not empty; 0: the performance cores
  // Ascending from 1 to at most max_rows; empty: no verify test.
  std::vector<uint32_t> verified_rows;
  // Drafts beside a token, ascending from 0 to at most 7, less than max_rows; empty: no such test.
  std::vector<uint32_t> drafts;
  std::vector<uint32_t> right_percents = {50, 70, 90};  // of drafts, ascending
  uint32_t repetitions = 5;                             // at least 1
  uint32_t max_rows = EngineOptions().max_rows;
  std::string kernels;  // empty: the best for this CPU
  int32_t kv_format = RONDO_KV_INT8;
  std::string peer;     // a shell command; empty: none
  std::string adapter;  // a file, with which prefill and decode are repeated in turn; empty: none
  // Numbers of sessions, ascending from 1 to at most limit.sessions; empty: no test of them.
  std::vector<uint32_t> sessions;
  uint64_t long_prompt_tokens = 2048;  // of what is evaluated beside, forked, found; at least 1
  uint32_t rows_per_step = 0;          // as the engine's option
  bool fork = false;
  bool prefix = false;
  bool snapshot = false;
  PictureSize picture;  // that is encoded; 0 x 0: no such test
  ImageOptions image;
  // Memory of the bandwidth probe, above any cache's size; less where little is free.
  uint64_t probe_bytes = uint64_t{1} << 30;
};

struct BenchCallbacks {
  std::function<void(const Subject&)> subject;       // once, before the first measurement
  std::function<void(const Measurement&)> measured;  // each one that is finished
};

// Runs all tests. Every test is run once to warm up and then `repetitions` times, each just after a
// look at the limits; the tests of one depth take turns, so that a noisy machine hits all alike.
// Throws Error.
void RunBench(const BenchModel& model, const BenchOptions& options,
              const BenchCallbacks& callbacks);

}  // namespace rondo::tools
