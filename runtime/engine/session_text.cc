#include "runtime/engine/session_text.h"

#include <algorithm>
#include <cstring>

namespace rondo {

namespace {

// Of a stop string and of a character; and a character that the first of these bytes ends.
constexpr size_t kMostHeldBytes = kMaxStopStringBytes + 8;

// A byte of UTF-8 that begins no character.
bool IsContinuation(char byte) { return (static_cast<uint8_t>(byte) & 0xC0) == 0x80; }

}  // namespace

Status SessionText::Init(const Tokenizer* tokenizer, std::span<const std::string_view> stop_strings,
                         const Memory& memory) {
  RONDO_RETURN_IF_ERROR(stop_strings_.Init(stop_strings, memory.stop_strings));
  tokenizer_ = tokenizer;
  n_stop_tokens_ = 0;
  for (const std::string_view text : stop_strings) {
    const int32_t token = tokenizer != nullptr ? tokenizer->AddedTokenId(text) : -1;
    if (tokenizer != nullptr && tokenizer->IsSkipped(token)) stop_tokens_[n_stop_tokens_++] = token;
  }
  piece_ = memory.piece;
  text_ = memory.text;
  BeginGeneration(/*continues=*/false);
  return Status();
}

bool SessionText::Add(int32_t token) {
  if (tokenizer_ == nullptr) return false;
  if (Stops(token)) {
    Flush();
    return true;
  }
  TextSink sink{piece_};
  stream_.Append(*tokenizer_, token, sink);
  const StopStrings::Released released = stop_strings_.Feed({piece_.data(), sink.size});
  Put(released.text);
  return released.matched;
}

void SessionText::Flush() {
  if (tokenizer_ == nullptr) return;
  TextSink sink{piece_};
  stream_.Flush(sink);
  const StopStrings::Released released = stop_strings_.Feed({piece_.data(), sink.size});
  Put(released.text);
  if (!released.matched) Put(stop_strings_.Flush());
}

bool SessionText::Stops(int32_t token) const {
  const auto* const end = stop_tokens_.data() + n_stop_tokens_;
  return std::find(stop_tokens_.data(), end, token) != end;
}

// Where there is no room the oldest characters that no event told are left out.
void SessionText::Put(std::string_view text) {
  if (size_ + text.size() > text_.size()) {
    size_t out = std::min(size_, size_ + text.size() - text_.size());
    while (out < size_ && IsContinuation(text_[out])) ++out;
    std::memmove(text_.data(), text_.data() + out, size_ - out);
    size_ -= out;
  }
  size_ += text.copy(text_.data() + size_, text_.size() - size_);
}

std::string_view SessionText::BytesOf(int32_t token) const {
  if (tokenizer_ == nullptr) return {};
  const std::span<const uint8_t> bytes = tokenizer_->TokenBytes(token);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Tokens that are not remembered any more are taken for text.
bool SessionText::GoesOn(const KeyHistory& tokens) const {
  if (tokenizer_ == nullptr) return false;
  bool text = tokens.begin() > 0;
  for (uint64_t at = tokens.begin(); at < tokens.end() && !text; ++at) {
    text = tokens[at] != InputKey::kNoToken && !tokenizer_->IsSpecial(tokens[at]);
  }
  return text;
}

void SessionText::BeginGeneration(bool continues) {
  stop_strings_.Reset();
  continues_ = continues;
  if (tokenizer_ == nullptr) return;
  stream_.Begin(*tokenizer_, /*skip_special=*/true,
                continues ? StreamDecoder::Start::kContinuation : StreamDecoder::Start::kText);
}

bool SessionText::Resume(const KeyHistory& tokens, uint64_t begin, uint64_t end, uint64_t told,
                         bool continues) {
  BeginGeneration(continues || begin < tokens.begin());
  if (tokenizer_ == nullptr) return false;
  // What is held back comes from no more than the last bytes that were told.
  const uint64_t least = std::max(begin, tokens.begin());
  uint64_t first = end;
  for (size_t bytes = 0; first > least && bytes < kMostHeldBytes;) {
    --first;
    if (first < told && !tokenizer_->IsSpecial(tokens[first])) {
      bytes += BytesOf(tokens[first]).size();
    }
  }
  if (first > begin) {
    stream_.Begin(*tokenizer_, /*skip_special=*/true, StreamDecoder::Start::kContinuation);
  }
  bool ended = false;
  for (uint64_t at = first; at < end; ++at) {
    if (at <= told) BeginEvent();
    ended = Add(tokens[at]);
  }
  if (end <= told) BeginEvent();
  return ended;
}

}  // namespace rondo
