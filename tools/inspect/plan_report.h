// The memory plan, for people: a table, a map of the arena, and the lives of activations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rondo/rondo.h"

namespace rondo::tools {

// Several lines, each ended. `regions` are those of `plan`, in its order.
std::string DescribePlan(const rondo_memory_plan& plan,
                         const std::vector<rondo_memory_region>& regions);

}  // namespace rondo::tools
