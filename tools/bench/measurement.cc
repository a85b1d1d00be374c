#include "tools/bench/measurement.h"

#include <algorithm>
#include <cmath>

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

double Percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  const auto rank = static_cast<size_t>(std::ceil(share * count));
  return values[std::clamp<size_t>(rank, 1, values.size()) - 1];
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

double Speedup(const Measurement& m) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(m.seconds.size(), m.baseline_speeds.size()); ++i) {
    ratios.push_back(
        Quotient(Quotient(static_cast<double>(m.tokens), m.seconds[i]), m.baseline_speeds[i]));
  }
  return Median(ratios);
}

const char* Name(TestKind test) {
  switch (test) {
    case TestKind::kPrefill:
      return "prefill";
    case TestKind::kDecode:
      return "decode";
    case TestKind::kVerify:
      return "verify";
    case TestKind::kDrafts:
      return "drafts";
    case TestKind::kAdaptedPrefill:
      return "prefill+";
    case TestKind::kAdaptedDecode:
      return "decode+";
    case TestKind::kSessions:
      return "sessions";
    case TestKind::kBeside:
      return "beside";
    case TestKind::kCallers:
      return "callers";
    case TestKind::kFork:
      return "fork";
    case TestKind::kForked:
      return "forked";
    case TestKind::kFirstToken:
      return "first";
    case TestKind::kPrefixFound:
      return "prefix";
    case TestKind::kSave:
      return "save";
    case TestKind::kRestore:
      return "restore";
    case TestKind::kEncode:
      return "encode";
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
