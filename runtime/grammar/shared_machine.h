// SharedMachine: a machine that calls of several threads use at the same time, each for a short
// while. MachineCall: one of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "platforms/sync.h"
#include "runtime/base/cancellation.h"
#include "runtime/grammar/machine.h"
#include "runtime/grammar/token_trie.h"

namespace rondo::grammar {

class MachineCall;

// Calls take turns in the order in which they come. What is made for all is forgotten where memory
// runs out, but what calls hold; so they need not begin anew.
class SharedMachine {
 public:
  // Both outlive it. `start` is never forgotten; of `masks`, whose states somebody has something
  // of, those that are become kDead.
  void Init(Machine* machine, State start, std::span<State> masks);

  State start() const { return start_; }
  // How often states were forgotten, from 1 on: others than those of now mean nothing any more.
  uint32_t epoch() const { return epoch_; }

 private:
  friend class MachineCall;

  void TakeTurn();
  void GiveTurn();
  void Enter(MachineCall* call);
  void Leave(MachineCall* call);
  void Forget();

  Machine* machine_ = nullptr;
  State start_ = Machine::kDead;
  std::span<State> masks_;
  Mutex mutex_;        // guards the two below
  Condition changed_;  // a turn was given on
  uint64_t asked_ = 0, served_ = 0;
  // Whose turn it is guards what is below, and the machine.
  uint32_t epoch_ = 1;
  MachineCall* oldest_ = nullptr;
};

// Has its turn from its beginning to its end, but for Next, which may let others have theirs.
class MachineCall {
 public:
  enum class End : uint8_t {
    kNone,
    kCancelled,
    kLost,    // an older call needed all memory: this one begins anew, once that is over
    kSteps,   // one step took too many
    kMemory,  // and one more than there is, though it was the only one
    kDepth,
  };
  // Beside what a token's bytes lead through, one.
  static constexpr size_t kMostStates = TokenTrie::kMostBytes + 2;
  static constexpr uint64_t kSteps = 4'000'000;  // of the machine's, behind one byte

  // `cancel`: null, or what ends it, where it takes long.
  MachineCall(SharedMachine& shared, const Cancellation* cancel);
  ~MachineCall();
  MachineCall(const MachineCall&) = delete;
  MachineCall& operator=(const MachineCall&) = delete;

  // States that it holds, by number; those up to the one that is asked about are kept.
  State& operator[](size_t i) { return states_[i]; }
  // Behind state number i and one more byte. Where it is not ok afterwards, that means nothing.
  State Next(size_t i, uint8_t byte) { return NextClass(i, machine_.regexes().class_of(byte)); }
  State NextClass(size_t i, uint32_t byte_class) {
    const State known = machine_.Known(states_[i], byte_class);
    return known != Machine::kUnknown ? known : Make(i, byte_class);
  }
  // As state number i what these bytes say. False: they are none, or it is not ok.
  bool Read(size_t i, std::span<const uint8_t> bytes);
  // Forgets all but what it and others hold.
  void MakeRoom(size_t i);
  // Steps that it took otherwise. What is made is counted by itself.
  void Spend(uint64_t steps) { spent_ += steps; }
  // So many steps behind states that are known, up to state number i. False: it is not ok.
  bool Walked(size_t i, uint64_t steps) {
    spent_ += steps;
    return spent_ < kSlice || Pause(i);
  }

  bool ok() const { return end_ == End::kNone; }
  End end() const { return end_; }
  Machine& machine() { return machine_; }

 private:
  friend class SharedMachine;
  static constexpr uint64_t kSlice =
      1 << 12;  // steps between two turns: some hundredths of a millisecond

  State Make(size_t i, uint32_t byte_class);
  bool Pause(size_t i);
  void Hold(size_t i) { kept_.states = {states_.data(), i + 1}; }
  bool MakeRoomOnceMore(size_t i, int attempt);

  SharedMachine& shared_;
  Machine& machine_;
  const Cancellation* const cancel_;
  Machine::Kept kept_;
  MachineCall* younger_ = nullptr;
  uint64_t spent_ = 0;
  End end_ = End::kNone;
  std::array<State, kMostStates> states_;
};

}  // namespace rondo::grammar
