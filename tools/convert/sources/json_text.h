// JSON out of files: where it breaks is said by line and column.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace rondo::convert {

// `text` is what `file` holds. Infinities and NaNs, as Python writes them, are null. Throws Error:
// "FILE is empty", "FILE: line 24, column 3: ...".
nlohmann::json ParseJson(const std::string& text, const std::string& file);
// The same with the keys of objects in the order of the file, where that counts.
nlohmann::ordered_json ParseOrderedJson(const std::string& text, const std::string& file);
// As ParseJson; what is no object is refused.
nlohmann::json ParseJsonObject(const std::string& text, const std::string& file);

}  // namespace rondo::convert
