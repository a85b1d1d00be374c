// Which thread of which process this is: for noticing that a call comes from inside of another, or
// from a child of fork().
#pragma once

#include <cstdint>

namespace rondo {

// Differs between any two threads that live at the same time; never 0.
uint64_t ThisThread();

// Differs between a process and its children.
uint64_t ThisProcess();

}  // namespace rondo
