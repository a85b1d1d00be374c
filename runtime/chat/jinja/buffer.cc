// Buffer, and texts that are put together by it.
#include "runtime/chat/jinja/buffer.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/utf8.h"

namespace rondo::jinja {
namespace {

constexpr size_t kLongText = 256;  // bytes from which a text has room to grow

bool EndsItsRoom(const Text& text) {
  return text.room != nullptr && text.data + text.size == text.room->end;
}
bool BeginsItsRoom(const Text& text) {
  return text.room != nullptr && text.data == text.room->begin;
}

// The room that a text had on a side, and keeps when it moves; never more than its size.
size_t SpareBefore(const Text& text) {
  if (!BeginsItsRoom(text)) return 0;
  return std::min(static_cast<size_t>(text.room->begin - text.room->low), text.size);
}
size_t SpareBehind(const Text& text) {
  if (!EndsItsRoom(text)) return 0;
  return std::min(static_cast<size_t>(text.room->high - text.room->end), text.size);
}

// Marks for a room whose texts are all uniform, as `text` is.
bool MakeRoomMarks(Machine& machine, TextRoom* room, TextView text) {
  const auto size = static_cast<size_t>(room->high - room->low);
  auto* marks = static_cast<uint8_t*>(machine.Allocate(size));
  if (marks == nullptr) return false;
  std::memset(marks, text.outside != nullptr ? 1 : 0, size);
  room->marks = marks;
  machine.Keep(machine.MarkOf(room), marks);
  return true;
}

// The text in front of which nothing is free, in a room of its own where much is.
Value MoveBehindRoom(Machine& machine, const Text& text, size_t bytes) {
  const size_t before = text.size + bytes, size = before + text.size + SpareBehind(text);
  char* low = static_cast<char*>(machine.Allocate(size));
  if (low == nullptr) return Value();
  char* begin = std::copy_n(text.data, text.size, low + before) - text.size;
  uint8_t* marks = nullptr;
  if (!text.view().uniform()) {
    marks = static_cast<uint8_t*>(machine.Allocate(size));
    if (marks == nullptr) return Value();
    text.view().CopyMarks(marks + before);
  }
  auto* room = machine.New<TextRoom>(low, begin, begin + text.size, low + size, marks);
  const uint8_t* outside = marks == nullptr ? text.outside : marks + before;
  return Value::String(machine.New<Text>(begin, text.size, text.length, outside, room));
}

// `front` followed by a text that begins its room.
Value Prepend(Machine& machine, TextView front, const Text& text) {
  if (front.size() > static_cast<size_t>(text.room->begin - text.room->low)) {
    const Value moved = MoveBehindRoom(machine, text, front.size());
    return machine.failed() ? Value() : Prepend(machine, front, *moved.text);
  }
  TextRoom* room = text.room;
  const bool differs = !front.uniform() || front.outside != text.outside;
  if (differs && room->marks == nullptr && !MakeRoomMarks(machine, room, text.view())) {
    return Value();
  }
  size_t length = text.length;
  if (length != kUnknownLength) {
    length += Length(machine, {front.bytes.data(), front.size(), kUnknownLength});
  }
  room->begin -= front.size();
  std::memcpy(room->begin, front.bytes.data(), front.size());
  const uint8_t* outside = text.outside;
  if (room->marks != nullptr) {
    uint8_t* marks = room->marks + (room->begin - room->low);
    front.CopyMarks(marks);
    outside = marks;
  }
  return Value::String(
      machine.New<Text>(room->begin, front.size() + text.size, length, outside, room));
}

}  // namespace

void Buffer::Append(TextView text) {
  if (text.size() > capacity_ - size_ && !Grow(text.size())) return;
  if (text.empty()) return;
  if (marks_ != nullptr || text.outside != outside_) AppendMarks(text);
  std::memcpy(data_ + size_, text.bytes.data(), text.size());
  size_ += text.size();
}

void Buffer::AppendText(const Text& text) {
  const bool goes_on = size_ == 0 || (BeginsItsRoom(text) && text.size >= size_);
  if (text.size < kLongText || !goes_on) return Append(text.view());
  const Value joined = size_ == 0 ? Value::String(&text) : Prepend(machine_, view(), text);
  if (machine_.failed()) return;
  if (claimed_ != nullptr) Unclaim(whole_->data + whole_->size);
  whole_ = joined.text;
  data_ = const_cast<char*>(whole_->data);
  size_ = capacity_ = counted_ = whole_->size;
  before_ = SpareBefore(*whole_);
  length_ = whole_->length;
  marks_ = nullptr;
  outside_ = whole_->outside;
  machine_.Keep(born_, whole_);
}

bool Buffer::Grow(size_t bytes) {
  if (whole_ != nullptr && Claim(bytes)) return true;
  const size_t capacity = std::max<size_t>(64, (size_ + bytes) * 2);
  uint8_t* marks = nullptr;
  if (!view().uniform()) {
    marks = static_cast<uint8_t*>(machine_.Allocate(before_ + capacity));
    if (marks == nullptr) return false;
    view().CopyMarks(marks + before_);
    machine_.Keep(born_, marks);
  }
  char* data = static_cast<char*>(machine_.Allocate(before_ + capacity));
  if (data == nullptr) return false;
  machine_.Keep(born_, data);
  if (size_ > 0) std::memcpy(data + before_, data_, size_);
  if (claimed_ != nullptr) Unclaim(whole_->data + whole_->size);
  whole_ = nullptr;
  data_ = data + before_;
  capacity_ = capacity;
  if (marks != nullptr) outside_ = marks_ = marks + before_;
  return true;
}

// Takes what is free behind the text that the buffer begins with, if that is enough.
bool Buffer::Claim(size_t bytes) {
  if (claimed_ != nullptr || !EndsItsRoom(*whole_)) return false;
  TextRoom* room = whole_->room;
  if (bytes > static_cast<size_t>(room->high - room->end)) return false;
  capacity_ = static_cast<size_t>(room->high - data_);
  if (room->marks != nullptr) outside_ = marks_ = room->marks + (data_ - room->low);
  room->end = room->high;
  claimed_ = room;
  return true;
}

// The room's texts end at `end` again.
void Buffer::Unclaim(const char* end) {
  claimed_->end = const_cast<char*>(end);
  claimed_ = nullptr;
}

void Buffer::AppendMarks(TextView text) {
  if (size_ == 0 && text.uniform()) {
    outside_ = text.outside;
    return;
  }
  if (marks_ == nullptr && !MakeMarks()) return;
  text.CopyMarks(marks_ + size_);
}

// From a mark for the whole text to marks for its bytes.
bool Buffer::MakeMarks() {
  if (claimed_ != nullptr) {
    // Who has put text in front of ours may have made them.
    if (claimed_->marks == nullptr && !MakeRoomMarks(machine_, claimed_, view())) return false;
    outside_ = marks_ = claimed_->marks + (data_ - claimed_->low);
    return true;
  }
  auto* marks = static_cast<uint8_t*>(machine_.Allocate(before_ + capacity_));
  if (marks == nullptr) return false;
  machine_.Keep(born_, marks);
  view().CopyMarks(marks + before_);
  outside_ = marks_ = marks + before_;
  return true;
}

void Buffer::AppendCodePoint(uint32_t code_point, bool outside) {
  if (code_point < 0x80) return Append(static_cast<char>(code_point), outside);
  uint8_t bytes[4];
  const size_t size = EncodeUtf8(code_point, bytes);
  Append({{reinterpret_cast<const char*>(bytes), size}, MarkOf(outside)});
}

Value Buffer::Finish() {
  if (machine_.failed()) return Value();
  if (whole_ != nullptr && claimed_ == nullptr) return Value::String(whole_);
  if (length_ != kUnknownLength) {
    length_ += Length(machine_, {data_ + counted_, size_ - counted_, kUnknownLength});
  }
  TextRoom* room = claimed_;
  if (room != nullptr) {
    Unclaim(data_ + size_);
  } else if (size_ >= kLongText) {
    room = machine_.New<TextRoom>(data_ - before_, data_, data_ + size_, data_ + capacity_,
                                  marks_ == nullptr ? nullptr : marks_ - before_);
  }
  return Value::String(machine_.New<Text>(data_, size_, length_, outside_, room));
}

Value Concatenate(Machine& machine, const Text& a, const Text& b) {
  const size_t size = a.size + b.size;
  if (size < kLongText && a.view().uniform() && a.outside == b.outside) {
    char* data = static_cast<char*>(machine.Allocate(size));
    if (data == nullptr) return Value();
    std::copy_n(b.data, b.size, std::copy_n(a.data, a.size, data));
    return ViewString(machine, {{data, size}, a.outside});
  }
  Buffer out(machine);
  out.AppendText(a);
  out.AppendText(b);
  return out.Finish();
}

Value Concatenate(Machine& machine, const Text& a, TextView b) {
  Buffer out(machine);
  out.AppendText(a);
  out.Append(b);
  return out.Finish();
}

}  // namespace rondo::jinja
