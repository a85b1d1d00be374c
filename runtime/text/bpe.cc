#include "runtime/text/bpe.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "runtime/base/utf8.h"
#include "runtime/text/slots.h"

namespace rondo {
namespace {

constexpr uint64_t kFewSteps = 256;  // not worth a look at who waits

}  // namespace

Result<BpeScratch> BpeScratch::Create() {
  BpeScratch scratch;
  RONDO_ASSIGN(scratch.symbols, HeapArray<Symbol>::CreateForOverwrite(kMaxPreTokenBytes));
  RONDO_ASSIGN(scratch.heap, HeapArray<uint64_t>::CreateForOverwrite(kMaxPreTokenBytes / 4 * 5));
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

size_t BpeEncoder::Encode(std::span<const uint8_t> text, bool more) {
  const format::Tokenizer& settings = model_.settings();
  const auto unknown = static_cast<uint32_t>(settings.unknown_token());
  if (const uint32_t word = more ? kEmptySlot : model_.FindWord(text);
      word != kEmptySlot && !IsBarred(word)) {
    sink_.Add(word);
    return text.size();
  }
  count_ = 0;
  size_t taken = 0;
  bool unknown_waits = false;  // it may yet take in more characters
  uint64_t steps = 0;
  const auto pause = [&](uint64_t least) {
    if (turn_ != nullptr && steps >= least) turn_->Pause(std::exchange(steps, 0));
  };
  const auto push_at = [&](size_t place, uint32_t id) {
    if (count_ > 0 && !unknown_waits && !model_.MayJoin(scratch_.symbols[count_ - 1].id, id)) {
      steps += Merge();
      taken = place;
      pause(kFewSteps);
    }
    Push(id);
  };
  size_t length = 1;
  for (size_t i = 0; i < text.size(); i += length) {
    uint32_t key = text[i];
    if (!model_.byte_atoms()) {
      const Utf8Step step = DecodeUtf8(text.data() + i, text.data() + text.size());
      key = step.code_point;
      length = step.length;
    }
    const uint32_t atom = model_.FindAtom(key);
    if (atom != kEmptySlot) {
      if (std::exchange(unknown_waits, false)) Push(unknown);
      push_at(i, atom);
    } else if (const auto* tokens = settings.byte_tokens();
               tokens != nullptr && tokens->size() == 256 &&
               std::all_of(text.begin() + i, text.begin() + i + length,
                           [&](uint8_t byte) { return tokens->Get(byte) >= 0; })) {
      push_at(i, static_cast<uint32_t>(tokens->Get(text[i])));
      for (size_t j = i + 1; j < i + length; ++j) {
        Push(static_cast<uint32_t>(tokens->Get(text[j])));
      }
    } else if (settings.unknown_token() >= 0) {
      if (unknown_waits && !settings.fuse_unknown()) Push(unknown);
      unknown_waits = true;
    }
  }
  if (!more) {
    if (unknown_waits) Push(unknown);
    steps += Merge();
    taken = text.size();
  }
  pause(0);
  return taken;
}

// A heap of (merge, place): the smallest is the best merge, leftmost first. An entry is stale once
// its pair is no longer there; symbols only grow, so a pair never comes back.
uint64_t BpeEncoder::Merge() {
  const size_t count = std::exchange(count_, 0);
  BpeScratch::Symbol* const symbols = scratch_.symbols.data();
  uint64_t* const heap = scratch_.heap.data();
  size_t heap_size = 0;
  uint64_t steps = 0;
  const auto stale = [&](uint64_t entry) {
    const rondo::Merge& merge = model_.merge(static_cast<uint32_t>(entry >> 32));
    const BpeScratch::Symbol& left = symbols[static_cast<uint32_t>(entry)];
    return left.id != merge.left || left.next == 0 || symbols[left.next].id != merge.right;
  };
  const auto consider = [&](size_t left, size_t right) {
    ++steps;
    const uint32_t merge = model_.FindMerge(symbols[left].id, symbols[right].id);
    if (merge == kEmptySlot || IsBarred(model_.merge(merge).result)) return;
    if (heap_size == scratch_.heap.size()) {
      // There are fewer pairs than symbols: at least a fifth of this is stale.
      heap_size = static_cast<size_t>(std::remove_if(heap, heap + heap_size, stale) - heap);
      std::make_heap(heap, heap + heap_size, std::greater<>());
    }
    heap[heap_size++] = uint64_t{merge} << 32 | left;
    std::push_heap(heap, heap + heap_size, std::greater<>());
  };

  for (size_t i = 0; i < count; ++i) {
    symbols[i].previous = static_cast<uint16_t>(i > 0 ? i - 1 : 0);
    symbols[i].next = static_cast<uint16_t>(i + 1 < count ? i + 1 : 0);
    if (i > 0) consider(i - 1, i);
  }
  while (heap_size > 0) {
    std::pop_heap(heap, heap + heap_size, std::greater<>());
    const uint64_t best = heap[--heap_size];
    if (stale(best)) continue;
    const size_t place = static_cast<uint32_t>(best);
    BpeScratch::Symbol& left = symbols[place];
    BpeScratch::Symbol& right = symbols[left.next];
    left.id = model_.merge(static_cast<uint32_t>(best >> 32)).result;
    right.id = kEmptySlot;
    left.next = right.next;
    if (place > 0) consider(left.previous, place);
    if (left.next != 0) {
      symbols[left.next].previous = static_cast<uint16_t>(place);
      consider(place, left.next);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    if (symbols[i].id != kEmptySlot) sink_.Add(symbols[i].id);
  }
  return steps;
}

}  // namespace rondo
