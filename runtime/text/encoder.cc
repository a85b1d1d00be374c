#include "runtime/text/encoder.h"

#include <algorithm>
#include <cstring>

#include "runtime/text/unicode.h"
#include "runtime/text/utf8.h"

namespace rondo {
namespace {

bool IsContinuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

}  // namespace

Result<EncoderScratch> EncoderScratch::Create() {
  EncoderScratch scratch;
  RONDO_ASSIGN(scratch.window, HeapArray<uint8_t>::CreateForOverwrite(kWindowBytes));
  RONDO_ASSIGN(scratch.sequence, HeapArray<int32_t>::CreateForOverwrite(Normalizer::kMaxSequence));
  RONDO_ASSIGN(scratch.bpe, BpeScratch::Create());
  return scratch;
}

Encoder::Encoder(const EncoderParts& parts, EncoderScratch& scratch, IdSink& sink)
    : parts_(parts), scratch_(scratch), sink_(sink), bpe_(parts.bpe, scratch.bpe, sink) {}

Status Encoder::Encode(std::span<const uint8_t> text) {
  size_t scan = 0;
  size_t begin = 0;
  while (begin < text.size()) {
    AddedTokenMatch match;
    if (!parts_.raw_tokens.empty()) {
      match = parts_.raw_tokens.Find(text, 0, begin, text.size(), &scan);
    }
    const size_t end = match.token != nullptr ? match.begin : text.size();
    if (begin < end)
      RONDO_RETURN_IF_ERROR(EncodeSegment(text.subspan(begin, end - begin), begin == 0));
    if (match.token == nullptr) break;
    sink_.Add(match.token->id());
    begin = match.end;
    while (match.token->strip_right() && begin < text.size()) {
      const Utf8Step step = DecodeUtf8(text.data() + begin, text.data() + text.size());
      if (!IsWhitespace(step.code_point)) break;
      begin += step.length;
    }
    scan = begin;
  }
  return {};
}

Status Encoder::EncodeSegment(std::span<const uint8_t> segment, bool first) {
  Normalizer normalizer(*parts_.settings, scratch_.sequence.span(), segment);
  head_ = tail_ = scan_ = sentence_ = EncoderScratch::kHeadroom;
  cut_ = {};
  skipping_ = false;
  cursor_.Reset();
  bool piece_begun = false;
  for (;;) {
    RONDO_RETURN_IF_ERROR(Refill(normalizer));
    const bool last = normalizer.done();
    // Everything that is certain with the text at hand.
    for (;;) {
      SkipWhitespace();
      const Piece piece = FindPiece(last);
      if (head_ < piece.end) {
        if (!piece_begun) PutPrefix(piece, first);
        piece_begun = true;
        RONDO_RETURN_IF_ERROR(EncodePiece(piece));
      }
      if (!piece.closed || head_ < piece.end) break;
      if (piece_begun) RONDO_RETURN_IF_ERROR(bpe_.EndPreToken());
      piece_begun = false;
      first = false;
      cursor_.Reset();
      if (cut_.token == nullptr) return {};
      sink_.Add(cut_.token->id());
      head_ = scan_ = cut_.end;
      skipping_ = cut_.token->strip_right();
      cut_ = {};
    }
    if (last) {
      return Status::Error(StatusCode::kInternal, "the tokenizer stopped short of the text's end");
    }
  }
}

Status Encoder::Refill(Normalizer& normalizer) {
  const size_t pending = tail_ - head_;
  if (pending > EncoderScratch::kMaxPreTokenBytes + kMaxAddedTokenBytes) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the text has a stretch of %zu bytes without a place to split, at most "
                         "%zu are handled",
                         pending, EncoderScratch::kMaxPreTokenBytes);
  }
  if (head_ > EncoderScratch::kHeadroom) {
    const size_t shift = head_ - EncoderScratch::kHeadroom;
    std::memmove(scratch_.window.data(), scratch_.window.data() + shift, tail_ - shift);
    head_ -= shift;
    tail_ -= shift;
    scan_ -= shift;
    sentence_ = sentence_ < shift ? 0 : sentence_ - shift;
    cursor_.Shift(shift);
  }
  size_t written = 0;
  RONDO_RETURN_IF_ERROR(normalizer.Fill(scratch_.window.span().subspan(tail_), &written));
  tail_ += written;
  return {};
}

void Encoder::SkipWhitespace() {
  while (skipping_ && head_ < tail_) {
    const Utf8Step step =
        DecodeUtf8(scratch_.window.data() + head_, scratch_.window.data() + tail_);
    skipping_ = IsWhitespace(step.code_point);
    if (skipping_) head_ += step.length;
  }
  scan_ = std::max(scan_, head_);
}

Piece Encoder::FindPiece(bool last) {
  const AddedTokens& tokens = parts_.normalized_tokens;
  if (tokens.empty()) return {tail_, last};
  const std::span<const uint8_t> text = scratch_.window.span().first(tail_);
  if (cut_.token == nullptr) {
    // The longest token and the character after it decide about a match.
    const size_t ahead = tokens.max_bytes() + 4;
    const size_t limit = last ? tail_ : tail_ - std::min(tail_, ahead);
    cut_ = tokens.Find(text, sentence_, head_, limit, &scan_);
  }
  if (cut_.token != nullptr) return {cut_.begin, true};
  if (last) return {tail_, true};
  size_t end = std::min(scan_, tail_);
  while (end > head_ && end < tail_ && IsContinuation(text[end])) --end;
  while (tokens.any_strips_left() && end > head_) {
    const uint8_t* const start = PreviousUtf8(text.data() + head_, text.data() + end);
    if (!IsWhitespace(DecodeUtf8(start, text.data() + end).code_point)) break;
    end = static_cast<size_t>(start - text.data());
  }
  return {end, false};
}

void Encoder::PutPrefix(Piece piece, bool first) {
  const auto* prefix = parts_.settings->piece_prefix();
  if (prefix == nullptr || (parts_.settings->prefix_first_only() && !first)) return;
  const size_t size = prefix->size();
  if (piece.end - head_ >= size &&
      std::memcmp(scratch_.window.data() + head_, prefix->Data(), size) == 0) {
    return;
  }
  head_ -= size;
  std::memcpy(scratch_.window.data() + head_, prefix->Data(), size);
}

Status Encoder::EncodePiece(Piece piece) {
  const std::span<const uint8_t> window = scratch_.window.span();
  if (parts_.pre_tokenizer.empty()) {
    RONDO_RETURN_IF_ERROR(bpe_.Append(window.subspan(head_, piece.end - head_)));
    head_ = piece.end;
    return {};
  }
  while (head_ < piece.end) {
    size_t end = 0;
    RONDO_RETURN_IF_ERROR(parts_.pre_tokenizer.Next(window, head_, piece, cursor_, &end));
    if (end == 0) break;
    RONDO_RETURN_IF_ERROR(bpe_.PreToken(window.subspan(head_, end - head_)));
    head_ = end;
  }
  return {};
}

}  // namespace rondo
