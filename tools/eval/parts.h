// The answer of `rondo eval --parts`: where a model's loss comes from, as text, JSON and a picture.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "tools/convert/loss_of_parts.h"

namespace rondo::tools {

std::string PartsTable(const convert::PartLosses& losses, const std::string& kv);
nlohmann::ordered_json PartsJson(const convert::PartLosses& losses, const std::string& kv);
// By layer, a line for each kind of matrix; a whole SVG file.
std::string PartsPlot(const convert::PartLosses& losses, const std::string& headline);

}  // namespace rondo::tools
