// ProtobufReader: walks over the fields of one protobuf message, trusting none of its lengths.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rondo::convert {

// A view: the bytes must outlive it. Throws Error naming the source, the message, the field and
// its place wherever the bytes are not what they should be.
class ProtobufReader {
 public:
  // `message` is what the bytes are, for errors; `offset` where they begin in the file.
  ProtobufReader(std::string_view bytes, std::string source, std::string message,
                 size_t offset = 0);

  // Goes on to the next field, over the value of the last one if that was not read.
  // False: there is none.
  bool Next();
  uint32_t field() const { return field_; }

  // The value of the field, once; it must be of that type.
  uint64_t Varint();
  bool Bool() { return Varint() != 0; }
  float Float();
  std::string_view Bytes();
  // The same as a message of its own.
  ProtobufReader Message(const std::string& name);

  [[noreturn]] void Fail(const std::string& what) const;

 private:
  enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  uint64_t ReadVarint();
  std::string_view Take(uint64_t count);
  void Expect(uint32_t type);

  std::string_view bytes_;
  std::string source_;
  std::string message_;
  size_t offset_;
  size_t at_ = 0;
  uint32_t field_ = 0;
  uint32_t type_ = 0;
  bool pending_ = false;  // the value of the field has not been read
};

}  // namespace rondo::convert
