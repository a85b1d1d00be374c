#include "tools/bench/report.h"

#include <algorithm>
#include <cstdio>

#include "tools/common/numbers.h"

namespace rondo::tools {
namespace {

using nlohmann::ordered_json;

constexpr double kGiga = 1e9;

ordered_json OrNull(double value) { return value > 0 ? ordered_json(value) : ordered_json(); }

std::string CsvCell(const ordered_json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  std::string text = value.get<std::string>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

template <typename... Values>
std::string Format(const char* format, Values... values) {
  char text[128];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

// Four digits, whatever the size.
std::string Speed(double value) {
  if (value <= 0) return "-";
  return Format(value >= 1000  ? "%.0f"
                : value >= 100 ? "%.1f"
                : value >= 10  ? "%.2f"
                               : "%.3f",
                value);
}

// Above what it is a share of, as it is shown.
bool IsAboveLimit(const Measurement& m) { return Share(m) >= 1.005; }

std::string ShareOf(const Measurement& m, const std::string& limit) {
  return Format("%5s%s of %s", FormatShare(Share(m), 0).c_str(), IsAboveLimit(m) ? "*" : "",
                limit.c_str());
}

const char* BaselineName(TestKind test) {
  switch (test) {
    case TestKind::kDrafts:
      return "no drafts";
    case TestKind::kAdaptedPrefill:
    case TestKind::kAdaptedDecode:
      return "no adapter";
    case TestKind::kSessions:
      return "one session";
    case TestKind::kBeside:
      return "the prompt alone";
    case TestKind::kCallers:
      return "one caller";
    case TestKind::kRestore:
      return "evaluating again";
    default:
      return "without";
  }
}

// What a row tells beyond its columns; begins with a comma.
std::string Details(const Measurement& m) {
  std::string text;
  if (RelativeCost(m) > 0) text += Format(", %.2f x one row", RelativeCost(m));
  if (Speedup(m) > 0) text += Format(", x%.2f of %s", Speedup(m), BaselineName(m.test));
  if (m.right_percent > 0) text += Format(", %u %% right", m.right_percent);
  if (m.tokens_per_pass > 0) text += Format(", %.2f tokens a pass", m.tokens_per_pass);
  if (m.test == TestKind::kFork) text += Format(", %.1f us a fork", 1e6 * Median(m.seconds));
  if (m.kv_tokens > 0) {
    text += ", KV of " + FormatCount(m.kv_tokens_before, "token") + " before, of " +
            FormatCount(m.kv_tokens) + " after";
  }
  const bool one_token = m.test == TestKind::kForked || m.test == TestKind::kFirstToken ||
                         m.test == TestKind::kPrefixFound;
  if (m.patches > 0) {
    text += ", " + FormatCount(m.positions, "position") + ", " + FormatCount(m.patches) +
            " patches, " + FormatSeconds(Median(m.seconds));
  }
  if (m.snapshot_bytes > 0) text += ", " + RoundBytes(static_cast<double>(m.snapshot_bytes));
  if (one_token || m.snapshot_bytes > 0) text += ", " + FormatSeconds(Median(m.seconds));
  if (m.latencies.empty()) return text;
  const double p50 = Percentile(m.latencies, 0.5), p99 = Percentile(m.latencies, 0.99);
  const double most = Largest(m.latencies);
  text += ", p50 " + FormatSeconds(p50) + ", p99 " + FormatSeconds(p99) + ", max " +
          FormatSeconds(most);
  if (m.pass_seconds <= 0) return text;
  return text + Format(" = %.2f, %.2f, %.2f passes", p50 / m.pass_seconds, p99 / m.pass_seconds,
                       most / m.pass_seconds);
}

std::string LimitText(const Measurement& m) {
  switch (m.limit) {
    case Limit::kBandwidth:
      return ShareOf(m, RoundBytes(Median(m.bandwidth)) + "/s");
    case Limit::kInt8Peak:
      return ShareOf(m, FormatOperations(Median(m.peak)));
    default:
      return m.test == TestKind::kLoad ? FormatSeconds(Median(m.seconds)) : "";
  }
}

}  // namespace

ordered_json ToJson(const Subject& subject, const Measurement& m) {
  ordered_json object;
  object["shape"] = subject.shape;
  object["weights"] = subject.weights;
  object["block"] = subject.block > 0 ? ordered_json(subject.block) : ordered_json();
  object["kernels"] = subject.kernels;
  object["threads"] = m.threads;
  object["test"] = Name(m.test);
  object["tokens"] = m.tokens;
  object["depth"] = m.depth;
  object["rows"] = m.rows;
  object["repetitions"] = m.seconds.size();
  object["seconds"] = Median(m.seconds);
  object["tokens_per_second"] = OrNull(TokensPerSecond(m));
  object["tokens_per_second_min"] = OrNull(SlowestTokensPerSecond(m));
  object["tokens_per_second_max"] = OrNull(FastestTokensPerSecond(m));
  object["limit"] = m.limit == Limit::kNone ? ordered_json() : ordered_json(Name(m.limit));
  object["share"] = OrNull(Share(m));
  object["probe_gbps"] = OrNull(Median(m.bandwidth) / kGiga);
  object["peak_gops"] = OrNull(Median(m.peak) / kGiga);
  object["relative_cost"] = OrNull(RelativeCost(m));
  object["peer_tokens_per_second"] = OrNull(Median(m.peer_speeds));
  object["peer_ratio"] = OrNull(PeerRatio(m));
  object["sessions"] = m.sessions > 0 ? ordered_json(m.sessions) : ordered_json();
  object["speedup"] = OrNull(Speedup(m));
  object["latency_p50"] = OrNull(Percentile(m.latencies, 0.5));
  object["latency_p99"] = OrNull(Percentile(m.latencies, 0.99));
  object["latency_max"] = OrNull(Largest(m.latencies));
  object["pass_seconds"] = OrNull(m.pass_seconds);
  object["kv_tokens_before"] = m.kv_tokens > 0 ? ordered_json(m.kv_tokens_before) : ordered_json();
  object["kv_tokens"] = m.kv_tokens > 0 ? ordered_json(m.kv_tokens) : ordered_json();
  object["snapshot_bytes"] = m.snapshot_bytes > 0 ? ordered_json(m.snapshot_bytes) : ordered_json();
  object["right_percent"] = m.right_percent > 0 ? ordered_json(m.right_percent) : ordered_json();
  object["tokens_per_pass"] = OrNull(m.tokens_per_pass);
  object["positions"] = m.patches > 0 ? ordered_json(m.positions) : ordered_json();
  object["patches"] = m.patches > 0 ? ordered_json(m.patches) : ordered_json();
  return object;
}

ordered_json ToJson(const Subject& subject, const std::vector<Measurement>& all) {
  ordered_json array = ordered_json::array();
  for (const Measurement& m : all) array.push_back(ToJson(subject, m));
  return array;
}

std::string CsvHeader() {
  const ordered_json object = ToJson(Subject(), Measurement());
  std::string line;
  for (const auto& item : object.items()) line += (line.empty() ? "" : ",") + item.key();
  return line + '\n';
}

std::string CsvLine(const Subject& subject, const Measurement& m) {
  const ordered_json object = ToJson(subject, m);
  std::string line;
  bool first = true;
  for (const auto& item : object.items()) {
    if (!first) line += ',';
    line += CsvCell(item.value());
    first = false;
  }
  return line + '\n';
}

std::string ReadsLine(const ModelCosts& costs) {
  double in_context = 0, in_windows = 0;
  for (const CachePart& cache : costs.caches) {
    (cache.window == 0 ? in_context : in_windows) += cache.bytes;
  }
  std::string line = "a token reads " + RoundBytes(WeightBytes(costs, 1)) + " of weights";
  const auto add = [&line](double bytes, const char* what) {
    if (bytes > 0) line += ", " + RoundBytes(bytes) + what;
  };
  add(in_context, " of keys and values for each token before it");
  add(in_windows, " for each that a window shows");
  add(costs.state_bytes, " of states");
  return line + '\n';
}

std::string TableHeader(bool peer) {
  return std::string(
             "test     threads   depth  tokens   rows      tok/s   (from .. to)          ") +
         (peer ? "peer       ratio  " : "") + "share of the limit\n";
}

std::string TableLine(const Measurement& m, bool peer) {
  const std::string spread = m.tokens == 0 ? ""
                                           : "(" + Speed(SlowestTokensPerSecond(m)) + " .. " +
                                                 Speed(FastestTokensPerSecond(m)) + ")";
  std::string line =
      Format("%-8s %7u %7llu %7llu %6u %10s   %-21s ", Name(m.test), m.threads,
             static_cast<unsigned long long>(m.depth), static_cast<unsigned long long>(m.tokens),
             m.rows, Speed(TokensPerSecond(m)).c_str(), spread.c_str());
  if (peer) {
    const double ratio = PeerRatio(m);
    line += Format("%-10s %-6s ", m.peer_speeds.empty() ? "" : Speed(Median(m.peer_speeds)).c_str(),
                   ratio > 0 ? Format("%.2f", ratio).c_str() : "");
  }
  line += LimitText(m);
  const std::string details = Details(m);
  // Where there is no limit, they stand in its place.
  line += m.limit == Limit::kNone && !details.empty() ? details.substr(2) : details;
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string TableNote(const std::vector<Measurement>& all) {
  if (std::none_of(all.begin(), all.end(), IsAboveLimit)) return "";
  return "* above the limit as the probes found it: the machine was faster when this ran, or reads "
         "a part from its caches\n";
}

}  // namespace rondo::tools
