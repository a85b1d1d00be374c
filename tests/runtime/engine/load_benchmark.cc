// From an open model file, in the page cache, to an engine that can run; bytes/s counts the file.
#include <benchmark/benchmark.h>

#include <string>

#include "tools/bench/random_model.h"

namespace rondo::tools {
namespace {

void BenchmarkLoad(benchmark::State& state, const std::string& weights) {
  const BenchModel model =
      MakeRandomModel(OpenShape("smollm2-135m"), {.weights = weights, .embedding = "q8"});
  EngineOptions options;
  options.context = 512;
  options.threads = static_cast<uint32_t>(state.range(0));
  for (auto _ : state) {
    const Engine engine = CreateEngine(model.handle, options);
    benchmark::DoNotOptimize(engine.get());
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(model.handle.Info().file_bytes));
}

BENCHMARK_CAPTURE(BenchmarkLoad, smollm2_135m_q8, "q8")
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BenchmarkLoad, smollm2_135m_q4b, "q4b")
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace rondo::tools
