// The tensor types of GGUF files: how many values and bytes a block has, and its values as floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace rondo::convert {

struct BlockType {
  uint32_t id;  // in the file
  const char* name;
  uint32_t values;  // in a block, which lie in one row; 1 where values stand alone
  uint32_t bytes;   // of a block
  // out[0, n_blocks * values) = the values of `n_blocks` blocks from `blocks`, computed in float32.
  void (*dequantize)(const uint8_t* blocks, size_t n_blocks, float* out);
};

inline constexpr uint32_t kQ40 =
    2;  // the id of Q4_0, the one type that is also taken over as it is

// Null where the type is not known here.
const BlockType* FindBlockType(uint32_t id);

// Its name, also of types that are not known here, or "type ID".
std::string BlockTypeName(uint32_t id);

// Those that FindBlockType() finds, for messages: "F32, F16, ...".
std::string KnownBlockTypes();

// From one block of Q4_0 to one of our Q4B in blocks of 32: data[0, 16) with even columns in the
// low nibbles, returns the scale as a float16's bits. Exact.
uint16_t RepackQ40(const uint8_t* block, uint8_t* data);

}  // namespace rondo::convert
