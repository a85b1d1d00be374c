#include "runtime/engine/session_text.h"

namespace rondo {

Status SessionText::Init(const Tokenizer* tokenizer, std::span<const std::string_view> stop_strings,
                         const Memory& memory) {
  RONDO_RETURN_IF_ERROR(stop_strings_.Init(stop_strings, memory.stop_strings));
  tokenizer_ = tokenizer;
  piece_ = memory.piece;
  text_ = memory.text;
  BeginGeneration();
  return Status();
}

bool SessionText::Add(int32_t token) {
  if (tokenizer_ == nullptr) return false;
  Note({&token, 1});
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

void SessionText::Put(std::string_view text) {
  size_ += text.copy(text_.data() + size_, text_.size() - size_);
}

std::string_view SessionText::BytesOf(int32_t token) const {
  if (tokenizer_ == nullptr) return {};
  const std::span<const uint8_t> bytes = tokenizer_->TokenBytes(token);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void SessionText::Note(std::span<const int32_t> ids) {
  for (size_t i = 0; i < ids.size() && !has_text_ && tokenizer_ != nullptr; ++i) {
    has_text_ = !tokenizer_->IsSpecial(ids[i]);
  }
}

void SessionText::BeginGeneration() {
  stop_strings_.Reset();
  continues_ = has_text_;
  if (tokenizer_ == nullptr) return;
  stream_.Begin(*tokenizer_, /*skip_special=*/true,
                has_text_ ? StreamDecoder::Start::kContinuation : StreamDecoder::Start::kText);
}

void SessionText::Reset() {
  has_text_ = false;
  BeginGeneration();
}

}  // namespace rondo
