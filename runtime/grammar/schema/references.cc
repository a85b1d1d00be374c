#include "runtime/base/hex.h"
#include "runtime/grammar/schema/compiler.h"

namespace rondo::grammar {

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
  if (fragment.size() > sizeof decoded) return Refuse(ref, "an address of over 512 bytes");
  for (JsonValue around = json_.parent(ref); around != 0 && document.empty();
       around = json_.parent(around)) {
    const JsonValue id = json_.Find(around, "$id");
    if (Is(id, Json::Kind::kString) && !json_.text(id).starts_with('#')) {
      return Refuse(ref, "a reference within a schema with an $id of its own");
    }
  }
  size_t n = 0;
  for (size_t i = 0; i < fragment.size(); ++i) {
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
    return InvalidSchema(ref, "there is no such schema in this document");
  }
  return target;
}

template <typename Visit>
void SchemaCompiler::ForEachOfTheSameValue(JsonValue schema, const Visit& visit) {
  if (const JsonValue ref = json_.Find(schema, "$ref"); ref != Json::kNone) {
    const Result<JsonValue> target = Target(ref);
    if (target.ok()) visit(*target);
  }
  if (IsReferenceAlone(schema)) return;
  for (const char* const key : {"allOf", "anyOf", "oneOf"}) {
    const JsonValue list = json_.Find(schema, key);
    if (!Is(list, Json::Kind::kArray)) continue;
    for (JsonValue one = json_.first(list); one != Json::kNone; one = json_.next(one)) visit(one);
  }
  const bool has_if = json_.Find(schema, "if") != Json::kNone;
  for (const char* const key : {"not", "if", "then", "else"}) {
    const JsonValue inner = json_.Find(schema, key);
    if (inner != Json::kNone && (has_if || key[0] == 'n')) visit(inner);
  }
  for (const char* const key : {"dependencies", "dependentSchemas"}) {
    const JsonValue all = json_.Find(schema, key);
    if (!Is(all, Json::Kind::kObject)) continue;
    for (JsonValue one = json_.first(all); one != Json::kNone; one = json_.next(one)) visit(one);
  }
}

// A walk in depth through what schemas say of the same value. What leads back to a schema that is
// being walked through leads to it from itself.
Status SchemaCompiler::RefuseCircles(JsonValue schema) {
  enum : uint8_t { kNotSeen, kWalking, kWalked };
  const uint32_t first = room_.parts.size();
  const auto enter = [&](JsonValue node) { room_.parts.Add(node * 2, budget_); };
  enter(schema);
  while (room_.parts.size() > first && budget_.Spend()) {
    const uint32_t last = room_.parts[room_.parts.size() - 1];
    room_.parts.Shrink(room_.parts.size() - 1);
    const JsonValue node = last / 2;
    uint8_t& mark = room_.walked[node];
    if (last % 2 != 0) {  // all that it says was walked through
      mark = kWalked;
    } else if (mark == kWalking) {
      return InvalidSchema(node, "the schema refers to itself as its own value, without end");
    } else if (mark == kNotSeen && Is(node, Json::Kind::kObject)) {
      mark = kWalking;
      room_.parts.Add(last + 1, budget_);
      ForEachOfTheSameValue(node, enter);
    }
  }
  return Status();
}

}  // namespace rondo::grammar
