// A camera frame of 1,920 x 1,080 pixels: its rows, its canvas, all its patches.
#include <benchmark/benchmark.h>

#include <vector>

#include "tests/runtime/media/families.h"
#include "tests/runtime/media/pictures.h"

namespace rondo {
namespace {

constexpr uint32_t kWidth = 1920;
constexpr uint32_t kHeight = 1080;

class Frame {
 public:
  explicit Frame(uint32_t rotation) : bytes_(FormulaPicture(kWidth, kHeight / 2, 0).rgb) {
    image_.format = PixelFormat::kNv12;
    image_.width = kWidth;
    image_.height = kHeight;
    image_.rotation = rotation;
    image_.planes[0] = {bytes_.data(), kWidth};
    image_.planes[1] = {bytes_.data() + size_t{kWidth} * kHeight, kWidth};
  }
  const Image& image() const { return image_; }

 private:
  std::vector<uint8_t> bytes_;
  Image image_;
};

void BenchmarkRows(benchmark::State& state) {
  const Frame frame(static_cast<uint32_t>(state.range(0)));
  const ImageSize size = UprightSize(frame.image());
  std::vector<uint8_t> rgb(size_t{kWidth} * kHeight * kChannels);
  for (auto _ : state) {
    ImageRows(frame.image()).Read(size.height, rgb.data());
    benchmark::DoNotOptimize(rgb.data());
  }
}

void BenchmarkCanvas(benchmark::State& state, const ImageProcessor& p) {
  const Frame frame(static_cast<uint32_t>(state.range(0)));
  const ImageSize size = UprightSize(frame.image());
  const Result<ImageLayout> layout = LayOutImage(p, size);
  std::vector<uint8_t> canvas(CanvasBytes(*layout));
  std::vector<uint64_t> scratch(CanvasScratchBytes(p, *layout, size) / sizeof(uint64_t) + 1);
  for (auto _ : state) {
    MakeCanvas(p, *layout, frame.image(), canvas.data(),
               reinterpret_cast<uint8_t*>(scratch.data()));
    benchmark::DoNotOptimize(canvas.data());
  }
  state.counters["canvas_bytes"] = static_cast<double>(canvas.size());
  state.counters["scratch_bytes"] = static_cast<double>(scratch.size() * sizeof(uint64_t));
}

void BenchmarkPatches(benchmark::State& state, const ImageProcessor& p) {
  const Result<ImageLayout> layout = LayOutImage(p, {kWidth, kHeight});
  const std::vector<uint8_t> canvas(CanvasBytes(*layout), 77);
  const PatchCutter cutter(p, *layout);
  constexpr size_t kRows = 64;  // as a pass takes them
  std::vector<float> rows(kRows * cutter.width());
  for (auto _ : state) {
    for (uint64_t row = 0; row < layout->patches(); row += kRows) {
      cutter.Cut(canvas.data(), row, std::min<uint64_t>(kRows, layout->patches() - row),
                 rows.data());
      benchmark::DoNotOptimize(rows.data());
    }
  }
  state.counters["patches"] = static_cast<double>(layout->patches());
}

void Rotations(benchmark::internal::Benchmark* b) {
  b->ArgName("rotation")->Unit(benchmark::kMillisecond)->Arg(0)->Arg(90);
}
void Once(benchmark::internal::Benchmark* b) { b->Unit(benchmark::kMillisecond); }

BENCHMARK(BenchmarkRows)->Apply(Rotations);
BENCHMARK_CAPTURE(BenchmarkCanvas, smolvlm, Idefics3Images(2048, 512, 16, 4))->Apply(Rotations);
BENCHMARK_CAPTURE(BenchmarkCanvas, lfm2_vl, Lfm2Images())->Apply(Rotations);
BENCHMARK_CAPTURE(BenchmarkCanvas, gemma4, Gemma4Images(280))->Apply(Rotations);
BENCHMARK_CAPTURE(BenchmarkPatches, smolvlm, Idefics3Images(2048, 512, 16, 4))->Apply(Once);
BENCHMARK_CAPTURE(BenchmarkPatches, lfm2_vl, Lfm2Images())->Apply(Once);
BENCHMARK_CAPTURE(BenchmarkPatches, gemma4, Gemma4Images(280))->Apply(Once);

}  // namespace
}  // namespace rondo
