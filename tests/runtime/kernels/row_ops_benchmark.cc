// What is done to one row of activations at a time, on one thread; bytes/s counts a row's floats.
#include "runtime/kernels/row_ops.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

namespace rondo {
namespace {

std::vector<float> Row(size_t n) {
  std::vector<float> row(n + kOverRead);
  for (size_t i = 0; i < row.size(); ++i) row[i] = std::sin(static_cast<float>(i) * 1.7f);
  return row;
}

void CountBytes(benchmark::State& state, size_t n) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(n * sizeof(float)));
}

void BenchmarkRmsNorm(benchmark::State& state) {
  const auto n = static_cast<size_t>(state.range(0));
  const KernelSet& set = *SelectKernelSet("");
  const std::vector<float> in = Row(n), weight = Row(n);
  std::vector<float> out(n + kOverRead);
  for (auto _ : state) {
    Normalize(set, {NormKind::kRmsNorm, 1e-5f, n, weight.data(), nullptr}, in.data(), n,
              out.data());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  CountBytes(state, n);
}

void BenchmarkQuantizeRow(benchmark::State& state) {
  const auto n = static_cast<size_t>(state.range(0));
  const KernelSet& set = *SelectKernelSet("");
  const std::vector<float> in = Row(n);
  std::vector<int8_t> out(HeldRows(1) * n + kOverRead);
  for (auto _ : state) {
    benchmark::DoNotOptimize(QuantizeRow(set, in.data(), n, n, 0, out.data()));
    benchmark::ClobberMemory();
  }
  CountBytes(state, n);
}

void BenchmarkSiluMultiply(benchmark::State& state) {
  const auto n = static_cast<size_t>(state.range(0));
  const KernelSet& set = *SelectKernelSet("");
  const std::vector<float> gate = Row(n), up = Row(n);
  std::vector<float> scratch(n + kOverRead), out(n + kOverRead);
  for (auto _ : state) {
    ActivateGate(set, Activation::kSilu, gate.data(), up.data(), n, scratch.data(), out.data());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  CountBytes(state, n);
}

// The table of one position: once per row and forward pass.
void BenchmarkRopeTable(benchmark::State& state) {
  const auto dim = static_cast<size_t>(state.range(0));
  std::vector<double> frequencies(dim / 2);
  for (size_t i = 0; i < frequencies.size(); ++i) {
    frequencies[i] = std::pow(500000.0, -2.0 * static_cast<double>(i) / static_cast<double>(dim));
  }
  std::vector<float> table(dim);
  uint64_t position = 0;
  for (auto _ : state) {
    RopeTable(frequencies.data(), nullptr, dim, 1.0f, {++position}, table.data());
    benchmark::DoNotOptimize(table.data());
    benchmark::ClobberMemory();
  }
}

// One head.
void BenchmarkApplyRope(benchmark::State& state) {
  const auto dim = static_cast<size_t>(state.range(0));
  const KernelSet& set = *SelectKernelSet("");
  const std::vector<float> in = Row(dim), table = Row(dim);
  std::vector<float> out(dim);
  for (auto _ : state) {
    ApplyRope(set, in.data(), table.data(), dim, dim, out.data());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  CountBytes(state, dim);
}

void HiddenSizes(benchmark::internal::Benchmark* b) {
  b->ArgName("n");
  for (const int n : {576, 1024, 2048, 8192}) b->Arg(n);
}
void HeadDims(benchmark::internal::Benchmark* b) { b->ArgName("dim")->Arg(64)->Arg(128); }

BENCHMARK(BenchmarkRmsNorm)->Apply(HiddenSizes);
BENCHMARK(BenchmarkQuantizeRow)->Apply(HiddenSizes);
BENCHMARK(BenchmarkSiluMultiply)->Apply(HiddenSizes);
BENCHMARK(BenchmarkRopeTable)->Apply(HeadDims);
BENCHMARK(BenchmarkApplyRope)->Apply(HeadDims);

}  // namespace
}  // namespace rondo
