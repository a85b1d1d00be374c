#include "tools/inspect/sight_report.h"

#include "runtime/model/linears.h"
#include "runtime/model/tensor_view.h"
#include "tools/common/numbers.h"
#include "tools/common/printable.h"
#include "tools/common/sight.h"
#include "tools/inspect/mapped_model.h"
#include "tools/inspect/report_row.h"

namespace rondo::tools {
namespace {

std::string Times(uint64_t width, uint64_t height) {
  return FormatCount(width) + " x " + FormatCount(height);
}

// By which rule the image processor chooses sizes.
std::string RuleInWords(const format::ImageProcessor& p) {
  const std::string tiles = "tiles of " + Times(p.tile(), p.tile());
  const std::string grid =
      FormatCount(p.min_tiles()) + " to " + FormatCount(p.max_tiles()) + " " + tiles;
  const std::string whole = p.thumbnail() ? " and a small whole" : "";
  std::string between = "about their own size, from " + FormatCount(p.min_pixels()) + " to " +
                        FormatCount(p.max_pixels()) + " pixels";
  switch (p.rule()) {
    case format::SizeRule::kSquare:
      return "stretched to " + Times(p.tile(), p.tile());
    case format::SizeRule::kBudget:
      return "scaled to about " + FormatCount(p.max_pixels()) + " pixels";
    case format::SizeRule::kBetween:
      return between;
    case format::SizeRule::kLongestEdge:
      return "their own size, sides of at most " + FormatCount(p.longest_edge());
    case format::SizeRule::kLongestEdgeTiles:
      return "scaled to a longer side of " + FormatCount(p.longest_edge()) +
             (p.split() ? ", cut into " + tiles + " and seen whole, too" : ", seen whole");
    case format::SizeRule::kGrid:
      return "cut into " + grid + whole;
    case format::SizeRule::kBetweenOrGrid:
      return between + (p.split() ? "; larger ones cut into " + grid + whole : "");
  }
  return "";
}

}  // namespace

std::string DescribeSight(const std::string& path, const Model& handle) {
  const MappedModel model = MapModel(path);
  const format::Model* const vision = model.file.model().vision();
  if (vision == nullptr) return "";
  uint64_t weights = 0;
  std::string formats;
  const auto count = [&](const format::Linear& linear) {
    const TensorView tensor = ViewTensor(model.file, linear.weight());
    weights += uint64_t{tensor.rows} * tensor.cols;
    const std::string format = tensor.rule().name;
    if (formats.find(format) == formats.npos) formats += (formats.empty() ? "" : ", ") + format;
  };
  ForEachOwnLinear(*vision, false, count);
  for (const format::Layer* layer : *vision->layers()) ForEachLinear(*layer, count);
  const format::ImageProcessor& p = *vision->tower()->processor();
  const uint32_t side = p.patch() * p.merge();
  const std::string mark = PictureMark(handle);
  std::string out;
  Row("sight",
      FormatCount(vision->layers()->size(), "layer") + " of " + FormatCount(vision->hidden_size()) +
          ", " + FormatCount(weights) + " weights of matrices in " + formats,
      &out);
  Row("pictures",
      RuleInWords(p) + "; a row of the text for " + Times(side, side) + " pixels, token " +
          std::to_string(vision->tower()->text()->placeholder()) +
          (mark.empty() ? "" : " (" + Printable(mark) + ")"),
      &out);
  return out;
}

std::string DescribePicture(PictureSize size, const rondo_image_facts& facts) {
  std::string out;
  Row("picture", Times(size.width, size.height) + " pixels", &out);
  Row("rows", FormatCount(facts.rows), &out);
  Row("positions", FormatCount(facts.positions) + " of the context", &out);
  if (facts.tile_columns > 0) {
    Row("tiles",
        Times(facts.tile_columns, facts.tile_rows) + " of " +
            Times(facts.tile_pixels, facts.tile_pixels) + " pixels",
        &out);
  }
  if (facts.whole_width > 0) {
    Row("whole", Times(facts.whole_width, facts.whole_height) + " pixels", &out);
  }
  Row("patches", FormatCount(facts.patches), &out);
  return out;
}

}  // namespace rondo::tools
