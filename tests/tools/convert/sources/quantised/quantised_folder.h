// QuantisedTest: a folder with a matrix as a method of quantisation lays it out, packed bit by bit,
// and what is read of it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/temp_folder.h"
#include "tests/tools/error_of.h"
#include "tools/convert/sources/checkpoint_folder.h"
#include "tools/convert/sources/float_formats.h"

namespace rondo::convert {

struct Stored {
  std::string dtype;
  std::vector<uint64_t> shape;
  std::string bytes;
};

template <typename T>
Stored Of(const char* dtype, std::vector<uint64_t> shape, const std::vector<T>& values) {
  return {dtype,
          std::move(shape),
          {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)}};
}

// Codes of a matrix by row and column, and the scales of its groups.
struct Matrix {
  uint64_t rows, cols, groups;
  std::vector<uint32_t> codes;
  std::vector<float> scales;    // [row][group], which float16 holds
  std::vector<uint32_t> zeros;  // likewise
  uint32_t code(uint64_t r, uint64_t c) const { return codes[r * cols + c]; }
  size_t at(uint64_t r, uint64_t g) const { return r * groups + g; }
};

inline Matrix Random(uint64_t rows, uint64_t cols, uint64_t groups, uint32_t bits) {
  std::mt19937 random(static_cast<uint32_t>(rows * 1000 + cols + bits));
  Matrix m = {rows, cols, groups, {}, {}, {}};
  for (uint64_t i = 0; i < rows * cols; ++i) m.codes.push_back(random() % (1u << bits));
  for (uint64_t i = 0; i < rows * groups; ++i) {
    m.scales.push_back(static_cast<float>(1 + random() % 1000) / 4096);
    m.zeros.push_back(1 + random() % ((1u << bits) - 1));
  }
  return m;
}

// Bits one behind the other in words of 32, from the low one on; a list of words for each line.
inline std::vector<uint32_t> Words(const std::vector<uint32_t>& codes, uint32_t bits) {
  std::vector<uint32_t> words((codes.size() * bits + 31) / 32);
  for (size_t i = 0; i < codes.size() * bits; ++i) {
    words[i / 32] |= (codes[i / bits] >> i % bits & 1) << i % 32;
  }
  return words;
}

inline uint16_t Half(float value) {  // of those that float16 holds exactly
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    if (FromFloat16(static_cast<uint16_t>(bits)) == value) return static_cast<uint16_t>(bits);
  }
  ADD_FAILURE() << value;
  return 0;
}

inline std::vector<uint16_t> Halves(const std::vector<float>& values) {
  std::vector<uint16_t> halves;
  for (const float value : values) halves.push_back(Half(value));
  return halves;
}

class QuantisedTest : public testing::Test {
 protected:
  void Save(const std::map<std::string, Stored>& tensors) {
    nlohmann::json header;
    std::string data;
    for (const auto& [name, tensor] : tensors) {
      const size_t begin = data.size();
      data += tensor.bytes;
      header[name] = {
          {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
    }
    const std::string text = header.dump();
    const uint64_t size = text.size();
    std::ofstream out(folder_ / "model.safetensors", std::ios::binary);
    out.write(reinterpret_cast<const char*>(&size), sizeof size);
    out << text << data;
  }
  CheckpointFolder Open(const char* config) {
    return CheckpointFolder(folder_ / "", ReadQuantisation(Config::Of(
                                              "config.json: key ", nlohmann::json::parse(config))));
  }
  // The whole matrix, and pieces of it that begin in the middle of rows.
  std::vector<float> Read(const char* config, const char* type,
                          const std::vector<uint64_t>& shape) {
    const CheckpointFolder folder = Open(config);
    EXPECT_EQ(folder.tensors().size(), 1u);
    const Checkpoint::Entry& entry = folder.tensors().at("x.weight");
    EXPECT_EQ(entry.type, type);
    EXPECT_EQ(entry.shape, shape);
    std::vector<float> all(entry.elements());
    folder.Read("x.weight", 0, all);
    std::vector<float> pieces(all.size());
    for (size_t begin = 0; begin < pieces.size(); begin += 7) {
      folder.Read("x.weight", begin,
                  std::span(pieces).subspan(begin, std::min<size_t>(7, pieces.size() - begin)));
    }
    EXPECT_EQ(all, pieces);
    return all;
  }
  std::string Refusal(const char* config) {
    return SentenceOf([&] { (void)Open(config); });
  }

  TempFolder folder_;
};

}  // namespace rondo::convert
