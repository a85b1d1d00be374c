// Matrix times rows, per weight format and number of rows, on one thread. The matrix is larger than
// any cache, so that few rows are bound by memory bandwidth and many by arithmetic. The
// environment's RONDO_BENCHMARK_KERNELS names the kernel set; without it the best one.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

#include "platforms/memory.h"
#include "runtime/base/checked.h"
#include "runtime/kernels/packed_linear.h"
#include "runtime/kernels/row_ops.h"

namespace rondo {
namespace {

using format::TensorFormat;

constexpr size_t kPackedBytes = 96u << 20;
constexpr size_t kInputs = 2048;
constexpr size_t kTaskChannels = 128;  // of one call, as the decoder cuts its work
constexpr size_t kMostRows = 64;

const KernelSet* ChosenSet() {
  const char* name = std::getenv("RONDO_BENCHMARK_KERNELS");
  const KernelSet* set = SelectKernelSet(name == nullptr ? "" : name);
  if (set != nullptr) return set;
  std::fprintf(stderr, "this CPU has no kernel set %s\n", name);
  std::exit(2);
}

// Random weights, packed into memory as an arena has it.
struct Matrix {
  Matrix(TensorFormat format, size_t block) : set(ChosenSet()) {
    const FormatRule& rule = RuleOf(format);
    linear.shape = {format, kPackedBytes / kInputs * 8 / rule.bits, kInputs, block};
    linear.inputs = kInputs;
    const LinearShape& shape = linear.shape;
    std::mt19937 random(1);
    std::vector<uint8_t> data(shape.n * rule.row_bytes(shape.k).value());
    if (rule.is_float()) {
      auto* values = reinterpret_cast<float*>(data.data());
      for (size_t i = 0; i < shape.n * shape.k; ++i) {
        values[i] = static_cast<float>(random()) * 0x1p-32f - 0.5f;
      }
    } else {
      for (uint8_t& byte : data) byte = static_cast<uint8_t>(random());
    }
    const std::vector<float> q8_scales(shape.n, 0x1p-7f);
    const std::vector<uint16_t> q4b_scales(block == 0 ? 0 : shape.n * shape.k / block, 0x3e00);
    int8_t tables[kCodeTablesBytes];
    for (size_t i = 0; i < sizeof tables; ++i) tables[i] = static_cast<int8_t>(i % 251 - 125);
    const WeightRows rows = {
        data.data(),
        rule.has_blocks ? static_cast<const void*>(q4b_scales.data()) : q8_scales.data(), nullptr,
        tables};
    auto* packed = static_cast<uint8_t*>(MapMemory(shape.PackedBytes(*set) + kOverRead));
    PackLinear(LayoutOf(*set), shape, rows, 0, shape.n, packed);
    linear.packed = packed;
    if (rule.is_codes()) linear.code_pairs = new CodePairs(tables);
  }

  const KernelSet* set;
  PackedLinear linear;
};

// Made once and kept: the library calls a benchmark several times.
const Matrix& MatrixOf(TensorFormat format, size_t block) {
  static std::map<std::pair<TensorFormat, size_t>, std::unique_ptr<Matrix>> matrices;
  std::unique_ptr<Matrix>& matrix = matrices[{format, block}];
  if (matrix == nullptr) matrix = std::make_unique<Matrix>(format, block);
  return *matrix;
}

void BenchmarkLinear(benchmark::State& state, TensorFormat format, size_t block) {
  const Matrix& matrix = MatrixOf(format, block);
  const LinearShape& shape = matrix.linear.shape;
  const auto rows = static_cast<size_t>(state.range(0));
  std::vector<float> in(kMostRows * kInputs + kOverRead, 0.25f);
  for (size_t i = 0; i < in.size(); i += 3) in[i] = -0.5f;
  std::vector<int8_t> quantised(kMostRows * kInputs + kOverRead);
  std::vector<RowQuant> quants(kMostRows);
  for (size_t r = 0; r < rows; ++r) {
    quants[r] = QuantizeRow(*matrix.set, &in[r * kInputs], kInputs, kInputs, r, quantised.data());
  }
  const LinearInput input = format == TensorFormat::F32
                                ? LinearInput{in.data(), nullptr, nullptr, kInputs * sizeof(float)}
                                : LinearInput{nullptr, quantised.data(), quants.data(), kInputs};
  std::vector<float> out(kMostRows * kTaskChannels);
  auto* scratch = static_cast<uint8_t*>(
      MapMemory(kTaskChannels / kCodeChannels * shape.WorkingTileBytes(*matrix.set) + kOverRead));
  for (auto _ : state) {
    for (size_t begin = 0; begin < shape.n; begin += kTaskChannels) {
      const size_t end = std::min(shape.n, begin + kTaskChannels);
      RunLinear(*matrix.set, matrix.linear, input, rows, begin, end, out.data(), kTaskChannels,
                scratch);
    }
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(shape.PackedBytes(*matrix.set)));
  state.counters["op/s"] = benchmark::Counter(2.0 * static_cast<double>(shape.n * shape.k * rows),
                                              benchmark::Counter::kIsIterationInvariantRate);
}

void Rows(benchmark::internal::Benchmark* b) {
  b->ArgName("rows")->Unit(benchmark::kMillisecond);
  for (const int rows : {1, 2, 3, 4, 5, 6, 8, 16, 64}) b->Arg(rows);
}

BENCHMARK_CAPTURE(BenchmarkLinear, q8, TensorFormat::Q8, 0)->Apply(Rows);
BENCHMARK_CAPTURE(BenchmarkLinear, q4, TensorFormat::Q4, 0)->Apply(Rows);
BENCHMARK_CAPTURE(BenchmarkLinear, q3, TensorFormat::Q3, 0)->Apply(Rows);
BENCHMARK_CAPTURE(BenchmarkLinear, q2, TensorFormat::Q2, 0)->Apply(Rows);
BENCHMARK_CAPTURE(BenchmarkLinear, q4b_32, TensorFormat::Q4B, 32)->Apply(Rows);
BENCHMARK_CAPTURE(BenchmarkLinear, q4b_64, TensorFormat::Q4B, 64)->Apply(Rows);
BENCHMARK_CAPTURE(BenchmarkLinear, q4_128, TensorFormat::Q4B, 128)->Apply(Rows);
BENCHMARK_CAPTURE(BenchmarkLinear, f32, TensorFormat::F32, 0)->Apply(Rows);

}  // namespace
}  // namespace rondo
