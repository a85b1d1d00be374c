// Which thread this is: for noticing that a call comes from inside of another.
#pragma once

#include <cstdint>

namespace rondo {

// Differs between any two threads that live at the same time; never 0.
uint64_t ThisThread();

}  // namespace rondo
