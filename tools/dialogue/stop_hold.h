// StopHold: bytes of an answer, without a stop string's: what may be the begin of one waits for
// what follows.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::tools {

class StopHold {
 public:
  explicit StopHold(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  // Those up to here that no stop string begins with.
  std::string Add(std::string_view bytes);
  // Behind the last ones: what stands before the stop string that has come, or, where none has, all
  // that waits. Then for another answer.
  std::string End(bool stopped);
  // The stop string that End has found; empty: none.
  const std::string& found() const { return found_; }

 private:
  std::vector<std::string> stops_;
  std::string held_, found_;
};

}  // namespace rondo::tools
