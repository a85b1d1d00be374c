// The inner loops of probe.h, one table entry for each instruction family.
#pragma once

#include <cstddef>
#include <cstdint>

#include "platforms/cpu.h"

namespace rondo {

// The result of a loop is its checksum: it keeps the compiler from leaving work out, and lets a
// test see that the work was done.
struct ProbeKernels {
  const char* name;
  bool (*available)(const CpuFeatures& cpu);

  // The sum, modulo 2^64, of words[0..count); count is a multiple of 64, words aligned to 64 bytes.
  uint64_t (*sum)(const uint64_t* words, size_t count);

  // `rounds` times, into each of kAccumulators registers, the products of a[0..width), 0 to 127,
  // and b[0..width), -127 to 127: dot products of four neighbours, or, where `blocks`, of each row
  // of a with each of b, 16 neighbours being two rows. Each register has `copies` of these. Returns
  // the sum of all lanes, modulo 2^32.
  uint32_t (*dot)(const int8_t* a, const int8_t* b, uint64_t rounds);
  uint32_t width;  // int8 values of one register, at most kMaxWidth
  bool blocks;
  uint32_t copies = 1;

  static constexpr uint32_t kAccumulators = 12;  // what hides the latency of every known CPU
  static constexpr size_t kMaxWidth = 64;
  // Multiplications and additions of one round.
  uint64_t RoundOperations() const {
    return uint64_t{kAccumulators} * width * (blocks ? 4 : 2) * copies;
  }
};

// The one that DetectCpu's answer allows, best first.
const ProbeKernels& BestProbeKernels();
// All that this build has, best first; `count` of them. Not all may be available.
const ProbeKernels* const* AllProbeKernels(size_t* count);

extern const ProbeKernels kProbeAmx;
extern const ProbeKernels kProbeAvx512Vnni;
extern const ProbeKernels kProbeAvx2;
extern const ProbeKernels kProbeNeonI8mm;
extern const ProbeKernels kProbeNeonDot;
extern const ProbeKernels kProbePortable;

// step(0) ... step(11): accumulators are single variables, since compilers put arrays that assembly
// works on into memory.
#define RONDO_PROBE_ACCUMULATORS(step) \
  step(0) step(1) step(2) step(3) step(4) step(5) step(6) step(7) step(8) step(9) step(10) step(11)

}  // namespace rondo
