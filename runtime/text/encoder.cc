#include "runtime/text/encoder.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/utf8.h"
#include "runtime/text/unicode.h"

namespace rondo {
namespace {

bool IsContinuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

}  // namespace

Result<EncoderScratch> EncoderScratch::Create(const TokenizerTables& tables) {
  EncoderScratch scratch;
  RONDO_ASSIGN(scratch.window, HeapArray<uint8_t>::CreateForOverwrite(kWindowBytes));
  RONDO_ASSIGN(scratch.rewritten, HeapArray<uint8_t>::CreateForOverwrite(kMaxPreTokenBytes));
  RONDO_ASSIGN(scratch.normalizer, NormalizerScratch::Create());
  if (tables.settings->model() == format::ModelKind::Unigram) {
    RONDO_ASSIGN(scratch.unigram, UnigramScratch::Create());
  } else {
    RONDO_ASSIGN(scratch.bpe, BpeScratch::Create());
  }
  return scratch;
}

size_t EncoderScratch::bytes() const {
  return kWindowBytes + kMaxPreTokenBytes + NormalizerScratch::bytes() +
         (unigram.text.size() > 0 ? UnigramScratch::bytes() : BpeScratch::bytes());
}

Result<EncoderParts> EncoderParts::Create(const TokenizerTables& tables, RegexMemory& memory) {
  EncoderParts parts;
  parts.settings = tables.settings;
  parts.raw_tokens = AddedTokens(tables, /*normalized=*/false);
  parts.normalized_tokens = AddedTokens(tables, /*normalized=*/true);
  RONDO_ASSIGN(parts.normalizer, NormalizerSteps::Create(tables, memory));
  const auto* stages = tables.settings->stages();
  const uint32_t count = stages == nullptr ? 0 : stages->size();
  uint32_t outer = 0;
  while (outer < count && stages->Get(outer)->kind() != format::StageKind::Rewrite) ++outer;
  RONDO_ASSIGN(parts.pre_tokenizer, PreTokenizer::Create(tables, 0, outer, memory));
  if (outer < count) {
    parts.rewrite = stages->Get(outer);
    RONDO_ASSIGN(parts.inner_pre_tokenizer, PreTokenizer::Create(tables, outer + 1, count, memory));
  }
  if (tables.settings->model() == format::ModelKind::Unigram) {
    parts.unigram = UnigramModel(tables);
  } else {
    parts.bpe = BpeModel(tables);
  }
  return parts;
}

Encoder::Encoder(const EncoderParts& parts, EncoderScratch& scratch, IdSink& sink)
    : parts_(parts),
      scratch_(scratch),
      sink_(sink),
      bpe_(parts.bpe, scratch.bpe, sink),
      unigram_(parts.unigram, scratch.unigram, sink),
      model_(parts.settings->model() == format::ModelKind::Unigram
                 ? static_cast<ModelEncoder&>(unigram_)
                 : bpe_) {}

Status Encoder::Encode(std::span<const uint8_t> text) {
  size_t scan = 0;
  size_t begin = 0;
  for (;;) {
    AddedTokenMatch match;
    if (!parts_.raw_tokens.empty()) {
      match = parts_.raw_tokens.Find(text, 0, begin, text.size(), &scan);
    }
    const size_t end = match.token != nullptr ? match.begin : text.size();
    if (begin < end) {
      RONDO_RETURN_IF_ERROR(EncodeSegment(text.subspan(begin, end - begin), begin == 0));
    }
    if (match.token == nullptr) return {};
    sink_.Add(match.token->id());
    // A token may yet begin in the whitespace that is left out here: `scan` stays before it.
    begin = match.end;
    while (match.token->strip_right() && begin < text.size()) {
      const Utf8Step step = DecodeUtf8(text.data() + begin, text.data() + text.size());
      if (!IsWhitespace(step.code_point)) break;
      begin += step.length;
    }
  }
}

Status Encoder::EncodeSegment(std::span<const uint8_t> segment, bool first) {
  Normalizer normalizer(parts_.normalizer, scratch_.normalizer, segment);
  at_start_ = first;
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
        if (!piece_begun) PutPrefix(piece);
        piece_begun = true;
        RONDO_RETURN_IF_ERROR(EncodePiece(piece));
      }
      if (!piece.closed || head_ < piece.end) break;
      if (piece_begun) RONDO_RETURN_IF_ERROR(model_.EndPreToken());
      piece_begun = false;
      at_start_ = false;
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

void Encoder::PutPrefix(Piece piece) {
  const auto* prefix = parts_.settings->piece_prefix();
  if (prefix == nullptr || (parts_.settings->prefix_first_only() && !at_start_)) return;
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
    RONDO_RETURN_IF_ERROR(model_.Append(window.subspan(head_, piece.end - head_)));
    head_ = piece.end;
    return {};
  }
  while (head_ < piece.end) {
    Piece pre_token;
    RONDO_RETURN_IF_ERROR(parts_.pre_tokenizer.Next(window, head_, piece, cursor_, &pre_token));
    if (!pre_token.closed) break;
    if (!pre_token.removed) RONDO_RETURN_IF_ERROR(EncodePreToken(head_, pre_token.end));
    head_ = pre_token.end;
    at_start_ = false;
  }
  return {};
}

Status Encoder::EncodePreToken(size_t begin, size_t end) {
  const std::span<const uint8_t> text = scratch_.window.span().subspan(begin, end - begin);
  if (parts_.rewrite == nullptr) return model_.PreToken(text);

  const std::span<uint8_t> out = scratch_.rewritten.span();
  const auto* replacement = parts_.rewrite->replacement();
  const auto* prefix = parts_.rewrite->prefix();
  // The prefix, should it be needed, lies before the text.
  const size_t prefix_size = prefix == nullptr ? 0 : prefix->size();
  size_t tail = prefix_size;
  for (const uint8_t byte : text) {
    if (out.size() - tail < kMaxPrefixBytes) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "the text has a stretch of %zu bytes without a place to split",
                           text.size());
    }
    if (byte == ' ' && replacement != nullptr && replacement->size() > 0) {
      std::memcpy(out.data() + tail, replacement->Data(), replacement->size());
      tail += replacement->size();
    } else {
      out[tail++] = byte;
    }
  }
  size_t head = prefix_size;
  if (prefix_size > 0 && (at_start_ || !parts_.rewrite->prefix_first_only()) &&
      (tail - head < prefix_size ||
       std::memcmp(out.data() + head, prefix->Data(), prefix_size) != 0)) {
    head = 0;
    std::memcpy(out.data(), prefix->Data(), prefix_size);
  }
  const std::span<const uint8_t> rewritten = out.first(tail);
  if (parts_.inner_pre_tokenizer.empty()) return model_.PreToken(rewritten.subspan(head));
  PreTokenizer::Cursor cursor;
  while (head < tail) {
    Piece pre_token;
    RONDO_RETURN_IF_ERROR(
        parts_.inner_pre_tokenizer.Next(rewritten, head, {tail, true}, cursor, &pre_token));
    if (!pre_token.removed) {
      RONDO_RETURN_IF_ERROR(model_.PreToken(rewritten.subspan(head, pre_token.end - head)));
    }
    head = pre_token.end;
  }
  return {};
}

}  // namespace rondo
