#include "runtime/text/unigram.h"

#include <algorithm>

#include "runtime/base/utf8.h"

namespace rondo {
namespace {

constexpr uint32_t kNone = 0xFFFFFFFF;

}  // namespace

Result<UnigramScratch> UnigramScratch::Create() {
  UnigramScratch scratch;
  RONDO_ASSIGN(scratch.nodes, HeapArray<Node>::CreateForOverwrite(kMaxPreTokenBytes + 1));
  return scratch;
}

UnigramModel::UnigramModel(const TokenizerTables& tables)
    : settings_(tables.settings),
      pieces_(tables.pieces),
      scores_(tables.scores),
      max_piece_bytes_(tables.settings->max_piece_bytes()),
      unknown_score_(tables.settings->unknown_score()) {}

size_t UnigramEncoder::Encode(std::span<const uint8_t> text, bool more) {
  UnigramScratch::Node* const nodes = scratch_.nodes.data();
  begin_ = position_ = reach_ = 0;
  nodes[0] = {score_, kNone, 0, 0};
  // A piece that begins here may need so many bytes to be known; a character always does.
  const size_t ahead = more ? std::max<size_t>(model_.max_piece_bytes_, 4) : 1;
  while (text.size() - position_ >= ahead) {
    // An unknown token before this place may yet take in more characters.
    if (position_ == reach_ && position_ > begin_ && !model_.IsUnknown(nodes[position_].id)) {
      const size_t settled = position_ - begin_;
      Settle(text);
      Pause(settled);
    }
    AddPieces(text);
  }
  if (!more && position_ > begin_) Settle(text);
  score_ = more ? nodes[begin_].score : 0;
  return begin_;
}

void UnigramEncoder::Pause(size_t bytes) {
  if (turn_ == nullptr) return;
  const UnigramScratch::Node node = scratch_.nodes[position_];
  turn_->Pause(bytes);
  scratch_.nodes[position_] = node;
}

void UnigramEncoder::AddPieces(std::span<const uint8_t> text) {
  const size_t begin = position_;
  const size_t length = DecodeUtf8(text.data() + begin, text.data() + text.size()).length;
  const size_t limit = std::min<size_t>(text.size(), begin + model_.max_piece_bytes_);
  bool is_piece = false;  // the character by itself
  uint32_t node = 0;
  for (size_t i = begin; i < limit;) {
    node = model_.pieces_.Next(node, text[i++]);
    if (node == 0) break;
    const uint32_t id = model_.pieces_.Value(node);
    if (id == kNone) continue;
    if (barred_ != nullptr && barred_->Has(id) && i - begin != length) continue;
    Consider(i, id, model_.scores_[id]);
    is_piece |= i - begin == length;
  }
  if (!is_piece) Consider(begin + length, kNone, model_.unknown_score_);
  position_ = begin + length;
}

void UnigramEncoder::Consider(size_t to, uint32_t id, double score) {
  UnigramScratch::Node* const nodes = scratch_.nodes.data();
  while (reach_ < to) nodes[++reach_].last = 0;
  const double sum = score + nodes[position_].score;
  if (nodes[to].last != 0 && !(sum > nodes[to].score)) return;
  nodes[to] = {sum, id, static_cast<uint16_t>(to - position_), 0};
}

void UnigramEncoder::Settle(std::span<const uint8_t> text) {
  UnigramScratch::Node* const nodes = scratch_.nodes.data();
  for (size_t place = position_; place != begin_; place -= nodes[place].last) {
    nodes[place - nodes[place].last].next = nodes[place].last;
  }
  const auto* byte_tokens = model_.settings_->byte_tokens();
  const bool by_bytes = byte_tokens != nullptr && byte_tokens->size() == 256;
  bool unknown_waits = false;  // it may yet take in more characters
  const auto end_unknown = [&] {
    if (unknown_waits) sink_.Add(static_cast<uint32_t>(model_.settings_->unknown_token()));
    unknown_waits = false;
  };
  while (begin_ != position_) {
    const std::span<const uint8_t> piece = text.subspan(begin_, nodes[begin_].next);
    begin_ += piece.size();
    if (const uint32_t id = nodes[begin_].id; !model_.IsUnknown(id)) {
      end_unknown();
      sink_.Add(id);
    } else if (by_bytes) {
      // The converter saw to it that all of them are there.
      for (const uint8_t byte : piece) {
        if (byte_tokens->Get(byte) >= 0) sink_.Add(static_cast<uint32_t>(byte_tokens->Get(byte)));
      }
    } else if (model_.settings_->unknown_token() >= 0) {
      if (!model_.settings_->fuse_unknown()) end_unknown();
      unknown_waits = true;
    }
  }
  end_unknown();
}

}  // namespace rondo
