#include "tools/eval/parts.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "tools/common/chart.h"
#include "tools/common/numbers.h"

namespace rondo::tools {
namespace {

using convert::PartLoss;
using convert::PartLosses;

std::string Nats(double loss) {
  char text[32];
  std::snprintf(text, sizeof text, "%11.6f", loss);
  return text;
}

// The sums of each kind's parts, in the order in which kinds first come.
std::vector<PartLoss> SumsByKind(const PartLosses& losses) {
  std::vector<PartLoss> sums;
  for (const PartLoss& part : losses.parts) {
    auto sum = std::ranges::find(sums, part.matrix, &PartLoss::matrix);
    if (sum == sums.end()) {
      sums.push_back({-1, part.matrix, part.format});
      sum = sums.end() - 1;
    }
    if (sum->format != part.format) sum->format = "mixed";
    sum->of_weights += part.of_weights;
    sum->of_rows += part.of_rows;
  }
  return sums;
}

class Table {
 public:
  explicit Table(const PartLosses& losses) {
    for (const PartLoss& part : losses.parts) {
      matrix_width_ = std::max(matrix_width_, part.matrix.size());
      format_width_ = std::max(format_width_, part.format.size());
    }
  }

  void Head(const std::string& layer, const std::string& matrix) {
    text_ += "\n" + Row(layer, matrix, "format") + "      weights         rows\n";
  }
  void Add(const std::string& layer, const PartLoss& part) {
    text_ += Row(layer, part.matrix, part.format) + "  " + Nats(part.of_weights) + "  " +
             Nats(part.of_rows) + "\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string Row(const std::string& layer, const std::string& matrix,
                  const std::string& format) const {
    const auto padded = [](const std::string& word, size_t width) {
      return word + std::string(width - std::min(width, word.size()), ' ');
    };
    return std::string(5 - std::min<size_t>(5, layer.size()), ' ') + layer + "  " +
           padded(matrix, matrix_width_) + "  " + padded(format, format_width_);
  }

  size_t matrix_width_ = 14, format_width_ = 6;
  std::string text_;
};

std::string LayerText(const PartLoss& part) {
  return part.layer < 0 ? "" : std::to_string(part.layer);
}

Chart ChartOf(const PartLosses& losses, const char* title, double PartLoss::*loss) {
  Chart chart = {title, "layer", "KL divergence, nats", {}, {}};
  std::map<std::string, size_t> lines;
  for (const PartLoss& part : losses.parts) {
    if (part.layer < 0) continue;
    const auto [found, is_new] = lines.try_emplace(part.matrix, chart.lines.size());
    if (is_new) chart.lines.push_back({part.matrix, {}, found->second});
    chart.lines[found->second].points.emplace_back(part.layer, part.*loss);
  }
  return chart;
}

}  // namespace

std::string PartsTable(const PartLosses& losses, const std::string& kv) {
  std::string text = "KL divergence from the model in float32, nats, mean of " +
                     FormatCount(losses.positions, "position") + "\n";
  text += "everything    " + Nats(losses.all) + "\n";
  text += "all weights   " + Nats(losses.of_weights) + "\n";
  text += "all rows      " + Nats(losses.of_rows) + "    in int8, as they enter these weights\n";
  text += "cache         " + Nats(losses.of_cache) + "    in " + kv + "\n";
  Table table(losses);
  table.Head("", "sum of a kind");
  for (const PartLoss& sum : SumsByKind(losses)) table.Add("", sum);
  table.Head("layer", "by itself");
  for (const PartLoss& part : losses.parts) table.Add(LayerText(part), part);
  return text + table.text();
}

nlohmann::ordered_json PartsJson(const PartLosses& losses, const std::string& kv) {
  nlohmann::ordered_json json = {{"kl", losses.all},
                                 {"kl_weights", losses.of_weights},
                                 {"kl_rows", losses.of_rows},
                                 {"kl_cache", losses.of_cache},
                                 {"kv", kv},
                                 {"positions", losses.positions}};
  json["parts"] = nlohmann::ordered_json::array();
  for (const PartLoss& part : losses.parts) {
    nlohmann::ordered_json one;
    if (part.layer >= 0) one["layer"] = part.layer;
    one["matrix"] = part.matrix;
    one["format"] = part.format;
    one["kl_weights"] = part.of_weights;
    one["kl_rows"] = part.of_rows;
    json["parts"].push_back(std::move(one));
  }
  return json;
}

std::string PartsPlot(const PartLosses& losses, const std::string& headline) {
  return DrawCharts(headline, {ChartOf(losses, "Weights", &PartLoss::of_weights),
                               ChartOf(losses, "Rows in int8", &PartLoss::of_rows)});
}

}  // namespace rondo::tools
