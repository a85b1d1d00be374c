// Probe: what this machine can do at most, to hold measurements against.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rondo {

// Memory for ReadBandwidth, as an arena takes it (large pages where the system gives them), filled
// once. One user at a time.
class ProbeMemory {
 public:
  // `bytes` is rounded up to whole pieces. Where the system refuses, valid() is false.
  explicit ProbeMemory(size_t bytes);
  ProbeMemory(const ProbeMemory&) = delete;
  ProbeMemory& operator=(const ProbeMemory&) = delete;
  ~ProbeMemory();

  bool valid() const { return memory_ != nullptr; }
  size_t bytes() const { return bytes_; }
  const uint64_t* words() const { return memory_; }

 private:
  uint64_t* memory_ = nullptr;
  size_t bytes_ = 0;
};

// Bytes per second of a plain sum over all of `memory` by `threads` threads, the best of a few
// passes. 0 where the system refuses the threads.
double ReadBandwidth(const ProbeMemory& memory, size_t threads);

// int8 multiplications and additions per second (two for each product) of dot products that never
// leave the registers, on `threads` threads with the best instruction of this CPU that the engine's
// kernels use; the best of a few passes. 0 where the system refuses the threads.
double Int8Peak(size_t threads);

// The instruction that Int8Peak uses: "vpdpbusd (AVX-512)". Static.
const char* Int8PeakInstruction();

}  // namespace rondo
