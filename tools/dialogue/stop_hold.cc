#include "tools/dialogue/stop_hold.h"

#include <algorithm>
#include <utility>

namespace rondo::tools {

std::string StopHold::Add(std::string_view bytes) {
  held_ += bytes;
  const std::string_view held = held_;
  size_t free = 0;
  for (; free < held.size(); ++free) {
    const std::string_view rest = held.substr(free);
    const auto may_begin = [rest](std::string_view stop) {
      const size_t common = std::min(stop.size(), rest.size());
      return stop.substr(0, common) == rest.substr(0, common);
    };
    if (std::any_of(stops_.begin(), stops_.end(), may_begin)) break;
  }
  std::string out = held_.substr(0, free);
  held_.erase(0, free);
  return out;
}

std::string StopHold::End(bool stopped) {
  std::string out = std::exchange(held_, {});
  found_.clear();
  if (!stopped) return out;
  size_t end = out.size();
  for (const std::string& stop : stops_) {
    const size_t at = out.find(stop);
    if (at >= end) continue;
    end = at;
    found_ = stop;
  }
  out.resize(end);
  return out;
}

}  // namespace rondo::tools
