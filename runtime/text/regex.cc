#include "runtime/text/regex.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "runtime/base/utf8.h"

namespace rondo {
namespace {

constexpr uint32_t kMaxNesting = 64;

// What an attempt sees and may take. One that does not get by with it is repeated with four times
// as much, at one place alone and at the cost of the budget.
constexpr size_t kFreeWindow = 256;    // bytes
constexpr uint32_t kFreeSteps = 128;   // at each place
constexpr uint32_t kStepsPerSeen = 4;  // of a wider window, for each byte
constexpr size_t kMaxWindow = 64 << 10;

pcre2_code* AsCode(void* code) { return static_cast<pcre2_code*>(code); }
pcre2_match_data* AsMatchData(void* data) { return static_cast<pcre2_match_data*>(data); }

}  // namespace

Result<std::unique_ptr<RegexMemory>> RegexMemory::Create() {
  std::unique_ptr<RegexMemory> memory(new (std::nothrow) RegexMemory);
  const Status refused =
      Status::Error(StatusCode::kOutOfMemory, "the system refused memory for patterns");
  if (memory == nullptr) return refused;
  auto* general = pcre2_general_context_create(&Allocate, &Free, memory.get());
  if (general == nullptr) return refused;
  memory->general_context_ = general;
  auto* match = pcre2_match_context_create(general);
  if (match == nullptr) return refused;
  memory->match_context_ = match;
  memory->match_data_ = pcre2_match_data_create(1, general);
  if (memory->match_data_ == nullptr) return refused;
  pcre2_set_heap_limit(match, kHalfBytes / 1024);
  return memory;
}

size_t RegexMemory::BlockBytes() { return 2 * kHalfBytes; }

size_t RegexMemory::bytes() const { return pcre2_get_match_data_size(AsMatchData(match_data_)); }

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
  for (size_t half = 0; memory->sealed_ && half < 2; ++half) {
    if (pointer == memory->block_.data() + half * kHalfBytes) {
      memory->half_taken_[half] = false;
      return;
    }
  }
  std::free(pointer);
}

Regex::Regex(Regex&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      code_(std::exchange(other.code_, nullptr)),
      utf_(other.utf_) {}

Regex& Regex::operator=(Regex&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(code_, other.code_);
  std::swap(utf_, other.utf_);
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
  regex.utf_ = utf;
  const uint32_t options = PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE |
                           (utf ? PCRE2_UTF | PCRE2_UCP : PCRE2_NEVER_UTF | PCRE2_NEVER_UCP);
  regex.code_ = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), options,
                              &error, &offset, context);
  pcre2_compile_context_free(context);
  if (regex.code_ == nullptr && error == PCRE2_ERROR_HEAP_FAILED) {
    return Status::Error(StatusCode::kOutOfMemory, "the system refused memory for a pattern");
  }
  if (regex.code_ == nullptr) {
    unsigned char message[120] = "";
    pcre2_get_error_message(error, message, sizeof message);
    return Status::Error(StatusCode::kCorrupt, "pattern '%.*s' fails at its byte %zu: %s",
                         CutForMessage(pattern, 60), pattern.data(), offset,
                         reinterpret_cast<const char*>(message));
  }
  uint32_t matches_empty = 0;
  uint32_t lookbehind = 0;
  pcre2_pattern_info(AsCode(regex.code_), PCRE2_INFO_MATCHEMPTY, &matches_empty);
  pcre2_pattern_info(AsCode(regex.code_), PCRE2_INFO_MAXLOOKBEHIND, &lookbehind);
  if (matches_empty != 0 || lookbehind != 0) {
    return Status::Error(StatusCode::kCorrupt, "pattern '%.*s' %s", CutForMessage(pattern, 60),
                         pattern.data(), matches_empty != 0 ? "can match nothing" : "looks behind");
  }
  return regex;
}

Status Regex::Find(const uint8_t* subject, size_t size, bool more, RegexMatch* match) const {
  auto* const context = static_cast<pcre2_match_context*>(memory_->match_context_);
  const PCRE2_SIZE* const ovector = pcre2_get_ovector_pointer(AsMatchData(memory_->match_data_));
  *match = {};
  size_t at = 0;            // no match begins before
  size_t alone_before = 0;  // places before this are tried one by one
  size_t window = kFreeWindow;
  while (at < size) {
    const bool alone = window > kFreeWindow || at < alone_before;
    const uint8_t* const begin = subject + at;
    const size_t seen = utf_ ? Utf8Cut({begin, size - at}, window) : std::min(size - at, window);
    const bool whole = seen == size - at;
    uint32_t steps = kFreeSteps;
    if (window > kFreeWindow) {
      steps = static_cast<uint32_t>(kStepsPerSeen * window);
      if (memory_->turn_.steps_left < steps) {
        return Status::Error(StatusCode::kInvalidArgument,
                             "the tokenizer's patterns need more steps than the text may take: "
                             "%llu, and %llu for each byte",
                             static_cast<unsigned long long>(RegexMemory::kFixedSteps),
                             static_cast<unsigned long long>(RegexMemory::kStepsPerByte));
      }
      memory_->turn_.steps_left -= steps;
    }
    pcre2_set_match_limit(context, steps);
    const int result = pcre2_match(AsCode(code_), begin, seen, 0,
                                   PCRE2_NO_UTF_CHECK | (more || !whole ? PCRE2_PARTIAL_HARD : 0) |
                                       (alone ? PCRE2_ANCHORED : 0),
                                   AsMatchData(memory_->match_data_), context);
    switch (result) {
      case 0:
      case 1:
        // \K inside of an assertion can move the start past the end, and an empty match would
        // never advance.
        if (ovector[0] >= ovector[1]) {
          return Status::Error(StatusCode::kInvalidArgument,
                               "a pattern of the tokenizer matches nothing");
        }
        *match = {RegexMatch::Kind::kFound, at + ovector[0], at + ovector[1]};
        return {};
      case PCRE2_ERROR_NOMATCH:
        at += !alone ? seen : utf_ ? DecodeUtf8(begin, begin + seen).length : 1;
        window = kFreeWindow;
        break;
      case PCRE2_ERROR_PARTIAL:
        if (whole) {
          *match = {RegexMatch::Kind::kNeedMore, at + ovector[0], size};
          return {};
        }
        if (ovector[0] == 0) window *= 4;
        at += ovector[0];
        break;
      case PCRE2_ERROR_MATCHLIMIT:
        if (!alone) {
          alone_before = at + seen;
        } else if (window < kMaxWindow) {
          window *= 4;
        } else {
          return Status::Error(StatusCode::kInvalidArgument,
                               "a pattern of the tokenizer needs more than %u steps at one place "
                               "of the text",
                               steps);
        }
        break;
      case PCRE2_ERROR_HEAPLIMIT:
      case PCRE2_ERROR_NOMEMORY:
        return Status::Error(StatusCode::kInvalidArgument,
                             "a pattern of the tokenizer needs more than %zu bytes of memory at "
                             "one place of the text",
                             RegexMemory::kHalfBytes);
      default: {
        unsigned char message[120] = "";
        pcre2_get_error_message(result, message, sizeof message);
        return Status::Error(StatusCode::kInvalidArgument, "a pattern of the tokenizer fails: %s",
                             reinterpret_cast<const char*>(message));
      }
    }
    memory_->turn_.Pause(steps / kStepsPerSeen);
  }
  return {};
}

}  // namespace rondo
