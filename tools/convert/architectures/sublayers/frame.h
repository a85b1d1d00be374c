// What sublayers of every kind have, and what they are made with.
#pragma once

#include <string>

#include "tools/convert/output/decoder_spec.h"

namespace rondo::convert {

class SublayerBuilder;

// Names of norms are below the layer, without ".weight"; empty: none.
struct Frame {
  std::string pre_norm, post_norm;
  std::string residual_norm;          // of the stream behind the sublayer
  bool reads_previous_input = false;  // what the sublayer before it read
  float residual_factor = 1;          // of the stream behind the sublayer
  float factor = 1;  // of what it adds; folded into its last matrix, or into post_norm

  float output_factor() const { return post_norm.empty() ? factor : 1; }
};

// `sublayer` with the norms and factors that `other` has.
template <typename Sublayer>
Sublayer InPlaceOf(const Frame& other, Sublayer sublayer) {
  static_cast<Frame&>(sublayer) = other;
  return sublayer;
}

}  // namespace rondo::convert
