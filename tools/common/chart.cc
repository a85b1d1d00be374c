#include "tools/common/chart.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "tools/common/numbers.h"

namespace rondo::tools {
namespace {

// All in pixels.
constexpr double kChartWidth = 460;  // of one chart
constexpr double kHeadline = 44;     // above the charts
constexpr double kLeft = 66;         // of the plot in its chart; so the next two
constexpr double kRight = 20;
constexpr double kTop = 34;
constexpr double kPlotHeight = 250;
constexpr double kBelow = 52;  // ticks and label of the x axis
constexpr double kLegendLine = 18;
constexpr double kTickRoom = 22;  // from the middle of one tick's label to the next
constexpr double kPlotWidth = kChartWidth - kLeft - kRight;

// Told apart by most colour-blind readers too.
constexpr const char* kColors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#56b4e9", "#e69f00", "#555555", "#8c6bb1"};

std::string Escape(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return escaped;
}

std::string Pixels(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

// "4,096", "0.5".
std::string TickText(double value) {
  if (value == std::floor(value) && value < 1e15) return FormatCount(static_cast<uint64_t>(value));
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

class Drawing {
 public:
  void Text(double x, double y, const std::string& text, const std::string& attributes) {
    svg_ += "<text x=\"" + Pixels(x) + "\" y=\"" + Pixels(y) + "\" " + attributes + ">" +
            Escape(text) + "</text>\n";
  }
  void Line(double x1, double y1, double x2, double y2, const std::string& attributes) {
    svg_ += "<line x1=\"" + Pixels(x1) + "\" y1=\"" + Pixels(y1) + "\" x2=\"" + Pixels(x2) +
            "\" y2=\"" + Pixels(y2) + "\" " + attributes + "/>\n";
  }
  void Path(const std::vector<std::pair<double, double>>& points, const std::string& attributes) {
    svg_ += "<polyline fill=\"none\" points=\"";
    for (const auto& [x, y] : points) svg_ += Pixels(x) + "," + Pixels(y) + " ";
    svg_ += "\" " + attributes + "/>\n";
  }
  void Dot(double x, double y, const std::string& attributes) {
    svg_ += "<circle cx=\"" + Pixels(x) + "\" cy=\"" + Pixels(y) + "\" r=\"3.2\" " + attributes +
            "/>\n";
  }
  const std::string& svg() const { return svg_; }

 private:
  std::string svg_;
};

std::string StrokeOf(const ChartLine& line) {
  return std::string("stroke=\"") + kColors[line.color % std::size(kColors)] +
         "\" stroke-width=\"" + (line.dashed ? "1.4\" stroke-dasharray=\"5 4\"" : "2.2\"");
}

std::string FillOf(const ChartLine& line) {
  return std::string("fill=\"") + kColors[line.color % std::size(kColors)] + "\"";
}

// One chart with its left edge at `x0`.
void DrawChart(const Chart& chart, double x0, Drawing& out) {
  double x_top = 0, y_top = 0;
  for (const ChartLine& line : chart.lines) {
    for (const auto& [x, y] : line.points) {
      x_top = std::max(x_top, x);
      y_top = std::max(y_top, y);
    }
  }
  const std::vector<double> x_ticks = chart.x_ticks.empty() ? RoundTicks(x_top) : chart.x_ticks;
  const std::vector<double> y_ticks = RoundTicks(y_top);
  x_top = std::max(x_top, x_ticks.back());
  y_top = y_ticks.back();
  const double left = x0 + kLeft, top = kHeadline + kTop, bottom = top + kPlotHeight;
  const auto px = [&](double x) { return left + x / x_top * kPlotWidth; };
  const auto py = [&](double y) { return bottom - y / y_top * kPlotHeight; };

  out.Text(left, kHeadline + kTop - 14, chart.title, "font-size=\"14\" font-weight=\"bold\"");
  for (const double tick : y_ticks) {
    out.Line(left, py(tick), left + kPlotWidth, py(tick), "stroke=\"#dddddd\"");
    out.Text(left - 8, py(tick) + 4, TickText(tick), "text-anchor=\"end\"");
  }
  double last_label = -kTickRoom;
  for (const double tick : x_ticks) {
    out.Line(px(tick), bottom, px(tick), bottom + 5, "stroke=\"#444444\"");
    if (px(tick) - last_label < kTickRoom) continue;
    last_label = px(tick);
    out.Text(px(tick), bottom + 19, TickText(tick), "text-anchor=\"middle\"");
  }
  out.Line(left, bottom, left + kPlotWidth, bottom, "stroke=\"#444444\"");
  out.Line(left, top, left, bottom, "stroke=\"#444444\"");
  out.Text(left + kPlotWidth / 2, bottom + 40, chart.x_label, "text-anchor=\"middle\"");
  const std::string turned =
      "transform=\"rotate(-90 " + Pixels(x0 + 16) + " " + Pixels(top + kPlotHeight / 2) + ")\"";
  out.Text(x0 + 16, top + kPlotHeight / 2, chart.y_label, "text-anchor=\"middle\" " + turned);

  double legend = bottom + kBelow;
  for (const ChartLine& line : chart.lines) {
    std::vector<std::pair<double, double>> points;
    for (const auto& [x, y] : line.points) points.emplace_back(px(x), py(y));
    out.Path(points, StrokeOf(line));
    for (size_t i = 0; !line.dashed && i < points.size(); ++i) {
      out.Dot(points[i].first, points[i].second, FillOf(line));
    }
    if (line.label.empty()) continue;
    legend += kLegendLine;
    out.Line(left, legend - 4, left + 28, legend - 4, StrokeOf(line));
    out.Text(left + 36, legend, line.label, "");
  }
}

}  // namespace

std::vector<double> RoundTicks(double top) {
  if (!(top > 0)) top = 1;
  const double rough = top / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= rough * 0.999) step = factor * power;
  }
  std::vector<double> ticks;
  for (int i = 0; ticks.empty() || ticks.back() < top * 0.999; ++i) ticks.push_back(i * step);
  return ticks;
}

std::string DrawCharts(const std::string& headline, const std::vector<Chart>& charts) {
  Drawing drawing;
  size_t legend_lines = 0;
  for (size_t i = 0; i < charts.size(); ++i) {
    DrawChart(charts[i], static_cast<double>(i) * kChartWidth, drawing);
    size_t labels = 0;
    for (const ChartLine& line : charts[i].lines) labels += line.label.empty() ? 0 : 1;
    legend_lines = std::max(legend_lines, labels);
  }
  const double width = kChartWidth * static_cast<double>(std::max<size_t>(charts.size(), 1));
  const double height = kHeadline + kTop + kPlotHeight + kBelow +
                        kLegendLine * static_cast<double>(legend_lines) + 16;
  const std::string size = Pixels(width) + " " + Pixels(height);
  Drawing title;
  title.Text(kLeft, 28, headline, "font-size=\"16\"");
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + Pixels(width) + "\" height=\"" +
         Pixels(height) + "\" viewBox=\"0 0 " + size +
         "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
         title.svg() + drawing.svg() + "</svg>\n";
}

}  // namespace rondo::tools
