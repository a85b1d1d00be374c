// What the CPU can do and how many cores to use.
#include "platforms/cpu.h"

#include <gtest/gtest.h>

namespace rondo {
namespace {

const uint32_t usable_before_main = UsableCpus().Count();

TEST(Cpus, AreKnownToTheProgramsInitialisers) {
  EXPECT_EQ(usable_before_main, UsableCpus().Count());
}

}  // namespace
}  // namespace rondo
