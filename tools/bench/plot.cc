#include "tools/bench/plot.h"

#include <algorithm>
#include <map>

#include "tools/common/chart.h"
#include "tools/common/numbers.h"

namespace rondo::tools {
namespace {

std::string ThreadsText(uint32_t threads) {
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

// A line for each number of threads, and a dashed one for what the bandwidth would allow.
Chart DecodeChart(const std::vector<Measurement>& measurements) {
  Chart chart = {"Decode", "tokens in the context", "tokens per second", {}, {}};
  std::map<uint32_t, std::pair<ChartLine, ChartLine>> lines;
  for (const Measurement& m : measurements) {
    if (m.test != TestKind::kDecode) continue;
    auto& [measured, limit] = lines[m.threads];
    const auto depth = static_cast<double>(m.depth);
    measured.points.emplace_back(depth, TokensPerSecond(m));
    if (Share(m) > 0) limit.points.emplace_back(depth, TokensPerSecond(m) / Share(m));
  }
  size_t color = 0;
  for (auto& [threads, pair] : lines) {
    auto& [measured, limit] = pair;
    measured.label = ThreadsText(threads);
    limit.label = ThreadsText(threads) + ": the limit, a plain sum over as many bytes";
    measured.color = limit.color = color++;
    limit.dashed = true;
    chart.lines.push_back(measured);
    chart.lines.push_back(limit);
  }
  return chart;
}

// A line for each number of threads and depth.
Chart VerifyChart(const std::vector<Measurement>& measurements) {
  Chart chart = {"Verify: time of one pass", "rows at once", "times that of one row", {}, {}};
  std::map<std::pair<uint32_t, uint64_t>, ChartLine> lines;
  for (const Measurement& m : measurements) {
    if (m.test != TestKind::kVerify) continue;
    lines[{m.threads, m.depth}].points.emplace_back(m.rows, RelativeCost(m));
    if (std::find(chart.x_ticks.begin(), chart.x_ticks.end(), m.rows) == chart.x_ticks.end()) {
      chart.x_ticks.push_back(m.rows);
    }
  }
  std::sort(chart.x_ticks.begin(), chart.x_ticks.end());
  size_t color = 0;
  for (auto& [key, line] : lines) {
    const auto& [threads, depth] = key;
    line.label = ThreadsText(threads) + ", after " + FormatCount(depth) + " tokens";
    line.color = color++;
    chart.lines.push_back(line);
  }
  return chart;
}

}  // namespace

std::string PlotSvg(const Subject& subject, const std::vector<Measurement>& measurements) {
  std::vector<Chart> charts;
  for (Chart& chart : std::vector<Chart>{DecodeChart(measurements), VerifyChart(measurements)}) {
    if (!chart.lines.empty()) charts.push_back(std::move(chart));
  }
  std::string headline = subject.shape + ", " + subject.weights;
  if (subject.block > 0) headline += " in blocks of " + std::to_string(subject.block);
  return DrawCharts(headline, charts);
}

}  // namespace rondo::tools
