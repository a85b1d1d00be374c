// What the CPU can do and how many cores to use.
#pragma once

#include <cstdint>

#include "platforms/cpu_set.h"

namespace rondo {

struct CpuFeatures {
  bool zen3_or_4 = false;    // AMD's family 19h
  bool avx512_vnni = false;  // with F, BW, CD, DQ, VL, as the operating system allows them
  bool amx_int8 = false;     // with avx512_vnni, as AllowAmx will answer as far as can be told
  bool avx_vnni = false;     // with avx2_fma
  bool avx2_fma = false;     // with F16C
  bool sse41 = false;
  bool neon = false;  // of 32-bit ARM, where not every CPU has it
  bool neon_dot = false;
  bool neon_i8mm = false;
  bool sme = false;
  uint32_t rvv_bits = 0;  // of a vector register of RISC-V's; 0: there are none
};

// [any thread]
CpuFeatures DetectCpu();

// Asks the operating system to let this process use AMX's registers, which are large: true where it
// does. It refuses where a thread's signal stack has no room for them. [any thread]
bool AllowAmx();

// Cores worth a thread each: those this process may run on, without a big.LITTLE system's slow
// ones where the system tells them apart; at least 1. The same on all threads.
uint32_t PerformanceCores();

// Those that this process may run on, whatever its threads are kept to, and of them those that
// PerformanceCores counts; empty where the system does not keep threads to CPUs. Where it tells of
// threads alone (Linux), they are those of the thread that loaded the library, at that time.
CpuSet UsableCpus();
CpuSet PerformanceCpus();

// Those that the calling thread, and threads that it starts, may run on now; empty likewise.
CpuSet CallersCpus();

// Keeps the calling thread to these; false where the system refuses.
bool KeepThisThreadTo(const CpuSet& cpus);

}  // namespace rondo
