// How many fast cores a Mac or phone of Apple's has, as its system's answers tell.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace rondo {

// `fact` gives a number of sysctl's by its name, 0 where the system does not know it. perflevel0 is
// that of the fastest cores; where cores are alike there is none.
template <typename Fact>
uint32_t FastCores(const Fact& fact) {
  for (const char* name : {"hw.perflevel0.physicalcpu", "hw.physicalcpu", "hw.ncpu"}) {
    if (const int n = fact(name); n > 0) return static_cast<uint32_t>(n);
  }
  return 1;
}

}  // namespace rondo
