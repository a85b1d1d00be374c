// Limits: looks at what the machine can do just before each repetition of a test.
#pragma once

#include <cstdint>

#include "tools/bench/measurement.h"
#include "tools/bench/probe/probe.h"

namespace rondo::tools {

class Limits {
 public:
  // `probe_bytes`: memory of the bandwidth probe; less where little is free. Throws Error.
  explicit Limits(uint64_t probe_bytes);

  // Adds bandwidth and int8 peak of this moment to `m`, for its threads. Throws Error, Interrupted.
  void Look(Measurement* m) const;

 private:
  const ProbeMemory memory_;
};

}  // namespace rondo::tools
