#include "runtime/text/regex.h"

#include <cstdlib>
#include <new>
#include <utility>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace rondo {
namespace {

constexpr uint32_t kMaxSteps = 10'000'000;  // backtracking steps of one search
constexpr uint32_t kMaxNesting = 64;

pcre2_code* AsCode(void* code) { return static_cast<pcre2_code*>(code); }
pcre2_match_data* AsMatchData(void* data) { return static_cast<pcre2_match_data*>(data); }

}  // namespace

Result<std::unique_ptr<RegexMemory>> RegexMemory::Create() {
  std::unique_ptr<RegexMemory> memory(new (std::nothrow) RegexMemory);
  const Status refused =
      Status::Error(StatusCode::kOutOfMemory, "the system refused memory for patterns");
  if (memory == nullptr) return refused;
  RONDO_ASSIGN(memory->block_, HeapArray<unsigned char>::CreateForOverwrite(kReservedBytes));
  auto* general = pcre2_general_context_create(&Allocate, &Free, memory.get());
  if (general == nullptr) return refused;
  memory->general_context_ = general;
  auto* match = pcre2_match_context_create(general);
  if (match == nullptr) return refused;
  memory->match_context_ = match;
  memory->match_data_ = pcre2_match_data_create(1, general);
  if (memory->match_data_ == nullptr) return refused;
  pcre2_set_match_limit(match, kMaxSteps);
  pcre2_set_heap_limit(match, kHalfBytes / 1024);
  return memory;
}

RegexMemory::~RegexMemory() {
  pcre2_match_data_free(AsMatchData(match_data_));
  pcre2_match_context_free(static_cast<pcre2_match_context*>(match_context_));
  pcre2_general_context_free(static_cast<pcre2_general_context*>(general_context_));
}

void* RegexMemory::Allocate(size_t bytes, void* self) {
  auto* memory = static_cast<RegexMemory*>(self);
  if (!memory->sealed_) return std::malloc(bytes);
  if (bytes > kHalfBytes) return nullptr;
  for (size_t half = 0; half < 2; ++half) {
    if (memory->half_taken_[half]) continue;
    memory->half_taken_[half] = true;
    return memory->block_.data() + half * kHalfBytes;
  }
  return nullptr;
}

void RegexMemory::Free(void* pointer, void* self) {
  auto* memory = static_cast<RegexMemory*>(self);
  for (size_t half = 0; half < 2; ++half) {
    if (pointer == memory->block_.data() + half * kHalfBytes) {
      memory->half_taken_[half] = false;
      return;
    }
  }
  std::free(pointer);
}

Regex::Regex(Regex&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), code_(std::exchange(other.code_, nullptr)) {}

Regex& Regex::operator=(Regex&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(code_, other.code_);
  return *this;
}

Regex::~Regex() { pcre2_code_free(AsCode(code_)); }

Result<Regex> Regex::Compile(std::string_view pattern, bool utf, RegexMemory& memory) {
  auto* general = static_cast<pcre2_general_context*>(memory.general_context_);
  auto* context = pcre2_compile_context_create(general);
  if (context == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "the system refused memory for a pattern");
  }
  pcre2_set_parens_nest_limit(context, kMaxNesting);
  int error = 0;
  PCRE2_SIZE offset = 0;
  Regex regex;
  regex.memory_ = &memory;
  const uint32_t options = PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE |
                           (utf ? PCRE2_UTF | PCRE2_UCP : PCRE2_NEVER_UTF | PCRE2_NEVER_UCP);
  regex.code_ = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), options,
                              &error, &offset, context);
  pcre2_compile_context_free(context);
  if (regex.code_ == nullptr) {
    unsigned char message[120] = "";
    pcre2_get_error_message(error, message, sizeof message);
    return Status::Error(StatusCode::kCorrupt, "pattern '%.*s' fails at its byte %zu: %s",
                         static_cast<int>(pattern.size() < 60 ? pattern.size() : 60),
                         pattern.data(), offset, reinterpret_cast<const char*>(message));
  }
  uint32_t matches_empty = 0;
  uint32_t lookbehind = 0;
  pcre2_pattern_info(AsCode(regex.code_), PCRE2_INFO_MATCHEMPTY, &matches_empty);
  pcre2_pattern_info(AsCode(regex.code_), PCRE2_INFO_MAXLOOKBEHIND, &lookbehind);
  if (matches_empty != 0 || lookbehind != 0) {
    return Status::Error(StatusCode::kCorrupt, "pattern '%.*s' %s",
                         static_cast<int>(pattern.size() < 60 ? pattern.size() : 60),
                         pattern.data(), matches_empty != 0 ? "can match nothing" : "looks behind");
  }
  return regex;
}

Regex::Outcome Regex::Find(const uint8_t* subject, size_t size, bool more, size_t* begin,
                           size_t* end) const {
  const uint32_t options = PCRE2_NO_UTF_CHECK | (more ? PCRE2_PARTIAL_HARD : 0);
  const int result =
      pcre2_match(AsCode(code_), subject, size, 0, options, AsMatchData(memory_->match_data_),
                  static_cast<pcre2_match_context*>(memory_->match_context_));
  const PCRE2_SIZE* ovector = pcre2_get_ovector_pointer(AsMatchData(memory_->match_data_));
  switch (result) {
    case PCRE2_ERROR_NOMATCH:
      return Outcome::kNoMatch;
    case PCRE2_ERROR_PARTIAL:
      *begin = ovector[0];
      return Outcome::kNeedMore;
    case 0:
    case 1:
      break;
    default:
      if (result < 0) return Outcome::kExhausted;
  }
  *begin = ovector[0];
  *end = ovector[1];
  // \K inside of an assertion can move the start past the end, and an empty match would never
  // advance: neither passes for a match.
  return *begin < *end ? Outcome::kMatch : Outcome::kExhausted;
}

}  // namespace rondo
