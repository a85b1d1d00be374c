// ProgressBar: how far a long task is, for people and for logs.
#pragma once

#include <chrono>
#include <cstdint>
#include <iostream>

#include "tools/system/standard_files.h"

namespace rondo::tools {

// On a terminal one line that is redrawn ten times a second: a bar, the rate and the time left.
// Elsewhere a plain line every two seconds. Not thread-safe.
class ProgressBar {
 public:
  enum class Of { kBytes, kSteps };  // steps have no rate

  // `out` must outlive this.
  explicit ProgressBar(Of of = Of::kBytes, std::ostream& out = std::cerr,
                       bool is_terminal = IsTerminal(kStandardError))
      : of_(of), out_(out), is_terminal_(is_terminal) {}
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  // Removes the bar from the terminal, so that other text can follow.
  ~ProgressBar();

  // `done` of `total`; cheap where nothing is due to be drawn.
  void Update(uint64_t done, uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;

  const Of of_;
  std::ostream& out_;
  const bool is_terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_drawn_ = start_;
  bool is_drawn_ = false;
};

}  // namespace rondo::tools
