#include "c_api/handle_table.h"

#include <bit>
#include <new>
#include <utility>

namespace rondo::c_api {
namespace {

using Word = uintptr_t;
static_assert(std::atomic<Word>::is_always_lock_free);

// A handle: generation and kind in the upper half, index + 1 in the lower.
constexpr int kHalf = sizeof(Word) * 4;
constexpr Word kLower = (Word{1} << kHalf) - 1;
constexpr int kKindBits = 3;
// State, below the generation.
constexpr Word kOpen = Word{1} << (kHalf - 1);
constexpr Word kHolds = kOpen - 1;

// Where a word has 64 bits no handle is an address that a program has: the upper half of them is
// the system's. Small numbers are none anywhere.
constexpr Word kFirstGeneration = kHalf == 32 ? Word{1} << (kHalf - kKindBits - 1) : 1;
constexpr Word kGenerationStep = Word{1} << (kHalf + kKindBits);

// Chunk n has kFirstChunk << n slots. The first is the library's own, so that a program which loads
// and unloads the library over and over, and never has many handles, leaves nothing behind.
constexpr Word kFirstChunk = 64;
constexpr int kChunks = kHalf - 6;
constexpr Word kMostSlots = kLower + 1 - kFirstChunk;

template <Word... kIndex>
struct FirstChunk {
  explicit constexpr FirstChunk(std::integer_sequence<Word, kIndex...>) {}
  HandleSlot slots[kFirstChunk] = {{kFirstGeneration * kGenerationStep, 0, kIndex, nullptr, {}}...};
};

// Initialised before the program runs, so that other initialisers may open models.
constinit FirstChunk first_chunk{std::make_integer_sequence<Word, kFirstChunk>()};
constinit std::atomic<HandleSlot*> chunks[kChunks] = {first_chunk.slots};
constinit std::atomic<Word> used = 0;  // slots that were ever taken
// Index + 1 of the first slot that was given back, and above it a number that every change raises:
// a list that looks as before, but is not, is noticed.
constinit std::atomic<Word> first_free = 0;

int ChunkOf(Word index) {
  return static_cast<int>(std::bit_width(index + kFirstChunk) - std::bit_width(kFirstChunk));
}

// Null where there is none: the chunk was never allocated.
HandleSlot* SlotAt(Word index) {
  if (index >= kMostSlots) return nullptr;
  const int chunk = ChunkOf(index);
  HandleSlot* const slots = chunks[chunk].load(std::memory_order_acquire);
  return slots == nullptr ? nullptr : &slots[index + kFirstChunk - (kFirstChunk << chunk)];
}

bool MakeChunk(int chunk) {
  if (chunks[chunk].load(std::memory_order_acquire) != nullptr) return true;
  const Word n = kFirstChunk << chunk;
  auto* const made = new (std::nothrow) HandleSlot[n]();
  if (made == nullptr) return false;
  for (Word i = 0; i < n; ++i) {
    made[i].state = kFirstGeneration * kGenerationStep;
    made[i].index = n - kFirstChunk + i;
  }
  HandleSlot* none = nullptr;
  if (!chunks[chunk].compare_exchange_strong(none, made, std::memory_order_acq_rel)) delete[] made;
  return true;
}

// `first`: index + 1.
Word Changed(Word list, Word first) { return (((list >> kHalf) + 1) << kHalf) | first; }

// A slot that was given back; null: there is none.
HandleSlot* TakeFreeSlot() {
  Word list = first_free.load(std::memory_order_acquire);
  while ((list & kLower) != 0) {
    HandleSlot* const slot = SlotAt((list & kLower) - 1);
    const Word next = slot->next_free.load(std::memory_order_relaxed);
    if (first_free.compare_exchange_weak(list, Changed(list, next), std::memory_order_acquire)) {
      return slot;
    }
  }
  return nullptr;
}

bool IsOpenAs(Word state, Word handle) {
  return (state >> kHalf) == (handle >> kHalf) && (state & kOpen) != 0;
}

}  // namespace

HandleSlot* TakeSlot() {
  if (HandleSlot* const slot = TakeFreeSlot()) return slot;
  Word index = used.load(std::memory_order_relaxed);
  do {
    if (index >= kMostSlots || !MakeChunk(ChunkOf(index))) return nullptr;
  } while (!used.compare_exchange_weak(index, index + 1, std::memory_order_relaxed));
  return SlotAt(index);
}

// What a signal handler saw of the session before is another generation's from here on, and what it
// asks then is asked of another number.
void GiveSlotBack(HandleSlot* slot) {
  const Word generation = slot->state.load(std::memory_order_relaxed) / kGenerationStep;
  const Word next = (generation + 1) * kGenerationStep;
  if (next == 0) return;  // there are no more of this slot
  slot->state.store(next, std::memory_order_relaxed);
  slot->cancellation.Renew();
  Word list = first_free.load(std::memory_order_relaxed);
  do {
    slot->next_free.store(list & kLower, std::memory_order_relaxed);
  } while (!first_free.compare_exchange_weak(list, Changed(list, slot->index + 1),
                                             std::memory_order_release, std::memory_order_relaxed));
}

uintptr_t OpenHandle(HandleSlot* slot, HandleKind kind, void* object) {
  slot->object = object;
  const Word generation = slot->state.load(std::memory_order_relaxed) / kGenerationStep;
  const Word upper = generation * kGenerationStep | static_cast<Word>(kind) << kHalf;
  slot->state.store(upper | kOpen, std::memory_order_release);
  return upper | (slot->index + 1);
}

HandleSlot* FindHandle(uintptr_t handle, HandleKind kind) {
  if (((handle >> kHalf) & ((1 << kKindBits) - 1)) != static_cast<Word>(kind)) return nullptr;
  HandleSlot* const slot = SlotAt((handle & kLower) - 1);
  const bool found =
      slot != nullptr && IsOpenAs(slot->state.load(std::memory_order_acquire), handle);
  return found ? slot : nullptr;
}

bool IsSlotOf(const HandleSlot& slot, uintptr_t handle) {
  return slot.state.load(std::memory_order_relaxed) >> kHalf == handle >> kHalf;
}

HandleSlot* HoldHandle(uintptr_t handle, HandleKind kind) {
  HandleSlot* const slot = FindHandle(handle, kind);
  if (slot == nullptr) return nullptr;
  Word state = slot->state.load(std::memory_order_relaxed);
  do {
    // As many calls as can be counted are more than a system has threads.
    if (!IsOpenAs(state, handle) || (state & kHolds) == kHolds) return nullptr;
  } while (!slot->state.compare_exchange_weak(state, state + 1, std::memory_order_acquire,
                                              std::memory_order_relaxed));
  return slot;
}

bool CloseHandle(HandleSlot* slot) {
  return (slot->state.fetch_and(~kOpen, std::memory_order_acq_rel) & kOpen) != 0;
}

bool LetGo(HandleSlot* slot) {
  const Word before = slot->state.fetch_sub(1, std::memory_order_acq_rel);
  return (before & (kOpen | kHolds)) == 1;
}

}  // namespace rondo::c_api
