#include "runtime/text/bpe.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "runtime/base/utf8.h"
#include "runtime/text/slots.h"

namespace rondo {
namespace {

constexpr uint32_t kNone = 0xFFFFFFFF;  // no symbol there; also: merged away

}  // namespace

Result<BpeScratch> BpeScratch::Create() {
  BpeScratch scratch;
  RONDO_ASSIGN(scratch.ids, HeapArray<uint32_t>::CreateForOverwrite(kMaxAtoms));
  RONDO_ASSIGN(scratch.previous, HeapArray<uint32_t>::CreateForOverwrite(kMaxAtoms));
  RONDO_ASSIGN(scratch.next, HeapArray<uint32_t>::CreateForOverwrite(kMaxAtoms));
  RONDO_ASSIGN(scratch.heap, HeapArray<uint64_t>::CreateForOverwrite(2 * kMaxAtoms));
  return scratch;
}

BpeModel::BpeModel(const TokenizerTables& tables)
    : tables_(&tables),
      merges_(tables.merges),
      merge_slots_(tables.merge_slots),
      joints_(tables.joints),
      byte_atoms_(tables.settings->model() == format::ModelKind::ByteBpe) {
  std::fill(std::begin(first_atoms_), std::end(first_atoms_), kEmptySlot);
  for (const Atom& atom : tables.atoms) {
    if (atom.key >= 256) break;
    first_atoms_[atom.key] = atom.id;
  }
}

uint32_t BpeModel::FindMerge(uint32_t left, uint32_t right) const {
  for (size_t slot = SlotOf(HashPair(left, right), merge_slots_.size());;
       slot = (slot + 1) & (merge_slots_.size() - 1)) {
    const uint32_t index = merge_slots_[slot];
    if (index == kEmptySlot) return kEmptySlot;
    if (merges_[index].left == left && merges_[index].right == right) return index;
  }
}

bool BpeModel::MayJoin(uint32_t left, uint32_t right) const {
  const size_t bit = SlotOf(HashPair(left, right), 8 * joints_.size());
  return (joints_[bit / 8] >> (bit % 8) & 1) != 0;
}

uint32_t BpeModel::FindWord(std::span<const uint8_t> bytes) const {
  const std::span<const uint32_t> slots = tables_->word_slots;
  for (size_t slot = SlotOf(HashBytes(bytes), slots.size());;
       slot = (slot + 1) & (slots.size() - 1)) {
    const uint32_t id = slots[slot];
    if (id == kEmptySlot) return kEmptySlot;
    const std::span<const uint8_t> token = tables_->TokenBytes(id);
    if (std::equal(token.begin(), token.end(), bytes.begin(), bytes.end())) return id;
  }
}

uint32_t BpeModel::FindAtom(uint32_t key) const {
  if (key < 256) return first_atoms_[key];
  const auto atom = std::lower_bound(tables_->atoms.begin(), tables_->atoms.end(), key,
                                     [](const Atom& a, uint32_t wanted) { return a.key < wanted; });
  return atom != tables_->atoms.end() && atom->key == key ? atom->id : kEmptySlot;
}

Status BpeEncoder::Append(std::span<const uint8_t> bytes) {
  for (size_t i = 0; i < bytes.size();) {
    uint32_t key = bytes[i];
    size_t length = 1;
    if (!model_.byte_atoms()) {
      const Utf8Step step = DecodeUtf8(bytes.data() + i, bytes.data() + bytes.size());
      key = step.code_point;
      length = step.length;
    }
    const uint32_t id = model_.FindAtom(key);
    if (id == kEmptySlot) {
      RONDO_RETURN_IF_ERROR(PushUnknown(bytes.subspan(i, length)));
    } else {
      if (unknown_pending_) {
        unknown_pending_ = false;
        RONDO_RETURN_IF_ERROR(Push(static_cast<uint32_t>(model_.settings().unknown_token())));
      }
      RONDO_RETURN_IF_ERROR(Push(id));
    }
    i += length;
  }
  return {};
}

Status BpeEncoder::PushUnknown(std::span<const uint8_t> character) {
  const format::Tokenizer& settings = model_.settings();
  const auto* byte_tokens = settings.byte_tokens();
  if (byte_tokens != nullptr && byte_tokens->size() == 256) {
    const bool all = std::all_of(character.begin(), character.end(),
                                 [&](uint8_t byte) { return byte_tokens->Get(byte) >= 0; });
    if (all) {
      for (const uint8_t byte : character) {
        RONDO_RETURN_IF_ERROR(Push(static_cast<uint32_t>(byte_tokens->Get(byte))));
      }
      return {};
    }
  }
  if (settings.unknown_token() < 0) return {};
  if (unknown_pending_ && !settings.fuse_unknown()) {
    RONDO_RETURN_IF_ERROR(Push(static_cast<uint32_t>(settings.unknown_token())));
  }
  unknown_pending_ = true;
  return {};
}

Status BpeEncoder::Push(uint32_t id) {
  if (count_ > 0 && !model_.MayJoin(scratch_.ids[count_ - 1], id)) Merge();
  if (count_ == BpeScratch::kMaxAtoms) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the text has more than %zu characters in a row without a place to split",
                         BpeScratch::kMaxAtoms);
  }
  scratch_.ids[count_++] = id;
  return {};
}

Status BpeEncoder::EndPreToken() {
  if (unknown_pending_) {
    unknown_pending_ = false;
    RONDO_RETURN_IF_ERROR(Push(static_cast<uint32_t>(model_.settings().unknown_token())));
  }
  Merge();
  return {};
}

Status BpeEncoder::PreToken(std::span<const uint8_t> bytes) {
  const uint32_t word = model_.FindWord(bytes);
  if (word != kEmptySlot) {
    sink_.Add(word);
    return {};
  }
  RONDO_RETURN_IF_ERROR(Append(bytes));
  return EndPreToken();
}

// A heap of (merge, position): the smallest is the best merge, leftmost first. An entry is stale
// once its pair is no longer there; symbols only grow, so a pair never comes back.
void BpeEncoder::Merge() {
  const size_t count = std::exchange(count_, 0);
  uint32_t* const ids = scratch_.ids.data();
  uint32_t* const previous = scratch_.previous.data();
  uint32_t* const next = scratch_.next.data();
  uint64_t* const heap = scratch_.heap.data();
  // At most 2 * count entries: one per pair to begin with, and a merge takes one, adds two and
  // removes a symbol.
  size_t heap_size = 0;
  const auto consider = [&](uint32_t left, uint32_t right) {
    const uint32_t merge = model_.FindMerge(ids[left], ids[right]);
    if (merge == kEmptySlot) return;
    heap[heap_size++] = uint64_t{merge} << 32 | left;
    std::push_heap(heap, heap + heap_size, std::greater<>());
  };

  for (uint32_t i = 0; i < count; ++i) {
    previous[i] = i == 0 ? kNone : i - 1;
    next[i] = i + 1 == count ? kNone : i + 1;
    if (i > 0) consider(i - 1, i);
  }
  while (heap_size > 0) {
    std::pop_heap(heap, heap + heap_size, std::greater<>());
    const uint64_t best = heap[--heap_size];
    const rondo::Merge& merge = model_.merge(static_cast<uint32_t>(best >> 32));
    const uint32_t left = static_cast<uint32_t>(best);
    const uint32_t right = next[left];
    if (ids[left] != merge.left || right == kNone || ids[right] != merge.right) continue;

    ids[left] = merge.result;
    ids[right] = kNone;
    next[left] = next[right];
    if (next[left] != kNone) previous[next[left]] = left;
    if (previous[left] != kNone) consider(previous[left], left);
    if (next[left] != kNone) consider(left, next[left]);
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (ids[i] != kNone) sink_.Add(ids[i]);
  }
}

}  // namespace rondo
