#include "tools/bench/limits.h"

#include <algorithm>

#include "tools/common/error.h"
#include "tools/common/interrupt.h"
#include "tools/system/process.h"

namespace rondo::tools {
namespace {

// No more than a quarter of what is free.
size_t ProbeBytes(uint64_t wanted) {
  const uint64_t available = AvailableMemory();
  return available == 0 ? wanted : std::min(wanted, available / 4);
}

double Probed(double rate) {
  CheckInterrupt();
  if (rate > 0) return rate;
  throw Error("the system refuses the threads of a probe");
}

}  // namespace

Limits::Limits(uint64_t probe_bytes) : memory_(ProbeBytes(probe_bytes)) {
  if (!memory_.valid()) throw Error("there is no memory for the bandwidth probe");
}

void Limits::Look(Measurement* m) const {
  m->peak.push_back(Probed(Int8Peak(m->threads)));
  m->bandwidth.push_back(Probed(ReadBandwidth(memory_, m->threads)));
}

}  // namespace rondo::tools
