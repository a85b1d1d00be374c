// A model of random weights, made in its quantised form without a detour over floats.
#pragma once

#include <cstdint>
#include <string>

#include "tools/bench/bench_model.h"
#include "tools/bench/shapes.h"

namespace rondo::tools {

struct RandomModelOptions {
  std::string weights = "q8";    // convert::FormatNames
  std::string embedding = "q8";  // the same, of embedding and output head
  uint32_t block = 32;           // of q4b: 32, 64 or 128
};

// Writes a Rondo file of this shape to a temporary folder, opens it and removes it: it lives as
// long as the model is open. Equal arguments give equal weights. Scales keep the activations near
// 1. Holds a few megabytes, and the scales of the largest tensor, whatever the size of the model.
// Throws std::exception; CLI::RuntimeError where the user interrupts.
BenchModel MakeRandomModel(const Shape& shape, const RandomModelOptions& options);

}  // namespace rondo::tools
