// Which calls of a session are cancelled: asked by any thread or signal handler, without waiting.
#pragma once

#include <atomic>
#include <cstdint>

namespace rondo {

// Calls that compute have numbers, one after the other. A cancellation is of one number, or of
// none: that of none ends the call that computes, or waits for one that does. All of it is one
// word, so that what is asked of one call never reaches the next: whoever asks compares the number
// that he means with that of the word which he changes.
class Cancellation {
 public:
  // ---- [any thread], signal handlers too ----

  // The number of the call that is under way, or else of the next one. They go up by one; where
  // words have 32 bits, 0 follows 2^28 - 1.
  uint64_t number() const { return NumberOf(Load()); }
  void Cancel() { word_.fetch_or(kAny, std::memory_order_relaxed); }
  // Nothing happens where that call is over. False where it comes behind the next one.
  bool CancelCall(uint64_t number) {
    Word word = Load();
    for (;;) {
      if (number > kMostNumber) return false;
      const Word distance = (static_cast<Word>(number) - (word >> kFlags)) & kMostNumber;
      if (distance > kMostNumber / 2) return true;  // it is over
      if (distance > ((word & kUnderWay) != 0 ? 1 : 0)) return false;
      const Word asked = word | (distance == 0 ? kThis : kNext);
      if (word_.compare_exchange_weak(word, asked, std::memory_order_relaxed)) return true;
    }
  }

  // What computes now is cancelled.
  bool cancelled() const {
    const Word word = Load();
    return (word & kAny) != 0 || IsCalledOff(word);
  }
  // The call that is under way is, by its number.
  bool called_off() const { return IsCalledOff(Load()); }

  // ---- The session's caller ----

  void BeginCall() { word_.fetch_or(kUnderWay, std::memory_order_relaxed); }
  // What was asked of the next call stays, and what no number was given with.
  void EndCall() {
    Word word = Load(), next;
    do {
      next = (((word >> kFlags) + 1) << kFlags) | (word & kAny) | ((word & kNext) != 0 ? kThis : 0);
    } while (!word_.compare_exchange_weak(word, next, std::memory_order_relaxed));
  }
  // It was told that it is cancelled.
  void Forget() {
    const bool numbered = called_off();
    word_.fetch_and(~(kAny | (numbered ? kThis : 0)), std::memory_order_relaxed);
  }
  void ForgetAll() { word_.fetch_and(~(kAny | kThis | kNext), std::memory_order_relaxed); }

 private:
  using Word = uintptr_t;  // that every system changes at once
  static constexpr int kFlags = 4;
  static constexpr Word kAny = 1, kThis = 2, kNext = 4, kUnderWay = 8;
  static constexpr Word kMostNumber = ~Word{0} >> kFlags;

  Word Load() const { return word_.load(std::memory_order_relaxed); }
  static uint64_t NumberOf(Word word) { return word >> kFlags; }
  static bool IsCalledOff(Word word) { return (word & kThis) != 0 && (word & kUnderWay) != 0; }

  std::atomic<Word> word_ = 0;
};

}  // namespace rondo
