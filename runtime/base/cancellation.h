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
  uint64_t number() const { return word_.load(std::memory_order_acquire) >> kFlags; }
  void Cancel() { word_.fetch_or(kAny, std::memory_order_relaxed); }
  // The same where `is_mine()`, and else false: for whoever does not hold the session, so that it
  // may have become another's.
  template <typename IsMine>
  bool CancelMine(IsMine is_mine) {
    return Ask([](Word word) { return word | kAny; }, is_mine);
  }
  enum class Asked : uint8_t { kDone, kBehindNext, kNotMine };
  // Nothing happens where that call is over.
  template <typename IsMine>
  Asked CancelCall(uint64_t number, IsMine is_mine) {
    bool behind_next = false;
    const auto ask = [&](Word word) {
      const Word distance = (static_cast<Word>(number) - (word >> kFlags)) & kMostNumber;
      const bool over = distance > kMostNumber / 2;
      behind_next = number > kMostNumber || (!over && distance > ((word & kUnderWay) != 0 ? 1 : 0));
      if (behind_next || over) return word;
      return word | (distance == 0 ? kThis : kNext);
    };
    if (!Ask(ask, is_mine)) return Asked::kNotMine;
    return behind_next ? Asked::kBehindNext : Asked::kDone;
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
  // It was told that it is cancelled. True where a cancellation of no number is gone with that.
  bool Forget() {
    const bool numbered = called_off();
    const Word before =
        word_.fetch_and(~(kAny | (numbered ? kThis : 0)), std::memory_order_relaxed);
    return (before & kAny) != 0;
  }
  void ForgetAll() { word_.fetch_and(~(kAny | kThis | kNext), std::memory_order_relaxed); }
  // Another session's from here on: whoever sees the new number sees, too, what was stored before.
  void Renew() { word_.store(((Load() >> kFlags) + 1) << kFlags, std::memory_order_release); }

 private:
  using Word = uintptr_t;  // that every system changes at once
  static constexpr int kFlags = 4;
  static constexpr Word kAny = 1, kThis = 2, kNext = 4, kUnderWay = 8;
  static constexpr Word kMostNumber = ~Word{0} >> kFlags;

  Word Load() const { return word_.load(std::memory_order_relaxed); }
  // What was seen is changed as long as it is as it was.
  template <typename Change, typename IsMine>
  bool Ask(Change change, IsMine is_mine) {
    Word word = word_.load(std::memory_order_acquire);
    do {
      if (!is_mine()) return false;
    } while (!word_.compare_exchange_weak(word, change(word), std::memory_order_acquire));
    return true;
  }
  static bool IsCalledOff(Word word) { return (word & kThis) != 0 && (word & kUnderWay) != 0; }

  std::atomic<Word> word_ = 0;
};

}  // namespace rondo
