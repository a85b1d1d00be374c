#include "tools/convert/tokenizer/protobuf.h"

#include <cstring>
#include <utility>

#include "tools/convert/common/fail.h"

namespace rondo::convert {

ProtobufReader::ProtobufReader(std::string_view bytes, std::string source, std::string message,
                               size_t offset)
    : bytes_(bytes), source_(std::move(source)), message_(std::move(message)), offset_(offset) {}

void ProtobufReader::Fail(const std::string& what) const {
  convert::Fail(source_, ": ", message_, ", field ", field_, " at byte ", offset_ + at_, ": ",
                what);
}

bool ProtobufReader::Next() {
  if (pending_) {
    switch (type_) {
      case kVarint:
        ReadVarint();
        break;
      case kFixed64:
        Take(8);
        break;
      case kBytes:
        Take(ReadVarint());
        break;
      default:
        Take(4);
    }
  }
  pending_ = false;
  if (at_ == bytes_.size()) return false;
  const uint64_t key = ReadVarint();
  if (key >> 3 == 0 || key >> 3 >= 1u << 29) Fail("the number of a field is out of range");
  field_ = static_cast<uint32_t>(key >> 3);
  type_ = static_cast<uint32_t>(key & 7);
  if (type_ != kVarint && type_ != kFixed64 && type_ != kBytes && type_ != kFixed32) {
    Fail("wire type " + std::to_string(type_) + " is not known");
  }
  pending_ = true;
  return true;
}

uint64_t ProtobufReader::ReadVarint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at_ == bytes_.size()) Fail("the file ends inside of a number");
    const auto byte = static_cast<uint8_t>(bytes_[at_++]);
    value |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return value;
  }
  Fail("a number has more than ten bytes");
}

std::string_view ProtobufReader::Take(uint64_t count) {
  if (count > bytes_.size() - at_) {
    Fail("a length of " + std::to_string(count) + " bytes, but only " +
         std::to_string(bytes_.size() - at_) + " follow");
  }
  const std::string_view taken = bytes_.substr(at_, static_cast<size_t>(count));
  at_ += static_cast<size_t>(count);
  return taken;
}

void ProtobufReader::Expect(uint32_t type) {
  if (type_ != type) {
    Fail("is of wire type " + std::to_string(type_) + ", expected " + std::to_string(type));
  }
  pending_ = false;
}

uint64_t ProtobufReader::Varint() {
  Expect(kVarint);
  return ReadVarint();
}

float ProtobufReader::Float() {
  Expect(kFixed32);
  const std::string_view bytes = Take(4);
  uint32_t bits = 0;  // little-endian, whatever this machine is
  for (size_t i = 4; i-- > 0;) bits = bits << 8 | static_cast<uint8_t>(bytes[i]);
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::string_view ProtobufReader::Bytes() {
  Expect(kBytes);
  return Take(ReadVarint());
}

ProtobufReader ProtobufReader::Message(const std::string& name) {
  const std::string_view bytes = Bytes();
  return {bytes, source_, name, offset_ + at_ - bytes.size()};
}

}  // namespace rondo::convert
