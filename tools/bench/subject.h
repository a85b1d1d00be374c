// Subject: what is measured, which stays the same over a run.
#pragma once

#include <cstdint>
#include <string>

#include "tools/common/library.h"

namespace rondo::tools {

struct Subject {
  std::string shape;    // or the model's name
  std::string weights;  // "q8", "q4", "q4b", "f32"; empty where the file does not tell
  uint32_t block = 0;   // of q4b, else 0
  std::string kernels;
};

Subject SubjectOf(const Model& model, const std::string& kernels);

}  // namespace rondo::tools
