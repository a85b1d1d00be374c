#include "tools/convert/output/odd_matrices.h"

#include <algorithm>
#include <functional>
#include <iomanip>
#include <sstream>

#include "tools/convert/output/metadata.h"

namespace rondo::convert {
namespace {

constexpr size_t kEnoughToCompare = 8;
// Of rows without outliers all matrices lose nearly the same.
constexpr double kOdd = 4;

std::string ShareText(double share) {
  std::ostringstream text;
  text << std::setprecision(2) << 100 * share << " %";
  return text.str();
}

}  // namespace

void OddMatrices::Add(const std::string& name, const Encoding& encoding, double lost) {
  if (lost > 0) by_format_[FormatFact(encoding.format, encoding.block)].emplace_back(lost, name);
}

std::vector<std::string> OddMatrices::Notes() const {
  std::vector<std::string> notes;
  for (auto [format, matrices] : by_format_) {
    if (matrices.size() < kEnoughToCompare) continue;
    std::ranges::sort(matrices, std::greater());
    const double usual = matrices[matrices.size() / 2].first;
    const auto odd = static_cast<size_t>(
        std::ranges::count_if(matrices, [&](const auto& one) { return one.first > kOdd * usual; }));
    if (odd == 0) continue;
    notes.push_back(
        "in " + format + " " + matrices[0].second + " loses " + ShareText(matrices[0].first) +
        " of its columns' squares, where " + ShareText(usual) + " is usual" +
        (odd == 1 ? "" : ", and " + std::to_string(odd - 1) + " more lose over four times that") +
        ": `rondo eval --parts` tells what it does to predictions, and --weights auto "
        "gives such matrices more bits");
  }
  return notes;
}

}  // namespace rondo::convert
