// How often something asks the system for memory.
#pragma once

#include <functional>

namespace rondo::abi_test {

// Of what `calls` does; 0 where nothing counts (tests/support/count_allocations.h).
int AllocationsOf(const std::function<void()>& calls);

}  // namespace rondo::abi_test
