// Buffer: a text that grows at its end; in the machine's memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/chat/jinja/value.h"

namespace rondo::jinja {

class Buffer {
 public:
  explicit Buffer(Machine& machine) : machine_(machine), born_(machine.now()) {}

  void Append(TextView text);
  void Append(char c, bool outside = false) {
    if (size_ == capacity_ || outside || outside_ != nullptr) {
      return Append(TextView({&c, 1}, MarkOf(outside)));
    }
    data_[size_++] = c;
  }
  void AppendCodePoint(uint32_t code_point, bool outside = false);
  // The same. A long text is not copied where the buffer can go on in its room: it lives as long
  // as the machine, or its region.
  void AppendText(const Text& text);
  TextView view() const { return {{data_, size_}, outside_}; }
  // The text as a value, undefined after a failure; nothing may be appended afterwards.
  Value Finish();

 private:
  bool Grow(size_t bytes);
  bool Claim(size_t bytes);
  void Unclaim(const char* end);
  void AppendMarks(TextView text);
  bool MakeMarks();

  Machine& machine_;
  const Machine::Mark born_;
  char* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
  size_t before_ = 0;         // bytes of room in front of the text
  uint8_t* marks_ = nullptr;  // [capacity_]; nullptr while the text is uniform or not our own
  const uint8_t* outside_ = nullptr;
  const Text* whole_ = nullptr;  // what it begins with, where that was not copied
  TextRoom* claimed_ = nullptr;  // the room of it, while all of that is ours
  size_t counted_ = 0;           // bytes whose length is known:
  size_t length_ = kUnknownLength;
};

}  // namespace rondo::jinja
