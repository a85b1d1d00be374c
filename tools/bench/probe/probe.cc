#include "tools/bench/probe/probe.h"

#include <atomic>
#include <chrono>

#include "platforms/memory.h"
#include "platforms/thread_pool.h"
#include "tools/bench/probe/probe_kernels.h"

namespace rondo {
namespace {

constexpr size_t kPieceBytes = 4u << 20;  // handed out to threads one by one
constexpr size_t kPieceWords = kPieceBytes / sizeof(uint64_t);
constexpr int kPasses = 3;

// The shortest of a few runs of task(i, thread) for all i < count, in seconds; 0 without threads.
// The threads live no longer than this call, so that none is awake beside what is measured next.
template <typename Task>
double BestSeconds(size_t threads, size_t count, const Task& task) {
  using Clock = std::chrono::steady_clock;
  ThreadPool* pool = ThreadPool::Create(threads);
  if (pool == nullptr) return 0;
  double best = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const Clock::time_point begin = Clock::now();
    pool->For(count, task);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (pass == 0 || seconds < best) best = seconds;
  }
  ThreadPool::Destroy(pool);
  return best;
}

double Rate(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

// What loops return must be used.
std::atomic<uint64_t> checksum_sink;

}  // namespace

ProbeMemory::ProbeMemory(size_t bytes) {
  if (bytes == 0 || bytes > SIZE_MAX - kPieceBytes) return;
  const size_t rounded = (bytes + kPieceBytes - 1) / kPieceBytes * kPieceBytes;
  memory_ = static_cast<uint64_t*>(MapMemory(rounded));
  if (memory_ == nullptr) return;
  bytes_ = rounded;
  // Untouched pages may all be one page of zeros.
  for (size_t i = 0; i < bytes_ / sizeof(uint64_t); ++i) memory_[i] = i;
}

ProbeMemory::~ProbeMemory() { UnmapMemory(memory_, bytes_); }

double ReadBandwidth(const ProbeMemory& memory, size_t threads) {
  if (!memory.valid()) return 0;
  const ProbeKernels& kernels = BestProbeKernels();
  const double seconds = BestSeconds(threads, memory.bytes() / kPieceBytes, [&](size_t i, size_t) {
    checksum_sink += kernels.sum(memory.words() + i * kPieceWords, kPieceWords);
  });
  return Rate(static_cast<double>(memory.bytes()), seconds);
}

double Int8Peak(size_t threads) {
  const ProbeKernels& kernels = BestProbeKernels();
  alignas(64) int8_t a[ProbeKernels::kMaxWidth], b[ProbeKernels::kMaxWidth];
  for (size_t i = 0; i < ProbeKernels::kMaxWidth; ++i) {
    a[i] = static_cast<int8_t>(i);
    b[i] = static_cast<int8_t>(3 * i % 100 - 50);
  }
  // One task of each thread takes about a millisecond where a round takes ten cycles.
  constexpr uint64_t kRounds = 200000;
  const size_t tasks = 32 * threads;
  const double seconds = BestSeconds(
      threads, tasks, [&](size_t, size_t) { checksum_sink += kernels.dot(a, b, kRounds); });
  return Rate(static_cast<double>(tasks * kRounds) * static_cast<double>(kernels.RoundOperations()),
              seconds);
}

const char* Int8PeakInstruction() { return BestProbeKernels().name; }

const ProbeKernels* const* AllProbeKernels(size_t* count) {
  static const ProbeKernels* const all[] = {
#if defined(__x86_64__)
    &kProbeAmx,
    &kProbeAvx512Vnni,
    &kProbeAvx2,
#elif defined(__aarch64__)
    &kProbeNeonI8mm,
    &kProbeNeonDot,
#endif
    &kProbePortable,
  };
  *count = sizeof(all) / sizeof(all[0]);
  return all;
}

const ProbeKernels& BestProbeKernels() {
  const CpuFeatures cpu = DetectCpu();
  size_t count = 0;
  const ProbeKernels* const* all = AllProbeKernels(&count);
  size_t i = 0;
  while (!all[i]->available(cpu)) ++i;  // the portable one, last, is always
  return *all[i];
}

}  // namespace rondo
