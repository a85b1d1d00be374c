// JsonScanner: where a JSON value ends, in a text that comes in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rondo::calls {

// RFC 8259, without a look at whether strings are UTF-8. Fixed memory.
class JsonScanner {
 public:
  static constexpr uint32_t kMaxDepth = 256;

  enum class State : uint8_t { kMore, kDone, kError };

  // Takes the text's next bytes, up to the value's end or the first byte that JSON cannot have
  // there; returns how many were taken. A number at the top is done only by Finish.
  size_t Scan(std::string_view text);
  // The text ends here.
  void Finish();
  State state() const { return state_; }

 private:
  enum class Expect : uint8_t {
    kValue,
    kFirstItem,  // or the array's end
    kFirstKey,   // or the object's end
    kKey,
    kColon,
    kNext,  // a comma, or the end of what is open
    kString,
    kEscape,
    kHex,
    kNumber,
    kWord
  };

  bool Take(char c);
  bool TakeValue(char c);
  bool TakeNumber(char c);
  bool NumberMayEnd() const;
  void EndValue();
  bool Open(bool object);
  bool Close(bool object);
  bool in_object() const { return (open_[(depth_ - 1) / 64] >> ((depth_ - 1) % 64)) & 1; }

  State state_ = State::kMore;
  Expect expect_ = Expect::kValue;
  bool is_key_ = false;    // the string under way
  uint8_t number_ = 0;     // how far a number is
  uint8_t hex_ = 0;        // digits still to come
  std::string_view word_;  // what is still to come of true, false or null
  uint32_t depth_ = 0;
  uint64_t open_[kMaxDepth / 64] = {};  // a bit for each level: an object
};

}  // namespace rondo::calls
