#include "tools/bench/measurement.h"

#include <algorithm>

namespace rondo::tools {
namespace {

double Quotient(double a, double b) { return b > 0 ? a / b : 0; }

}  // namespace

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double Smallest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

double Largest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

double TokensPerSecond(const Measurement& m) {
  return Quotient(static_cast<double>(m.tokens), Median(m.seconds));
}

double SlowestTokensPerSecond(const Measurement& m) {
  return Quotient(static_cast<double>(m.tokens), Largest(m.seconds));
}

double FastestTokensPerSecond(const Measurement& m) {
  return Quotient(static_cast<double>(m.tokens), Smallest(m.seconds));
}

double Share(const Measurement& m) {
  if (m.limit == Limit::kNone) return 0;
  const double limit = Median(m.limit == Limit::kBandwidth ? m.bandwidth : m.peak);
  return Quotient(Quotient(m.work, Median(m.seconds)), limit);
}

double RelativeCost(const Measurement& m) { return Quotient(Median(m.seconds), m.one_row_seconds); }

double PeerRatio(const Measurement& m) {
  return Quotient(TokensPerSecond(m), Median(m.peer_speeds));
}

const char* Name(TestKind test) {
  switch (test) {
    case TestKind::kPrefill:
      return "prefill";
    case TestKind::kDecode:
      return "decode";
    case TestKind::kVerify:
      return "verify";
    default:
      return "load";
  }
}

const char* Name(Limit limit) {
  switch (limit) {
    case Limit::kBandwidth:
      return "bandwidth";
    case Limit::kInt8Peak:
      return "int8_peak";
    default:
      return "";
  }
}

}  // namespace rondo::tools
