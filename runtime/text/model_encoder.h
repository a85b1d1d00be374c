// ModelEncoder: pre-tokens in, ids out; what BPE and Unigram have in common.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/base/status.h"

namespace rondo {

class ModelEncoder {
 public:
  // Goes on with the current pre-token: whole characters of UTF-8 (any bytes for byte-level BPE).
  // Error: kInvalidArgument (a stretch longer than the scratch that cannot be cut).
  virtual Status Append(std::span<const uint8_t> bytes) = 0;
  // The current pre-token ends. Error: as Append.
  virtual Status EndPreToken() = 0;
  // A pre-token that is known whole. Error: as Append.
  virtual Status PreToken(std::span<const uint8_t> bytes) = 0;

 protected:
  ~ModelEncoder() = default;
};

}  // namespace rondo
