#include "runtime/grammar/schema/compiler.h"

namespace rondo::grammar {
namespace {

int HexDigit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

}  // namespace

// "#", "#/definitions/a", "#name" of an anchor, and the address of an $id in this document with any
// of these behind it. No other document is read.
Result<JsonValue> SchemaCompiler::Target(JsonValue ref) {
  if (!Is(ref, Json::Kind::kString)) return NoSchema(ref, "the address of a schema");
  const std::string_view address = json_.text(ref);
  const size_t mark = address.find('#');
  const std::string_view document = address.substr(0, mark);
  std::string_view fragment =
      mark == std::string_view::npos ? std::string_view() : address.substr(mark + 1);
  char decoded[512];
  size_t n = 0;
  for (size_t i = 0; i < fragment.size() && n < sizeof decoded; ++i) {
    const bool is_escape = fragment[i] == '%' && i + 2 < fragment.size() &&
                           HexDigit(fragment[i + 1]) >= 0 && HexDigit(fragment[i + 2]) >= 0;
    decoded[n++] =
        is_escape ? static_cast<char>(HexDigit(fragment[i + 1]) * 16 + HexDigit(fragment[i + 2]))
                  : fragment[i];
    if (is_escape) i += 2;
  }
  fragment = {decoded, n};
  const auto named = [&](const char* key, std::string_view name) {
    for (JsonValue value = 0; value < json_.size(); ++value) {
      const JsonValue its = json_.Find(value, key);
      if (Is(its, Json::Kind::kString) && json_.text(its) == name) return value;
    }
    return Json::kNone;
  };
  JsonValue base = 0;
  if (!document.empty()) {
    base = named("$id", document);
    if (base == Json::kNone) base = named("id", document);
    if (base == Json::kNone) return Refuse(ref, "a schema that is not in this document");
  }
  JsonValue target = base;
  if (!fragment.empty() && fragment[0] == '/') {
    target = json_.Resolve(fragment, base);
  } else if (!fragment.empty()) {
    for (JsonValue value = 1; value < json_.size(); ++value) {
      if (Is(json_.Find(value, "$id"), Json::Kind::kString) &&
          json_.text(json_.Find(value, "$id")) != address) {
        return Refuse(ref, "an anchor beside schemas with an $id of their own");
      }
    }
    target = named("$anchor", fragment);
    if (target == Json::kNone) target = named("$id", address);
    if (target == Json::kNone) target = named("id", address);
  }
  if (target == Json::kNone) {
    char pointer[160];
    json_.Pointer(ref, pointer, sizeof pointer);
    return Status::Error(StatusCode::kInvalidArgument,
                         "%s: there is no such schema in this document", pointer);
  }
  return target;
}

}  // namespace rondo::grammar
