#include "tools/pull/model_address.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace rondo::tools {
namespace {

// With the characters that "%2F" and its like stand for.
std::string Unescaped(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Takes what stands before the next '/' off the text.
std::string TakePart(std::string* text) {
  const size_t slash = std::min(text->find('/'), text->size());
  std::string part = text->substr(0, slash);
  text->erase(0, slash + 1);
  return part;
}

}  // namespace

std::optional<std::string> HubAddress(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  const size_t end = std::min(text.find("://"), text.size());
  if (end == text.size()) return text.empty() ? std::nullopt : std::optional("https://" + text);
  std::transform(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!text.starts_with("https://") && !text.starts_with("http://")) return std::nullopt;
  return text;
}

std::optional<ModelAddress> ParseModelAddress(const std::string& text, const std::string& hub) {
  ModelAddress address;
  std::string rest = text;
  const bool is_url = rest.starts_with(hub + "/");
  if (is_url) {
    rest = rest.substr(hub.size() + 1);
    rest.resize(std::min(rest.find_first_of("?#"), rest.size()));
    const std::string organisation = TakePart(&rest);
    const std::string model = TakePart(&rest);
    std::swap(rest, address.file);  // what stands behind the name
    rest = organisation + "/" + model;
  }
  const auto name = ParseHubName(rest);
  if (!name) return std::nullopt;
  address.name = *name;
  if (address.file.empty()) return address;
  const std::string kind = TakePart(&address.file);
  if (kind != "tree" && kind != "blob" && kind != "resolve") return std::nullopt;
  address.revision = Unescaped(TakePart(&address.file));
  if (!IsPlainPath(address.revision)) return std::nullopt;
  address.file = kind == "tree" ? "" : Unescaped(address.file);
  if (kind != "tree" && !IsPlainPath(address.file)) return std::nullopt;
  return address;
}

}  // namespace rondo::tools
