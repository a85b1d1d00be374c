// JsonValue: a place in a JSON file; every complaint names the file and the key.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/convert/common/fail.h"

namespace rondo::convert {

// A view: the document must outlive it. All methods throw Error where the file is not as asked.
class JsonValue {
 public:
  JsonValue(const nlohmann::json& value, std::string file, std::string key)
      : value_(&value), file_(std::move(file)), key_(std::move(key)) {}

  const nlohmann::json& json() const { return *value_; }
  const std::string& file() const { return file_; }

  bool IsNull() const { return value_->is_null(); }
  // A member of this object that must be there.
  JsonValue At(const std::string& name) const;
  // A member of this object, or null where it is absent.
  JsonValue Find(const std::string& name) const;
  std::vector<JsonValue> Items() const;

  std::string String() const;
  bool Bool() const;
  bool BoolOr(bool absent) const { return IsNull() ? absent : Bool(); }
  double Number() const;                // finite
  uint32_t Uint(uint32_t limit) const;  // below `limit`

  // The member `type`, by which this format tells kinds apart.
  std::string Type() const { return At("type").String(); }

  // Throws: "<file>: <key> <what>".
  [[noreturn]] void Fail(const std::string& what) const;

 private:
  const nlohmann::json* value_;
  std::string file_;
  std::string key_;
};

}  // namespace rondo::convert
