// Identity: numbers that a model does not depend on, one for each channel between two of its parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/convert/output/decoder_spec.h"

namespace rondo::convert {

// Channels [from, from + n) of an identity are the rows, or columns, [first, first + n) of a
// tensor.
struct Place {
  uint32_t tensor;  // index into DecoderSpec::tensors
  bool columns;
  uint64_t first, n;
  uint64_t from = 0;
};
using Places = std::vector<Place>;

// With any s > 0 of a channel, what `grows` times s and what `shrinks` divided by s^degree make is
// what they made before.
struct Identity {
  std::string name;         // where it is: "layers.0.mlp"
  std::string channels_of;  // in words, for `rondo inspect`: "MLP channels"
  uint32_t layer;
  uint64_t channels;
  Places grows, shrinks;
  Places shrinks_apart = {};  // likewise, but of another size by nature: compared by itself
  int degree = 1;
  // The stream's, whose channels are as loud as no weight of these tells.
  bool of_stream = false;
  // What else a channel is a product of, before what shrinks reads it, and in what shrinks.
  std::vector<Places> made_with = {}, read_with = {};
  // Why every s stays 1, as "the head is the embedding"; empty: it need not.
  std::string restriction = {};
};

// All that the operators of `spec` have, by ascending layer: a draft head's layer and what lies
// behind the last layer come last.
std::vector<Identity> FindIdentities(const DecoderSpec& spec);

}  // namespace rondo::convert
