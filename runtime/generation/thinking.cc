#include "runtime/generation/thinking.h"

#include <algorithm>

#include "runtime/grammar/room.h"

namespace rondo {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

// Bytes that a character lacks behind one more byte.
uint8_t Unfinished(uint8_t unfinished, uint8_t byte) {
  if (byte >= 0xF0) return 3;
  if (byte >= 0xE0) return 2;
  if (byte >= 0xC0) return 1;
  return unfinished > 0 && byte >= 0x80 ? static_cast<uint8_t>(unfinished - 1) : uint8_t{0};
}

}  // namespace

Status Thinking::Mark::Init(std::string_view text, const char* what) {
  text = Trim(text);
  if (text.empty() || text.size() > kMaxThinkingMarkBytes) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%s has %zu bytes without the white space around them; it must have 1 to "
                         "%zu",
                         what, text.size(), kMaxThinkingMarkBytes);
  }
  size_ = text.copy(text_.data(), text.size());
  for (size_t i = 1, matched = 0; i < size_; ++i) {
    while (matched > 0 && text_[i] != text_[matched]) matched = fallback_[matched - 1];
    if (text_[i] == text_[matched]) ++matched;
    fallback_[i] = static_cast<uint8_t>(matched);
  }
  return Status();
}

size_t Thinking::Mark::Step(size_t matched, char byte) const {
  while (matched > 0 && text_[matched] != byte) matched = fallback_[matched - 1];
  return text_[matched] == byte ? matched + 1 : matched;
}

Status Thinking::Init(const ThinkingOptions& options, const Tokenizer* tokenizer,
                      size_t vocab_size) {
  if (!options.on) return Status();
  if (tokenizer == nullptr) {
    return Status::Error(StatusCode::kUnsupported, "thinking is 1, but the model has no tokenizer");
  }
  RONDO_RETURN_IF_ERROR(begin_.Init(options.begin, "thinking_begin"));
  RONDO_RETURN_IF_ERROR(end_.Init(options.end, "thinking_end"));
  tokenizer_ = tokenizer;
  most_tokens_ = options.most_tokens;
  RONDO_RETURN_IF_ERROR(Tokenise(begin_.text(), vocab_size, &opening_, &n_opening_));
  RONDO_RETURN_IF_ERROR(Tokenise(options.end, vocab_size, &closing_, &n_closing_));
  Place place;
  place.inside = true;
  while (place.inside && behind_mark_ < n_closing_) {
    place = Next(place, closing_[behind_mark_++], /*closes=*/false);
  }
  if (place.inside) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "thinking_end is not what the tokenizer makes of it");
  }
  return Status();
}

uint64_t Thinking::Identity() const {
  grammar::Hash hash;
  hash.Add(most_tokens_);
  for (const std::string_view text : {begin_.text(), end_.text()}) {
    hash.Add(text.size());
    for (const char byte : text) hash.Add(static_cast<uint8_t>(byte));
  }
  for (size_t i = 0; i < n_closing_; ++i) hash.Add(static_cast<uint64_t>(closing_[i]));
  return hash.value();
}

Status Thinking::Tokenise(std::string_view text, size_t vocab_size, Tokens* tokens,
                          size_t* count) const {
  RONDO_RETURN_IF_ERROR(TokeniseWithin(text, tokens, count));
  const auto end = tokens->begin() + static_cast<ptrdiff_t>(*count);
  if (std::all_of(tokens->begin(), end,
                  [&](int32_t token) { return static_cast<size_t>(token) < vocab_size; })) {
    return Status();
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "the marks of thoughts take tokens beyond the model's vocabulary of %zu",
                       vocab_size);
}

// As they are in the middle of a text: a tokenizer may write what begins one in another way.
Status Thinking::TokeniseWithin(std::string_view text, Tokens* tokens, size_t* count) const {
  constexpr char kBefore = '.';
  std::array<char, 1 + 4 * kMaxThinkingMarkBytes> within;
  if (text.size() >= within.size()) {
    return Status::Error(StatusCode::kInvalidArgument, "thinking_end has %zu bytes, at most %zu",
                         text.size(), within.size() - 1);
  }
  within[0] = kBefore;
  text.copy(within.data() + 1, text.size());
  RONDO_RETURN_IF_ERROR(Encode({within.data(), 1 + text.size()}, tokens, count));
  size_t first = 0;  // behind the character before
  while (first < *count && (TextOf((*tokens)[first]).empty() ||
                            TextOf((*tokens)[first]).find(kBefore) == std::string_view::npos)) {
    ++first;
  }
  if (first < *count && TextOf((*tokens)[first]).back() == kBefore) {
    std::copy(tokens->begin() + static_cast<ptrdiff_t>(first) + 1,
              tokens->begin() + static_cast<ptrdiff_t>(*count), tokens->begin());
    *count -= first + 1;
    return Status();
  }
  return Encode(text, tokens, count);
}

Status Thinking::Encode(std::string_view text, Tokens* tokens, size_t* count) const {
  const Status status = tokenizer_->Encode(text, /*add_special=*/false, *tokens, count);
  if (status.code() != StatusCode::kBufferTooSmall) return status;
  return Status::Error(StatusCode::kInvalidArgument,
                       "thinking_begin or thinking_end takes %zu tokens, at most %zu", *count,
                       tokens->size());
}

std::string_view Thinking::TextOf(int32_t token) const {
  const std::span<const uint8_t> bytes = tokenizer_->TokenBytes(token);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Thinking::Place Thinking::Next(Place place, int32_t token, bool closes) const {
  const bool was_inside = place.inside;
  const bool as_forced = Forced(place) == token;
  bool ended = false;
  size_t behind = 0;  // bytes of the token behind the last mark in it
  bool marked = false;
  for (const char byte : TextOf(token)) {
    const Mark& mark = place.inside ? end_ : begin_;
    const size_t matched = mark.Step(place.matched, byte);
    const bool whole = mark.IsWhole(matched);
    ended = (ended || (whole && place.inside)) && !(whole && !place.inside);
    marked = marked || whole;
    behind = whole ? 0 : behind + 1;
    if (whole) place.inside = !place.inside;
    place.matched = whole ? uint8_t{0} : static_cast<uint8_t>(matched);
    place.unfinished = Unfinished(place.unfinished, static_cast<uint8_t>(byte));
  }
  // A special token that is no part of a mark begins something else.
  if (tokenizer_->IsSpecial(token) && !marked && place.matched == 0) place.inside = false;
  place.tokens = place.inside ? place.tokens + (was_inside ? 1 : 0) : 0;
  if (as_forced) {
    ++place.written;
  } else {
    place.written =
        ended && closes && behind == 0 ? static_cast<uint8_t>(behind_mark_) : uint8_t{0};
  }
  if (place.written == n_closing_) place.written = 0;
  return place;
}

int32_t Thinking::Forced(const Place& place) const {
  if (IsClosing(place)) return closing_[place.written];
  const bool full = place.inside && most_tokens_ > 0 && place.tokens >= most_tokens_;
  return full && place.unfinished == 0 ? closing_[0] : -1;
}

}  // namespace rondo
