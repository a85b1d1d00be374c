// Patterns in a build without them (CMake option RONDO_PATTERNS=OFF): compiled in place of
// regex.cc. Tokenizers without any, as SentencePiece's, work; models whose tokenizer has one are
// refused.
#include <new>
#include <utility>

#include "runtime/text/regex.h"

namespace rondo {

Result<std::unique_ptr<RegexMemory>> RegexMemory::Create() {
  std::unique_ptr<RegexMemory> memory(new (std::nothrow) RegexMemory);
  if (memory == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "the system refused %zu bytes",
                         sizeof(RegexMemory));
  }
  return memory;
}

RegexMemory::~RegexMemory() = default;

size_t RegexMemory::BlockBytes() { return 0; }

size_t RegexMemory::bytes() const { return 0; }

Regex::Regex(Regex&& other) noexcept { *this = std::move(other); }
Regex& Regex::operator=(Regex&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(code_, other.code_);
  std::swap(utf_, other.utf_);
  return *this;
}
Regex::~Regex() {}

Result<Regex> Regex::Compile(std::string_view /*pattern*/, bool /*utf*/, RegexMemory& /*memory*/) {
  return Status::Error(StatusCode::kUnsupported,
                       "the tokenizer has patterns, but this library was built without them (CMake "
                       "option RONDO_PATTERNS)");
}

Status Regex::Find(const uint8_t* /*subject*/, size_t /*size*/, bool /*more*/,
                   RegexMatch* /*match*/) const {
  return Status::Error(StatusCode::kUnsupported, "this library was built without patterns");
}

}  // namespace rondo
