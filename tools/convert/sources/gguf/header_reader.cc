#include "tools/convert/sources/gguf/header_reader.h"

#include <utf8proc.h>

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/what_it_is.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

constexpr uint64_t kMaxHeaderBytes = 256u << 20;
constexpr uint64_t kMaxStringBytes = 16u << 20;
constexpr uint64_t kMaxElements = 8u << 20;  // some 48 bytes of memory each
constexpr uint64_t kBufferBytes = 64u << 10;

enum Type : uint32_t {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kFloat32,
  kBool,
  kString,
  kArray,
  kUint64,
  kInt64,
  kFloat64,
};

}  // namespace

bool IsUtf8(const std::string& text) {
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  auto left = static_cast<utf8proc_ssize_t>(text.size());
  while (left > 0) {
    utf8proc_int32_t code_point;
    const utf8proc_ssize_t length = utf8proc_iterate(at, left, &code_point);
    if (length <= 0) return false;
    at += length;
    left -= length;
  }
  return true;
}

HeaderReader::HeaderReader(const InputFile& file)
    : file_(file), limit_(std::min(file.bytes(), kMaxHeaderBytes)) {}

void HeaderReader::Take(uint8_t* out, uint64_t size, const std::string& what) {
  if (size > remaining()) {
    Fail(path(), ": ", what, " takes ", size, " bytes at byte ", offset_, ", but ",
         limit_ == file_.bytes() ? "the file ends at " : "the header must end by ", limit_,
         limit_ == file_.bytes() ? CutShortAdvice(path()) : "");
  }
  while (size > 0) {
    if (offset_ >= buffer_begin_ + buffer_.size()) {
      buffer_begin_ = offset_;
      buffer_.resize(static_cast<size_t>(std::min(kBufferBytes, limit_ - offset_)));
      file_.Read(buffer_begin_, buffer_);
    }
    const uint64_t at = offset_ - buffer_begin_;
    const uint64_t n = std::min<uint64_t>(size, buffer_.size() - at);
    std::memcpy(out, buffer_.data() + at, static_cast<size_t>(n));
    out += n;
    size -= n;
    offset_ += n;
  }
}

std::string HeaderReader::Bytes(uint64_t size, const std::string& what) {
  if (size > remaining()) Take(nullptr, size, what);  // says so before anything is allocated
  std::string bytes(static_cast<size_t>(size), '\0');
  Take(reinterpret_cast<uint8_t*>(bytes.data()), size, what);
  return bytes;
}

std::string HeaderReader::StringBytes(const std::string& what, uint64_t max_bytes) {
  const auto size = Number<uint64_t>(what);
  if (size > max_bytes) {
    Fail(path(), ": ", what, " has ", size, " bytes, expected at most ", max_bytes);
  }
  return Bytes(size, what);
}

std::string HeaderReader::String(const std::string& what, uint64_t max_bytes) {
  std::string text = StringBytes(what, max_bytes);
  if (!IsUtf8(text)) Fail(path(), ": ", what, " is not UTF-8");
  return text;
}

json HeaderReader::Value(const std::string& what) {
  const auto type = Number<uint32_t>(what);
  return type == kArray ? Array(what) : Scalar(type, what);
}

json HeaderReader::Scalar(uint32_t type, const std::string& what) {
  switch (type) {
    case kUint8:
      return Number<uint8_t>(what);
    case kInt8:
      return Number<int8_t>(what);
    case kUint16:
      return Number<uint16_t>(what);
    case kInt16:
      return Number<int16_t>(what);
    case kUint32:
      return Number<uint32_t>(what);
    case kInt32:
      return Number<int32_t>(what);
    case kFloat32:
      return Number<float>(what);
    case kUint64:
      return Number<uint64_t>(what);
    case kInt64:
      return Number<int64_t>(what);
    case kFloat64:
      return Number<double>(what);
    case kString: {
      std::string text = StringBytes(what, kMaxStringBytes);
      if (IsUtf8(text)) return text;
      return json::binary({text.begin(), text.end()});
    }
    case kBool: {
      const auto value = Number<uint8_t>(what);
      return value > 1 ? json(value) : json(value == 1);
    }
    case kArray:
      Fail(path(), ": ", what, " is an array of arrays, which cannot be read");
    default:
      Fail(path(), ": ", what, " is of type ", type, ", expected 0 to ", kFloat64);
  }
}

json HeaderReader::Array(const std::string& what) {
  const auto type = Number<uint32_t>(what);
  const auto size = Number<uint64_t>(what);
  if (size > remaining() || size > kMaxElements - elements_) {
    Fail(path(), ": ", what, " has ", size,
         " elements, more than the file can hold or than the limit of all arrays, ", kMaxElements);
  }
  elements_ += size;
  json array = json::array();
  array.get_ref<json::array_t&>().reserve(static_cast<size_t>(size));
  for (uint64_t i = 0; i < size; ++i) array.push_back(Scalar(type, what));
  return array;
}

}  // namespace rondo::convert
