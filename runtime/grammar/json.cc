#include "runtime/grammar/json.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/json_reader.h"
#include "runtime/grammar/decimal.h"

namespace rondo::grammar {
namespace {

// JsonReader::Say.
constexpr char kProblems[] =
    "expected a value\0"
    "expected a member's name\0"
    "expected :\0"
    "expected , or }\0"
    "expected , or ]\0"
    "something behind the document\0"
    "a number without digits\0"
    "a number without digits behind its point\0"
    "a number without digits in its exponent\0"
    "a string that does not end\0"
    "an escape that JSON has not\0"
    "an escape without its hexadecimal digits\0"
    "a control character in a string\0"
    "a string that is not UTF-8\0"
    "nested over 256 deep\0";

Status Wrong(size_t at, const char* what) {
  return Status::Error(StatusCode::kInvalidArgument, "not well-formed JSON at byte %zu: %s", at,
                       what);
}

}  // namespace

Json::Json(Room& room, size_t bytes)
    : bytes_(bytes),
      nodes_(room, bytes / 2 + 2),
      members_(room, bytes / 2 + 2),
      texts_(room, bytes) {}

Status Json::Read(std::string_view text) {
  if (text.size() > bytes_) return Wrong(bytes_, "more text than its bytes can hold");
  nodes_.Shrink(0);
  texts_.Shrink(0);
  members_.Clear();
  Budget budget(UINT64_MAX);
  JsonReader reader(text, kMostNested);
  JsonValue open = kNone, before = kNone;  // the innermost that is not closed, and its last child
  std::string_view key;
  for (;;) {
    const JsonEvent event = reader.Next();
    const JsonValue next = nodes_.size();
    switch (event) {
      case JsonEvent::kError:
        return Wrong(reader.at(), reader.Say(kProblems));
      case JsonEvent::kEnd:
        return Status();
      case JsonEvent::kClose:
        before = open;
        open = parent(open);
        break;
      case JsonEvent::kKey: {
        key = TextOf(reader);
        const auto is_there = [&](JsonValue member) {
          return parent(member) == open && this->key(member) == key;
        };
        if (members_.FindOrPut(HashOf(open, key), next, is_there) != next) {
          return Wrong(reader.at(), "a member that is there already");
        }
        break;
      }
      default: {
        static_assert(static_cast<Kind>(JsonEvent::kObject) == Kind::kObject);
        Node node;
        node.kind = static_cast<Kind>(event);
        node.parent = open;
        if (open != kNone) {
          (before == kNone ? nodes_[open].first : nodes_[before].next) = next;
          ++nodes_[open].count;
          if (kind(open) == Kind::kObject) node.key = key;
        }
        if (node.kind == Kind::kNumber) node.text = reader.token();
        if (node.kind == Kind::kString) node.text = TextOf(reader);
        if (!nodes_.Add(node, budget)) {
          return Wrong(reader.at(), "more values than its bytes can hold");
        }
        before = next;
        if (node.kind >= Kind::kArray) {
          open = next;
          before = kNone;
        }
      }
    }
  }
}

// In the document itself where it has no escapes.
std::string_view Json::TextOf(const JsonReader& reader) {
  const std::string_view token = reader.token();
  if (!reader.escaped()) return token;
  Budget budget(UINT64_MAX);
  const uint32_t first = texts_.size();
  texts_.Fill('\0', token.size(), budget);
  size_t half;
  const size_t size = UndoJsonEscapes(token, &texts_[first], &half);
  texts_.Shrink(first + static_cast<uint32_t>(size));
  return {&texts_[first], size};
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
