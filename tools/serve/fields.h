// Fields: the members of a JSON object of a request, each read once, by its type and range. What is
// wrong is told by its pointer; a null is as if it were not there; what nobody reads is refused.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>

#include "tools/serve/api_error.h"

namespace rondo::tools::serve {

// A request's body: an object. Throws ApiError: it is no JSON, nested too deep, or none.
Json ParseBody(const std::string& body);

// The pointer of a member or an element.
std::string PointerTo(const std::string& pointer, const std::string& key);
std::string PointerTo(const std::string& pointer, size_t index);

class Fields {
 public:
  // `object` outlives this. Throws ApiError where it is no object.
  explicit Fields(const Json& object, std::string pointer = "");

  bool Has(const char* name);
  // Null where it is absent.
  const Json* Find(const char* name);
  std::optional<double> Number(const char* name, double low, double high);
  std::optional<int64_t> Integer(const char* name, int64_t low, int64_t high);
  std::optional<bool> Bool(const char* name);
  std::optional<std::string> Text(const char* name);
  const Json* Object(const char* name);
  const Json* Array(const char* name);
  std::string RequiredText(const char* name);
  const Json& RequiredArray(const char* name);

  // Members of no account here.
  void Ignore(std::initializer_list<const char*> names);
  // Throws ApiError where there is a member that was not asked for.
  void RefuseOthers() const;

  const std::string& pointer() const { return pointer_; }
  std::string PointerOf(const char* name) const { return PointerTo(pointer_, name); }
  [[noreturn]] void Refuse(const char* name, const std::string& expected) const;

 private:
  const Json* Typed(const char* name, bool (Json::*is)() const noexcept, const char* expected);

  const Json& object_;
  const std::string pointer_;
  std::set<std::string, std::less<>> asked_;
};

// Throws ApiError: at `pointer` is something else than what was expected.
[[noreturn]] void RefuseValue(const std::string& pointer, const Json& value,
                              const std::string& expected);

}  // namespace rondo::tools::serve
