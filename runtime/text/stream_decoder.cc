#include "runtime/text/stream_decoder.h"

#include "runtime/base/utf8.h"
#include "runtime/text/tokenizer.h"

namespace rondo {
namespace {

constexpr uint8_t kReplacementUtf8[3] = {0xEF, 0xBF, 0xBD};

}  // namespace

void StreamDecoder::Begin(const Tokenizer& tokenizer, bool skip_special, Start start) {
  *this = StreamDecoder();
  skip_special_ = skip_special;
  if (start == Start::kText) {
    strip_left_ = static_cast<uint8_t>(tokenizer.settings().strip_start());
    drop_spaces_ = tokenizer.settings().first_token_without_spaces();
  }
}

void StreamDecoder::Put(const uint8_t* character, size_t size, TextSink& sink) {
  if (strip_left_ > 0) {
    if (character[0] == ' ') {
      --strip_left_;
      return;
    }
    strip_left_ = 0;
  }
  sink.Add(character, size);
}

void StreamDecoder::Append(const Tokenizer& tokenizer, int32_t id, TextSink& sink) {
  if (skip_special_ && tokenizer.IsSkipped(id)) return;
  for (const uint8_t byte : tokenizer.TokenBytes(id)) {
    if (drop_spaces_ && byte == ' ') continue;
    pending_[pending_size_++] = byte;
    while (pending_size_ > 0) {
      const Utf8Step step = DecodeUtf8(pending_, pending_ + pending_size_);
      if (step.kind == Utf8Kind::kIncomplete) break;
      if (step.kind == Utf8Kind::kValid) {
        Put(pending_, step.length, sink);
      } else {
        Put(kReplacementUtf8, sizeof kReplacementUtf8, sink);
      }
      pending_size_ = static_cast<uint8_t>(pending_size_ - step.length);
      std::memmove(pending_, pending_ + step.length, pending_size_);
    }
  }
  drop_spaces_ = false;
}

void StreamDecoder::Flush(TextSink& sink) {
  // What waits is one incomplete character: never two, and never complete.
  if (pending_size_ > 0) Put(kReplacementUtf8, sizeof kReplacementUtf8, sink);
  pending_size_ = 0;
}

size_t StreamDecoder::MaxTextBytes(const Tokenizer& tokenizer) {
  return sizeof kReplacementUtf8 * (tokenizer.max_token_bytes() + sizeof pending_);
}

}  // namespace rondo
