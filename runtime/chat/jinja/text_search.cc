// Texts in texts. What is looked at is paid for before, a piece at a time: a search that ends soon
// costs little, and one that takes too long does not even begin its next piece.
#include <algorithm>
#include <cstring>

#include "runtime/chat/jinja/value.h"

namespace rondo::jinja {
namespace {

constexpr size_t kPaidAtOnce = 256;

bool IsAt(Machine& machine, const char* place, std::string_view part) {
  return machine.SpendBytes(part.size()) && std::memcmp(place, part.data(), part.size()) == 0;
}

}  // namespace

size_t Find(Machine& machine, std::string_view text, std::string_view part, size_t from) {
  if (from > text.size() || part.size() > text.size() - from) return std::string_view::npos;
  if (part.empty()) return from;
  const size_t end = text.size() - part.size() + 1;  // behind the last place where it could be
  for (size_t paid = from; from < end;) {
    if (from == paid) {
      paid += std::min(kPaidAtOnce, end - from);
      if (!machine.SpendBytes(paid - from)) break;
    }
    const void* first = std::memchr(text.data() + from, part[0], paid - from);
    if (first == nullptr) {
      from = paid;
      continue;
    }
    from = static_cast<size_t>(static_cast<const char*>(first) - text.data());
    if (IsAt(machine, text.data() + from, part)) return from;
    if (machine.failed()) break;
    ++from;
  }
  return std::string_view::npos;
}

size_t FindLast(Machine& machine, std::string_view text, std::string_view part) {
  if (part.size() > text.size()) return std::string_view::npos;
  if (part.empty()) return text.size();
  size_t end = text.size() - part.size() + 1;  // behind the places that are left
  for (size_t paid = end; end > 0;) {
    if (end == paid) {
      paid -= std::min(kPaidAtOnce, end);
      if (!machine.SpendCharacters(end - paid)) break;
    }
    const size_t first = text.substr(paid, end - paid).rfind(part[0]);
    end = first == std::string_view::npos ? paid : paid + first;
    if (first == std::string_view::npos) continue;
    if (IsAt(machine, text.data() + end, part)) return end;
    if (machine.failed()) break;
  }
  return std::string_view::npos;
}

}  // namespace rondo::jinja
