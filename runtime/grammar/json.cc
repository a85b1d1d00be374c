#include "runtime/grammar/json.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/hex.h"
#include "runtime/base/utf8.h"
#include "runtime/grammar/decimal.h"

namespace rondo::grammar {

Json::Json(Room& room, size_t bytes)
    : nodes_(room, bytes / 2 + 2), members_(room, bytes / 2 + 2), texts_(room, bytes) {}

class Json::Reader {
 public:
  Reader(Json& json, std::string_view text) : json_(json), text_(text), budget_(UINT64_MAX) {}

  Status Read() {
    RONDO_RETURN_IF_ERROR(Value(kNone, {}));
    JsonValue open = 0;  // the innermost that is not closed
    while (open != kNone) {
      Space();
      const bool is_object = json_.kind(open) == Kind::kObject;
      if (!IsOpen(open)) {
        open = json_.parent(open);
        continue;
      }
      Node& node = json_.nodes_[open];
      if (Take(is_object ? '}' : ']')) {
        open = node.parent;
        --nested_;
        continue;
      }
      if (node.count > 0 && !Take(','))
        return Wrong(is_object ? "expected , or }" : "expected , or ]");
      Space();
      std::string_view key;
      if (is_object) {
        if (!Has('"')) return Wrong("expected a member's name");
        RONDO_RETURN_IF_ERROR(String(&key));
        if (json_.Find(open, key) != kNone) return Wrong("a member that is there already");
        Space();
        if (!Take(':')) return Wrong("expected :");
        Space();
      }
      RONDO_RETURN_IF_ERROR(Value(open, key));
      const JsonValue made = json_.nodes_.size() - 1;
      if (IsOpen(made)) open = made;
    }
    Space();
    return at_ == text_.size() ? Status() : Wrong("something behind the document");
  }

 private:
  bool IsOpen(JsonValue value) const { return json_.kind(value) >= Kind::kArray; }
  bool Has(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool Take(char c) {
    if (!Has(c)) return false;
    ++at_;
    return true;
  }
  void Space() {
    while (Has(' ') || Has('\t') || Has('\n') || Has('\r')) ++at_;
  }
  Status Wrong(const char* what) const {
    return Status::Error(StatusCode::kInvalidArgument, "not well-formed JSON at byte %zu: %s", at_,
                         what);
  }

  // A value whole, or the begin of an array or an object.
  Status Value(JsonValue parent, std::string_view key) {
    Space();
    Node node;
    node.key = key;
    node.parent = parent;
    const auto word = [&](std::string_view text, Kind kind) {
      if (!text_.substr(at_).starts_with(text)) return false;
      at_ += text.size();
      node.kind = kind;
      return true;
    };
    if (Has('{') || Has('[')) {
      node.kind = text_[at_++] == '[' ? Kind::kArray : Kind::kObject;
      if (++nested_ > kMostNested) return Wrong("nested over 256 deep");
    } else if (Has('"')) {
      node.kind = Kind::kString;
      RONDO_RETURN_IF_ERROR(String(&node.text));
    } else if (Has('-') || (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9')) {
      node.kind = Kind::kNumber;
      RONDO_RETURN_IF_ERROR(Number(&node.text));
    } else if (!word("null", Kind::kNull) && !word("true", Kind::kTrue) &&
               !word("false", Kind::kFalse)) {
      return Wrong("expected a value");
    }
    const JsonValue made = json_.nodes_.size();
    if (!json_.nodes_.Add(node, budget_)) return Wrong("more values than its bytes can hold");
    if (parent != kNone) {
      Node& above = json_.nodes_[parent];
      (above.count == 0 ? above.first : json_.nodes_[last_of(parent)].next) = made;
      ++above.count;
      if (json_.kind(parent) == Kind::kObject) {
        json_.members_.FindOrPut(HashOf(parent, key), made, [](uint32_t) { return false; });
      }
    }
    return Status();
  }

  // The last child so far: the newest node whose parent it is.
  JsonValue last_of(JsonValue parent) const {
    JsonValue child = json_.nodes_.size() - 2;
    while (json_.nodes_[child].parent != parent) child = json_.nodes_[child].parent;
    return child;
  }

  Status Number(std::string_view* text) {
    const size_t begin = at_;
    const auto digits = [&] {
      const size_t from = at_;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
      return at_ > from;
    };
    Take('-');
    if (!Take('0') && !digits()) return Wrong("a number without digits");
    if (Take('.') && !digits()) return Wrong("a number without digits behind its point");
    if (Take('e') || Take('E')) {
      if (!Take('-')) Take('+');
      if (!digits()) return Wrong("a number without digits in its exponent");
    }
    *text = text_.substr(begin, at_ - begin);
    return Status();
  }

  Status Hex(uint32_t* value) {
    *value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = at_ < text_.size() ? text_[at_] : '\0';
      const int digit = HexDigit(c);
      if (digit < 0) return Wrong("an escape without its hexadecimal digits");
      *value = *value * 16 + static_cast<uint32_t>(digit);
    }
    return Status();
  }

  Status Escape() {
    ++at_;
    constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
    const size_t simple = at_ < text_.size() ? kFrom.find(text_[at_]) : std::string_view::npos;
    if (simple != std::string_view::npos) {
      ++at_;
      json_.texts_.Add(kTo[simple], budget_);
      return Status();
    }
    if (!Take('u')) return Wrong("an escape that JSON has not");
    uint32_t code = 0;
    RONDO_RETURN_IF_ERROR(Hex(&code));
    if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_).starts_with("\\u")) {
      const size_t back = at_;
      uint32_t second = 0;
      at_ += 2;
      RONDO_RETURN_IF_ERROR(Hex(&second));
      if (second >= 0xdc00 && second < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
      } else {
        at_ = back;
      }
    }
    if (code >= 0xd800 && code < 0xe000) code = kReplacementCharacter;
    uint8_t bytes[4];
    const size_t n = EncodeUtf8(code, bytes);
    for (size_t i = 0; i < n; ++i) json_.texts_.Add(static_cast<char>(bytes[i]), budget_);
    return Status();
  }

  // What stands between quotation marks: in the document itself where it has no escapes.
  Status String(std::string_view* text) {
    const size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\') ++at_;
    if (Has('"')) {
      *text = text_.substr(begin, at_ - begin);
    } else {
      const uint32_t first = json_.texts_.size();
      for (const char c : text_.substr(begin, at_ - begin)) json_.texts_.Add(c, budget_);
      while (at_ < text_.size() && !Has('"')) {
        if (Has('\\')) {
          RONDO_RETURN_IF_ERROR(Escape());
        } else {
          json_.texts_.Add(text_[at_++], budget_);
        }
      }
      *text = {&json_.texts_[first], json_.texts_.size() - first};
    }
    if (!Take('"')) return Wrong("a string that does not end");
    if (!budget_.ok()) return Wrong("more text than its bytes can hold");
    for (const char c : text_.substr(begin, at_ - 1 - begin)) {
      if (static_cast<unsigned char>(c) < 0x20) return Wrong("a control character in a string");
    }
    const auto* const bytes = reinterpret_cast<const uint8_t*>(text->data());
    if (Utf8Prefix({bytes, text->size()}) != text->size())
      return Wrong("a string that is not UTF-8");
    return Status();
  }

  Json& json_;
  const std::string_view text_;
  Budget budget_;
  size_t at_ = 0;
  uint32_t nested_ = 0;
};

Status Json::Read(std::string_view text) {
  nodes_.Shrink(0);
  texts_.Shrink(0);
  members_.Clear();
  return Reader(*this, text).Read();
}

JsonValue Json::Find(JsonValue object, std::string_view key) const {
  if (object == kNone || kind(object) != Kind::kObject) return kNone;
  return members_.Number(HashOf(object, key), [&](JsonValue member) {
    return parent(member) == object && this->key(member) == key;
  });
}

uint64_t Json::HashOf(JsonValue object, std::string_view key) {
  Hash hash;
  hash.Add(object);
  for (const char c : key) hash.Add(static_cast<unsigned char>(c));
  return hash.value();
}

JsonValue Json::Resolve(std::string_view pointer, JsonValue base) const {
  JsonValue value = base;
  while (!pointer.empty() && value != kNone) {
    if (pointer[0] != '/') return kNone;
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    char name[256];
    size_t n = 0;
    for (size_t i = 0; i < token.size(); ++i) {
      if (n == sizeof name) return kNone;
      const bool escaped = token[i] == '~' && i + 1 < token.size();
      name[n++] = !escaped ? token[i] : token[i + 1] == '1' ? '/' : '~';
      i += escaped;
    }
    const std::string_view wanted(name, n);
    if (kind(value) == Kind::kObject) {
      value = Find(value, wanted);
    } else if (kind(value) == Kind::kArray && !wanted.empty() && wanted.size() < 9 &&
               std::all_of(wanted.begin(), wanted.end(),
                           [](char c) { return c >= '0' && c <= '9'; })) {
      uint32_t index = 0;
      for (const char c : wanted) index = index * 10 + static_cast<uint32_t>(c - '0');
      value = first(value);
      while (index-- > 0 && value != kNone) value = next(value);
    } else {
      value = kNone;
    }
  }
  return value;
}

void Json::Pointer(JsonValue value, char* text, size_t bytes) const {
  // From the end, so that where it is cut the innermost names stay.
  char path[512];
  size_t at = sizeof path;
  const auto put = [&](std::string_view part) {
    const size_t n = std::min(part.size(), at);
    at -= n;
    std::memcpy(path + at, part.data() + (part.size() - n), n);
  };
  for (; parent(value) != kNone; value = parent(value)) {
    if (kind(parent(value)) == Kind::kObject) {
      for (size_t i = key(value).size(); i > 0; --i) {
        const char c = key(value)[i - 1];
        put(c == '/' ? "~1" : c == '~' ? "~0" : std::string_view(&c, 1));
      }
    } else {
      uint32_t index = 0;
      for (JsonValue sibling = first(parent(value)); sibling != value; sibling = next(sibling))
        ++index;
      do {
        const char digit = static_cast<char>('0' + index % 10);
        put({&digit, 1});
        index /= 10;
      } while (index > 0);
    }
    put("/");
  }
  put("#");
  const size_t n = std::min(sizeof path - at, bytes - 1);
  std::memcpy(text, path + at, n);
  text[n] = '\0';
}

bool Json::Equal(JsonValue a, JsonValue b) const {
  if (kind(a) != kind(b) || count(a) != count(b)) return false;
  switch (kind(a)) {
    case Kind::kNumber:
      return Decimal::Of(text(a)) == Decimal::Of(text(b));
    case Kind::kString:
      return text(a) == text(b);
    case Kind::kArray: {
      JsonValue other = first(b);
      for (JsonValue one = first(a); one != kNone; one = next(one), other = next(other)) {
        if (!Equal(one, other)) return false;
      }
      return true;
    }
    case Kind::kObject:
      for (JsonValue one = first(a); one != kNone; one = next(one)) {
        const JsonValue other = Find(b, key(one));
        if (other == kNone || !Equal(one, other)) return false;
      }
      return true;
    default:
      return true;
  }
}

}  // namespace rondo::grammar
