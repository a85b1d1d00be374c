#include "tools/inspect/report_row.h"

#include "tools/common/printable.h"

namespace rondo::tools {

std::string Padded(const std::string& text, size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 1, ' ');
}

void Row(const std::string& name, const std::string& value, std::string* out) {
  *out += Padded(Printable(name), 18) + Printable(value) + "\n";
}

}  // namespace rondo::tools
