// Which of a machine's CPUs are fast, where they differ, as Linux tells it in files.
#pragma once

#include "platforms/cpu_set.h"

namespace rondo {

// Of `allowed` those worth a thread of heavy work each: all, where they are alike or nothing is
// told. `devices` is a folder like /sys/devices.
CpuSet FastCpus(const char* devices, const CpuSet& allowed);

}  // namespace rondo
