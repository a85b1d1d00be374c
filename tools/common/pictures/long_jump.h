// LongJump: the way out of a library in C that finds something wrong. Its own frames are left by
// longjmp, for which exceptions are no substitute: nothing says that they can pass such frames.
#pragma once

#include <array>
#include <csetjmp>
#include <cstdio>

#include "tools/common/error.h"

namespace rondo::tools {

class LongJump {
 public:
  // Calls `step`, and throws Error where it was left by Leave. It and what it calls own nothing:
  // what would be destroyed at their ends is not.
  template <typename Step>
  [[gnu::noinline]] void Run(const Step& step) {
    if (setjmp(place_) != 0) Fail(reason_.data());
    step();
  }

  // Called by the library, in a step.
  [[noreturn]] void Leave(const char* reason) {
    std::snprintf(reason_.data(), reason_.size(), "%s", reason);
    std::longjmp(place_, 1);
  }

 private:
  std::jmp_buf place_;
  std::array<char, 256> reason_;
};

}  // namespace rondo::tools
