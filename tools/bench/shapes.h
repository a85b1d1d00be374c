// The sizes of well-known models, to measure a device before any of them is downloaded.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rondo::tools {

struct Shape {
  std::string_view name;
  uint32_t hidden_size, intermediate_size, n_layers, n_heads, n_kv_heads, head_dim, vocab_size;
  bool tied;  // the output head is the embedding
};

std::span<const Shape> AllShapes();
const Shape* FindShape(std::string_view name);  // null: there is none
std::string ShapeNames();                       // "llama3.2-1b, llama3.2-3b, ..."

}  // namespace rondo::tools
