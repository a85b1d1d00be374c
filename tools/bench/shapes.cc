#include "tools/bench/shapes.h"

namespace rondo::tools {
namespace {

// clang-format off
constexpr Shape kShapes[] = {
    // name           hidden   mlp  layers heads  kv  dim   vocab  tied
    {"llama3.2-1b",    2048,  8192,   16,   32,   8,   64, 128256, true},
    {"llama3.2-3b",    3072,  8192,   28,   24,   8,  128, 128256, true},
    {"llama3.1-8b",    4096, 14336,   32,   32,   8,  128, 128256, false},
    {"qwen3-0.6b",     1024,  3072,   28,   16,   8,  128, 151936, true},
    {"qwen3-1.7b",     2048,  6144,   28,   16,   8,  128, 151936, true},
    {"qwen3-4b",       2560,  9728,   36,   32,   8,  128, 151936, true},
    {"smollm2-135m",    576,  1536,   30,    9,   3,   64,  49152, true},
    {"smollm2-360m",    960,  2560,   32,   15,   5,   64,  49152, true},
    {"smollm2-1.7b",   2048,  8192,   24,   32,  32,   64,  49152, true},
    {"tinyllama-1.1b", 2048,  5632,   22,   32,   4,   64,  32000, false},
    {"mistral-7b",     4096, 14336,   32,   32,   8,  128,  32768, false},
    {"stories260k",      64,   172,    5,    8,   4,    8,    512, true},
};
// clang-format on

}  // namespace

std::span<const Shape> AllShapes() { return kShapes; }

const Shape* FindShape(std::string_view name) {
  for (const Shape& shape : kShapes) {
    if (shape.name == name) return &shape;
  }
  return nullptr;
}

std::string ShapeNames() {
  std::string names;
  for (const Shape& shape : kShapes) {
    if (!names.empty()) names += ", ";
    names += shape.name;
  }
  return names;
}

}  // namespace rondo::tools
