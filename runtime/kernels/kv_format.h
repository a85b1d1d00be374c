// KvFormat: a format of pages of keys and values, which is a kind of keys and a kind of values.
#pragma once

#include <cstdint>
#include <span>

namespace rondo {

struct KeyKind;  // pages/page_kinds.h
struct ValueKind;

// By number as the ABI and snapshots have it.
enum class KvFormat : int32_t {
  kInt8 = 0,
  kFloat32 = 1,  // a reference for tests
  kK8V4 = 2,     // keys int8, values int4
  kK4V4 = 3,
};

struct KvFormatRule {
  KvFormat format;
  const char* name;
  const KeyKind* keys;
  const ValueKind* values;
};

// All of them, by number.
std::span<const KvFormatRule> KvFormatRules();

inline bool IsKvFormat(int64_t number) {
  return number >= 0 && static_cast<uint64_t>(number) < KvFormatRules().size();
}
inline const KvFormatRule& RuleOf(KvFormat format) {
  return KvFormatRules()[static_cast<size_t>(format)];
}

}  // namespace rondo
