// ModelParts: of all that a model is made of, what decides how many bytes its passes read and how
// many operations they do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rondo/rondo.h"
#include "rondo_generated.h"

namespace rondo::tools {

// A matrix that rows are multiplied by.
struct MatrixPart {
  format::TensorFormat format;
  uint64_t rows = 0, cols = 0;
  uint32_t block = 0;
  // Of an expert: a row goes through `used` of `experts` like this one; elsewhere 1 of 1.
  uint32_t used = 1, experts = 1;
};

// A sublayer that reads the keys and values of the positions in sight.
struct CachePart {
  double bytes = 0;                             // of one position
  uint64_t window = 0;                          // positions in sight; 0: all
  bool chunked = false;                         // those of the position's own chunk of `window`
  double key_channels = 0, value_channels = 0;  // a byte each in int8
};

struct ModelParts {
  std::vector<MatrixPart> layers;
  MatrixPart head;  // also where it is the embedding
  std::vector<CachePart> caches;
  double state_bytes = 0;  // what recurrences and convolutions keep of a sequence
  double row_bytes = 0;    // of a table of layer embeddings, for one token
  // Of what sees for it: those that patches go through, and those that rows of the text come of.
  std::vector<MatrixPart> of_patches, of_picture_rows;
};

// As the metadata of the file has them. Throws Error.
ModelParts ReadParts(const std::string& path);

// `parts`, made for int8 KV, with its caches in this RONDO_KV_ format.
void UseKvFormat(int32_t kv_format, ModelParts* parts);

}  // namespace rondo::tools
