// The shapes of well-known models, to measure a device before any of them is downloaded. A shape is
// a config.json, which the converter's own code turns into sublayers and tensors.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/convert/sources/config.h"

namespace rondo::tools {

struct NamedShape {
  std::string_view name;
  std::string_view config;  // JSON; what has no bearing on speed is left out
};

std::span<const NamedShape> AllShapes();
std::string ShapeNames();                // "llama3.2-1b, llama3.2-3b, ..."
bool IsShape(const std::string& shape);  // a name of AllShapes, or a file

struct Shape {
  std::string name;
  convert::Config config;
};

// By a name of AllShapes, or from a file like config.json. Throws Error.
Shape OpenShape(const std::string& shape);

}  // namespace rondo::tools
