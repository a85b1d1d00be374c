// Json: a document, read once into fixed memory.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/base/json_reader.h"
#include "runtime/base/status.h"
#include "runtime/grammar/room.h"

namespace rondo::grammar {

// A value in it, by number; 0 is the whole document.
using JsonValue = uint32_t;

class Json {
 public:
  enum class Kind : uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };
  static constexpr JsonValue kNone = UINT32_MAX;
  static constexpr uint32_t kMostNested = 256;

  Json() = default;
  // For documents of up to `bytes`, which a plan knows.
  Json(Room& room, size_t bytes);

  // Errors: kInvalidArgument, at which byte and why: not well formed, a key that is there twice,
  // nested over kMostNested deep. `text` outlives this.
  Status Read(std::string_view text);

  uint32_t size() const { return nodes_.size(); }
  Kind kind(JsonValue value) const { return nodes_[value].kind; }
  // Of a string what it says, of a number its digits as they stand.
  std::string_view text(JsonValue value) const { return nodes_[value].text; }
  // Of a member of an object.
  std::string_view key(JsonValue value) const { return nodes_[value].key; }
  // Members or elements, from the first on; kNone behind the last.
  JsonValue first(JsonValue value) const { return nodes_[value].first; }
  JsonValue next(JsonValue value) const { return nodes_[value].next; }
  uint32_t count(JsonValue value) const { return nodes_[value].count; }
  // Where it stands: kNone of the whole document.
  JsonValue parent(JsonValue value) const { return nodes_[value].parent; }

  // The member of an object; kNone where there is none, or it is no object.
  JsonValue Find(JsonValue object, std::string_view key) const;
  // The value of a JSON pointer (RFC 6901) without its '#', from `base` on; kNone where there is
  // none.
  JsonValue Resolve(std::string_view pointer, JsonValue base) const;
  // The pointer of a value, cut to fit.
  void Pointer(JsonValue value, char* text, size_t bytes) const;
  // They say the same, as JSON Schema has it: 1 is 1.0, and members have no order.
  bool Equal(JsonValue a, JsonValue b) const;

 private:
  struct Node {
    Kind kind = Kind::kNull;
    uint32_t count = 0;
    JsonValue first = kNone, next = kNone, parent = kNone;
    std::string_view key, text;
  };

  // What the last string or key says.
  std::string_view TextOf(const JsonReader& reader);
  static uint64_t HashOf(JsonValue object, std::string_view key);

  size_t bytes_ = 0;
  List<Node> nodes_;
  Index members_;     // by their object and name
  List<char> texts_;  // of strings with escapes
};

}  // namespace rondo::grammar
