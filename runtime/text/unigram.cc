#include "runtime/text/unigram.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/utf8.h"

namespace rondo {
namespace {

constexpr uint32_t kNone = 0xFFFFFFFF;

}  // namespace

Result<UnigramScratch> UnigramScratch::Create() {
  UnigramScratch scratch;
  RONDO_ASSIGN(scratch.text, HeapArray<uint8_t>::CreateForOverwrite(kMaxBytes));
  RONDO_ASSIGN(scratch.nodes, HeapArray<Node>::CreateForOverwrite(kMaxBytes + 1));
  return scratch;
}

UnigramModel::UnigramModel(const TokenizerTables& tables)
    : settings_(tables.settings),
      pieces_(tables.pieces),
      scores_(tables.scores),
      max_piece_bytes_(tables.settings->max_piece_bytes()),
      unknown_score_(tables.settings->unknown_score()) {}

Status UnigramEncoder::Append(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    if (size_ == UnigramScratch::kMaxBytes && begin_ > 0) {
      // What is settled makes room.
      uint8_t* const text = scratch_.text.data();
      UnigramScratch::Node* const nodes = scratch_.nodes.data();
      std::memmove(text, text + begin_, size_ - begin_);
      std::memmove(nodes, nodes + begin_, (reach_ - begin_ + 1) * sizeof *nodes);
      for (size_t i = 1; i <= reach_ - begin_; ++i) {
        if (nodes[i].from != kNone) nodes[i].from -= static_cast<uint32_t>(begin_);
      }
      position_ -= begin_;
      reach_ -= begin_;
      size_ -= begin_;
      begin_ = 0;
    }
    const size_t count = std::min(bytes.size(), UnigramScratch::kMaxBytes - size_);
    if (count == 0) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "the text has more than %zu bytes in a row without a place to split",
                           UnigramScratch::kMaxBytes);
    }
    if (size_ == 0) scratch_.nodes[0] = {0, kNone, 0, 0};
    std::memcpy(scratch_.text.data() + size_, bytes.data(), count);
    size_ += count;
    bytes = bytes.subspan(count);
    Advance(/*last=*/false);
  }
  return {};
}

Status UnigramEncoder::EndPreToken() {
  Advance(/*last=*/true);
  if (position_ > begin_) Settle();
  EndUnknown();
  begin_ = position_ = reach_ = size_ = 0;
  return {};
}

Status UnigramEncoder::PreToken(std::span<const uint8_t> bytes) {
  RONDO_RETURN_IF_ERROR(Append(bytes));
  return EndPreToken();
}

void UnigramEncoder::Advance(bool last) {
  // A piece that begins here may need so many bytes to be known; a character always does.
  const size_t ahead = std::max<size_t>(model_.max_piece_bytes_, 4);
  while (position_ < size_ && (last || size_ - position_ >= ahead)) {
    if (position_ == reach_ && position_ > begin_) Settle();
    AddPieces(position_);
  }
}

void UnigramEncoder::AddPieces(size_t begin) {
  const uint8_t* const text = scratch_.text.data();
  const Utf8Step character = DecodeUtf8(text + begin, text + size_);
  const size_t limit = std::min<size_t>(size_, begin + model_.max_piece_bytes_);
  bool is_piece = false;  // the character by itself
  uint32_t node = 0;
  for (size_t i = begin; i < limit;) {
    node = model_.pieces_.Next(node, text[i++]);
    if (node == 0) break;
    const uint32_t id = model_.pieces_.Value(node);
    if (id == kNone) continue;
    Consider(begin, i, id, model_.scores_[id]);
    is_piece |= i - begin == character.length;
  }
  if (!is_piece) Consider(begin, begin + character.length, kNone, model_.unknown_score_);
  position_ = begin + character.length;
}

void UnigramEncoder::Consider(size_t from, size_t to, uint32_t id, double score) {
  UnigramScratch::Node* const nodes = scratch_.nodes.data();
  while (reach_ < to) nodes[++reach_].from = kNone;
  UnigramScratch::Node& node = nodes[to];
  const double sum = score + nodes[from].score;
  if (node.from != kNone && !(sum > node.score)) return;
  node.score = sum;
  node.from = static_cast<uint32_t>(from);
  node.id = id;
}

void UnigramEncoder::Settle() {
  UnigramScratch::Node* const nodes = scratch_.nodes.data();
  for (size_t place = position_; place != begin_; place = nodes[place].from) {
    nodes[nodes[place].from].to = static_cast<uint32_t>(place);
  }
  for (size_t place = begin_; place != position_;) {
    const size_t to = nodes[place].to;
    const uint32_t id = nodes[to].id;
    if (id == kNone || static_cast<int32_t>(id) == model_.settings_->unknown_token()) {
      AddUnknown(place, to);
    } else {
      EndUnknown();
      sink_.Add(id);
    }
    place = to;
  }
  begin_ = position_;
}

void UnigramEncoder::AddUnknown(size_t from, size_t to) {
  const auto* byte_tokens = model_.settings_->byte_tokens();
  if (byte_tokens != nullptr && byte_tokens->size() == 256) {
    // The converter saw to it that all of them are there.
    for (size_t i = from; i < to; ++i) {
      const int32_t id = byte_tokens->Get(scratch_.text[i]);
      if (id >= 0) sink_.Add(static_cast<uint32_t>(id));
    }
    return;
  }
  if (model_.settings_->unknown_token() < 0) return;
  if (unknown_pending_ && !model_.settings_->fuse_unknown()) EndUnknown();
  unknown_pending_ = true;
}

void UnigramEncoder::EndUnknown() {
  if (unknown_pending_) sink_.Add(static_cast<uint32_t>(model_.settings_->unknown_token()));
  unknown_pending_ = false;
}

}  // namespace rondo
