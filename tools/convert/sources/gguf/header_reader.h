// HeaderReader: the numbers, strings and values of a GGUF file's header, front to back.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/convert/sources/input_file.h"

namespace rondo::convert {

bool IsUtf8(const std::string& text);

// Nothing is allocated for a length that the file cannot hold, and no more than some hundred
// megabytes whatever it says. All throw Error, naming the file and `what` was to be read.
class HeaderReader {
 public:
  explicit HeaderReader(const InputFile& file);

  const std::string& path() const { return file_.path(); }
  uint64_t offset() const { return offset_; }
  // Bytes that the header may still take: at most those of the file.
  uint64_t remaining() const { return limit_ - offset_; }

  // Little-endian, as this machine is.
  template <typename T>
  T Number(const std::string& what) {
    static_assert(std::endian::native == std::endian::little);
    T value;
    Take(reinterpret_cast<uint8_t*>(&value), sizeof(value), what);
    return value;
  }
  std::string Bytes(uint64_t size, const std::string& what);
  // uint64 length, then so many bytes; those of a String() are UTF-8.
  std::string StringBytes(const std::string& what, uint64_t max_bytes);
  std::string String(const std::string& what, uint64_t max_bytes);
  // uint32 type, then a value of it. A string that is not UTF-8 is binary JSON, and a boolean that
  // is neither 0 nor 1 a number: only who reads the key can tell whether that matters.
  nlohmann::json Value(const std::string& what);

 private:
  void Take(uint8_t* out, uint64_t size, const std::string& what);
  nlohmann::json Scalar(uint32_t type, const std::string& what);
  nlohmann::json Array(const std::string& what);

  const InputFile& file_;
  const uint64_t limit_;
  uint64_t offset_ = 0;
  uint64_t elements_ = 0;  // of all arrays so far
  std::vector<uint8_t> buffer_;
  uint64_t buffer_begin_ = 0;
};

}  // namespace rondo::convert
