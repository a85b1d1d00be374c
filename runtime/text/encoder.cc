#include "runtime/text/encoder.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/utf8.h"
#include "runtime/text/unicode.h"

namespace rondo {
namespace {

// Text that is only looked through: the time of a piece of work, and what a character has at most.
constexpr size_t kNearBytes = size_t{16} << 10;
constexpr size_t kMaxUtf8Bytes = 4;

}  // namespace

Result<EncoderParts> EncoderParts::Create(const TokenizerTables& tables, RegexMemory& memory) {
  EncoderParts parts;
  parts.settings = tables.settings;
  parts.memory = &memory;
  parts.raw_tokens = AddedTokens(tables, /*normalized=*/false);
  parts.normalized_tokens = AddedTokens(tables, /*normalized=*/true);
  RONDO_ASSIGN(parts.normalizer, NormalizerSteps::Create(tables, memory));
  RONDO_ASSIGN(parts.pre_tokenizer, PreTokenizer::Create(tables, memory));
  switch (tables.settings->model()) {
    case format::ModelKind::Unigram:
      parts.unigram = UnigramModel(tables);
      break;
    case format::ModelKind::WordPiece:
      parts.word_piece = WordPieceModel(tables);
      break;
    default:
      parts.bpe = BpeModel(tables);
  }
  return parts;
}

Result<EncoderScratch> EncoderParts::CreateScratch() const {
  EncoderScratch scratch;
  switch (settings->model()) {
    case format::ModelKind::Unigram: {
      RONDO_ASSIGN(scratch.unigram, UnigramScratch::Create());
      break;
    }
    case format::ModelKind::WordPiece: {
      RONDO_ASSIGN(scratch.word_piece, WordPieceScratch::Create(*settings));
      break;
    }
    default: {
      RONDO_ASSIGN(scratch.bpe, BpeScratch::Create());
    }
  }
  if (scratch.PatternBlock().size() < RegexMemory::BlockBytes()) {
    RONDO_ASSIGN(scratch.patterns,
                 HeapArray<uint8_t>::CreateForOverwrite(RegexMemory::BlockBytes()));
  }
  return scratch;
}

std::span<uint8_t> EncoderScratch::PatternBlock() {
  const auto bytes = [](auto& array) {
    return std::span(reinterpret_cast<uint8_t*>(array.data()),
                     array.size() * sizeof(*array.data()));
  };
  if (patterns.size() > 0) return bytes(patterns);
  return bpe.bytes() > 0 ? bytes(bpe.heap) : bytes(unigram.nodes);
}

Result<EncoderBuffers> EncoderParts::CreateBuffers() const {
  EncoderBuffers buffers;
  RONDO_ASSIGN(buffers.window,
               HeapArray<uint8_t>::CreateForOverwrite(EncoderBuffers::kWindowBytes));
  if (pre_tokenizer.rewrites()) {
    RONDO_ASSIGN(buffers.rewritten, HeapArray<uint8_t>::CreateForOverwrite(kMaxPreTokenBytes));
  }
  RONDO_ASSIGN(buffers.normalizer, NormalizerScratch::Create(normalizer.count));
  return buffers;
}

Result<PlainText> EncoderParts::CreatePlainText(std::span<const uint8_t> marks) const {
  PlainText plain;
  plain.marks = marks;
  RONDO_ASSIGN(plain.added, TokenSet::Create(settings->vocab_size()));
  raw_tokens.AddTo(plain.added);
  normalized_tokens.AddTo(plain.added);
  if (normalized_tokens.empty()) return plain;
  RONDO_ASSIGN(plain.window, HeapArray<uint8_t>::Create(EncoderBuffers::kWindowBytes));
  RONDO_ASSIGN(plain.buffers,
               HeapArray<uint8_t>::Create(normalizer.count * NormalizerScratch::kBufferBytes));
  return plain;
}

Encoder::Encoder(const EncoderParts& parts, EncoderScratch& scratch, EncoderBuffers& buffers,
                 PlainText* plain, IdSink& sink)
    : parts_(parts),
      buffers_(buffers),
      plain_(plain),
      sink_(sink),
      bpe_(parts.bpe, scratch.bpe, sink, plain == nullptr ? nullptr : &plain->added,
           &parts.memory->turn()),
      unigram_(parts.unigram, scratch.unigram, sink, plain == nullptr ? nullptr : &plain->added,
               &parts.memory->turn()),
      word_piece_(parts.word_piece, scratch.word_piece, sink,
                  plain == nullptr ? nullptr : &plain->added),
      run_{Model(), buffers.rewritten.span(), true} {}

ModelEncoder& Encoder::Model() {
  switch (parts_.settings->model()) {
    case format::ModelKind::Unigram:
      return unigram_;
    case format::ModelKind::WordPiece:
      return word_piece_;
    default:
      return bpe_;
  }
}

Status Encoder::Encode(std::span<const uint8_t> text) {
  steps_left_ = RegexMemory::StepsFor(text.size());
  const Status status = EncodeText(text);
  LeaveTurn();
  return status;
}

Status Encoder::EncodeText(std::span<const uint8_t> text) {
  const uint8_t* const plain = plain_ == nullptr ? nullptr : plain_->marks.data();
  size_t scan = 0;
  size_t begin = 0;
  size_t stripped = 0;  // whitespace that a token took along ends here
  for (;;) {
    const AddedTokenMatch match = FindRaw(text, begin, &scan);
    const size_t end = match.token != nullptr ? match.begin : text.size();
    if (begin < end) {
      TakeTurn();
      RONDO_RETURN_IF_ERROR(EncodeSegment(text.subspan(begin, end - begin),
                                          plain == nullptr ? nullptr : plain + begin, begin == 0));
    }
    if (match.token == nullptr) return {};
    sink_.Add(match.token->id());
    // A token may yet begin in the whitespace that is left out here: `scan` stays before it.
    // It ends within the whitespace then, or goes on beyond: no space is looked at twice.
    begin = match.end;
    if (!match.token->strip_right()) continue;
    if (begin >= stripped) stripped = begin + BlanksAt(text, begin);
    begin = stripped;
  }
}

void Encoder::TakeTurn() {
  if (has_turn_) return;
  EncodingTurn& turn = parts_.memory->turn();
  turn.Begin();
  turn.steps_left = steps_left_;
  has_turn_ = true;
}

void Encoder::LeaveTurn() {
  if (!has_turn_) return;
  EncodingTurn& turn = parts_.memory->turn();
  steps_left_ = turn.steps_left;
  turn.End();
  has_turn_ = false;
}

AddedTokenMatch Encoder::FindRaw(std::span<const uint8_t> text, size_t begin, size_t* scan) {
  const AddedTokens& tokens = parts_.raw_tokens;
  if (tokens.empty()) return {};
  const uint8_t* const plain = plain_ == nullptr ? nullptr : plain_->marks.data();
  const size_t from = *scan;
  const size_t near = std::min(text.size(), from + kNearBytes);
  const AddedTokenMatch match = tokens.Find(text, plain, 0, begin, near, scan);
  Pause(*scan - from);
  if (match.token != nullptr || near == text.size()) return match;
  LeaveTurn();
  return tokens.Find(text, plain, 0, begin, text.size(), scan);
}

size_t Encoder::BlanksAt(std::span<const uint8_t> text, size_t begin) {
  const size_t near =
      LeadingWhitespace(text.subspan(begin, std::min(text.size() - begin, kNearBytes)));
  Pause(near);
  if (near + kMaxUtf8Bytes < kNearBytes) return near;
  LeaveTurn();
  return LeadingWhitespace(text.subspan(begin));
}

Status Encoder::EncodeSegment(std::span<const uint8_t> segment, const uint8_t* plain, bool first) {
  Normalizer normalizer(parts_.normalizer, buffers_.normalizer, segment);
  if (WindowMarks(0) != nullptr) normalizer.Mark(plain, plain_->buffers.data());
  head_ = tail_ = scan_ = sentence_ = EncoderBuffers::kHeadroom;
  run_.at_start = first;
  begun_ = false;
  bool skipping = false;  // the whitespace after an added token goes with it
  for (;;) {
    RONDO_RETURN_IF_ERROR(Refill(normalizer));
    for (;;) {
      if (skipping) {
        head_ += LeadingWhitespace(buffers_.window.span().subspan(head_, tail_ - head_));
        skipping = head_ == tail_;
      }
      const Piece piece = FindPiece(normalizer.done());
      size_t taken = 0;
      if (head_ < piece.end) {
        if (!begun_) PutPrefix(piece.end);
        begun_ = true;
        RONDO_RETURN_IF_ERROR(Split(piece.end, !piece.closed, &taken));
        if (const size_t visible = VisibleEnd(); taken == 0 && visible < tail_) {
          // Nothing decides within kMaxPreTokenBytes: the text is cut there.
          RONDO_RETURN_IF_ERROR(Split(visible, /*more=*/false, &taken));
        }
      }
      head_ += taken;
      if (!piece.closed) break;
      run_.at_start = begun_ = false;
      if (piece.cut == nullptr) return {};
      sink_.Add(piece.cut->id());
      head_ = scan_ = piece.cut_end;
      skipping = piece.cut->strip_right();
    }
  }
}

Status Encoder::Refill(Normalizer& normalizer) {
  const size_t shift = head_ - EncoderBuffers::kHeadroom;
  std::memmove(buffers_.window.data(), buffers_.window.data() + shift, tail_ - shift);
  if (uint8_t* marks = WindowMarks(0)) std::memmove(marks, marks + shift, tail_ - shift);
  head_ -= shift;
  tail_ -= shift;
  scan_ -= shift;
  sentence_ = sentence_ < shift ? 0 : sentence_ - shift;
  size_t written = 0;
  RONDO_RETURN_IF_ERROR(
      normalizer.Fill(buffers_.window.span().subspan(tail_), &written, WindowMarks(tail_)));
  tail_ += written;
  return {};
}

size_t Encoder::VisibleEnd() const {
  return head_ + Utf8Cut(buffers_.window.span().subspan(head_, tail_ - head_),
                         kMaxPreTokenBytes - (begun_ ? 0 : kMaxPrefixBytes));
}

Encoder::Piece Encoder::FindPiece(bool last) {
  const AddedTokens& tokens = parts_.normalized_tokens;
  const size_t visible = VisibleEnd();
  const bool closed = last && visible == tail_;
  if (tokens.empty()) return {visible, closed};
  const std::span<const uint8_t> text = buffers_.window.span().first(tail_);
  // The longest token and the character after it decide about a match.
  const size_t ahead = last ? 0 : std::min(tail_, tokens.max_bytes() + 4);
  scan_ = std::max(scan_, head_);
  const AddedTokenMatch match =
      tokens.Find(text, WindowMarks(0), sentence_, head_, std::min(visible, tail_ - ahead), &scan_);
  if (match.token != nullptr) return {match.begin, true, match.token, match.end};
  if (closed) return {visible, true};
  size_t end = head_ + Utf8Cut(text.subspan(head_), std::min(scan_, visible) - head_);
  while (tokens.any_strips_left() && end > head_) {
    const uint8_t* const start = PreviousUtf8(text.data() + head_, text.data() + end);
    if (!IsWhitespace(DecodeUtf8(start, text.data() + end).code_point)) break;
    end = static_cast<size_t>(start - text.data());
  }
  // Too little to tell whether it begins with the prefix: more text may come, or else a token that
  // might take all this whitespace along is not in sight.
  if (end - head_ < kMaxPrefixBytes) end = visible < tail_ ? visible : head_;
  return {end, false};
}

void Encoder::PutPrefix(size_t piece_end) {
  const auto* prefix = parts_.settings->piece_prefix();
  if (parts_.settings->prefix_first_only() && !run_.at_start) return;
  if (BeginsWith(buffers_.window.span().subspan(head_, piece_end - head_), prefix)) return;
  head_ -= prefix->size();
  std::memcpy(buffers_.window.data() + head_, prefix->Data(), prefix->size());
}

}  // namespace rondo
