// LinearObserver: who wants to see the rows that enter the matrix products.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rondo {

// For measuring a model (calibration), not for running it. Called on the calling thread before each
// product with weights in f32, `tensor` being the weight's index in the file: `rows` rows of
// `inputs` floats, `stride` floats from one to the next, valid during the call only.
struct LinearObserver {
  void (*observe)(void* user, uint32_t tensor, const float* in, size_t rows, size_t inputs,
                  size_t stride) = nullptr;  // null: nobody looks
  void* user = nullptr;
};

}  // namespace rondo
