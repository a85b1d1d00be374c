#include "tools/common/nearest.h"

#include <algorithm>
#include <cstddef>

namespace rondo::tools {
namespace {

// Changes that make `a` to `b` (Damerau 1964, each place changed once).
size_t Distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      const size_t changed = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({changed, d[i - 1][j] + 1, d[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string Nearest(const std::string& word, const std::vector<std::string>& names) {
  constexpr size_t kLongest = 64;  // no name is longer
  if (word.empty() || word.size() > kLongest) return "";
  for (const std::string& name : names) {
    if (word.size() >= 2 && name.starts_with(word)) return name;
  }
  std::string nearest;
  size_t least = std::min<size_t>(2, (word.size() + 2) / 3) + 1;
  for (const std::string& name : names) {
    const size_t distance = Distance(word, name);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

}  // namespace rondo::tools
