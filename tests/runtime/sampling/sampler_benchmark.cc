// One token sampled from a vocabulary's logits.
#include <benchmark/benchmark.h>

#include "tests/runtime/sampling/sampler_fixture.h"

namespace rondo {
namespace {

void BenchmarkSample(benchmark::State& state, const SamplerOptions& options) {
  const std::vector<float> logits = FrozenLogits(static_cast<size_t>(state.range(0)), 1);
  TestSampler sampler(options, logits.size());
  for (auto _ : state) benchmark::DoNotOptimize(sampler.SampleAndAccept(logits));
}

void Vocabularies(benchmark::internal::Benchmark* b) {
  b->ArgName("vocabulary")->Unit(benchmark::kMicrosecond)->Arg(32000)->Arg(262144);
}

BENCHMARK_CAPTURE(BenchmarkSample, greedy, SamplerOptions())->Apply(Vocabularies);
BENCHMARK_CAPTURE(BenchmarkSample, temperature, SamplerOptions{.temperature = 0.8f})
    ->Apply(Vocabularies);
BENCHMARK_CAPTURE(BenchmarkSample, top_k, SamplerOptions{.temperature = 0.8f, .top_k = 40})
    ->Apply(Vocabularies);
BENCHMARK_CAPTURE(BenchmarkSample, top_p, SamplerOptions{.temperature = 0.8f, .top_p = 0.95f})
    ->Apply(Vocabularies);
BENCHMARK_CAPTURE(BenchmarkSample, top_k_and_p,
                  SamplerOptions{.temperature = 0.8f, .top_k = 40, .top_p = 0.95f})
    ->Apply(Vocabularies);
BENCHMARK_CAPTURE(BenchmarkSample, min_p, SamplerOptions{.temperature = 0.8f, .min_p = 0.05f})
    ->Apply(Vocabularies);
BENCHMARK_CAPTURE(BenchmarkSample, penalties, SamplerOptions{.repetition_penalty = 1.1f})
    ->Apply(Vocabularies);

}  // namespace
}  // namespace rondo
