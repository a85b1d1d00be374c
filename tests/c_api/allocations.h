// How often something asks the system for memory, and what comes of it where the system has none.
#pragma once

#include <cstdint>
#include <functional>

namespace rondo::abi_test {

// False where nothing counts (tests/support/count_allocations.h): all below is 0 then.
bool AllocationsAreCounted();
// Of what `calls` does.
int AllocationsOf(const std::function<void()>& calls);
// The same, of which those from number `first` to `last`, counted from 0, are refused.
int AllocationsOf(const std::function<void()>& calls, int first, int last);
// The bytes that it asks for, given back or not.
uint64_t AllocatedBytesOf(const std::function<void()>& calls);
// What the program has taken and not given back; only differences are of use.
long LivingAllocations();

}  // namespace rondo::abi_test
