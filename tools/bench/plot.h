// The picture of a run: decode against depth, and the cost of rows verified at once.
#pragma once

#include <string>
#include <vector>

#include "tools/bench/measurement.h"
#include "tools/bench/subject.h"

namespace rondo::tools {

// A whole SVG file; a chart for which nothing was measured is left out.
std::string PlotSvg(const Subject& subject, const std::vector<Measurement>& measurements);

}  // namespace rondo::tools
