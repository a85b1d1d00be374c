#include "tools/bench/subject.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace rondo::tools {

// What the file says about its weights: "q8", "q4, calibrated" or "q4b, block 32, calibrated".
Subject SubjectOf(const Model& model, const std::string& kernels) {
  Subject subject;
  subject.shape = Fact(model, "name");
  subject.kernels = kernels;
  const std::string weights = Fact(model, "weights");
  const char* const kBlock = ", block ";
  const size_t comma = weights.find(kBlock);
  subject.weights = weights.substr(0, std::min(comma, weights.find(", calibrated")));
  if (comma != std::string::npos) {
    subject.block = static_cast<uint32_t>(
        std::strtoul(weights.c_str() + comma + std::strlen(kBlock), nullptr, 10));
  }
  return subject;
}

}  // namespace rondo::tools
