// A line chart as SVG: axes from zero, round ticks, a legend below.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/common/output_file.h"

namespace rondo::tools {

inline constexpr FileKind kSvg = {"an SVG picture", "<svg "};

struct ChartLine {
  std::string label;                              // empty: not in the legend
  std::vector<std::pair<double, double>> points;  // ascending x; finite, none negative
  size_t color = 0;                               // of the palette, which repeats
  bool dashed = false;
};

struct Chart {
  std::string title, x_label, y_label;
  std::vector<ChartLine> lines;
  std::vector<double> x_ticks;  // empty: round numbers
};

// The charts side by side under one headline; a whole SVG file.
std::string DrawCharts(const std::string& headline, const std::vector<Chart>& charts);

// Round numbers from 0 to at least `top`, some four to eight of them.
std::vector<double> RoundTicks(double top);

}  // namespace rondo::tools
