// Machine: reads texts of a grammar byte by byte. A state is everything that the bytes so far leave
// possible: some expressions, one of which must go on, each with what stands behind it. Equal
// states have equal numbers, and are made when they are first needed, so that most bytes are a look
// into a table. A text's whole past is one number: going back is taking an older one.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/grammar/productions.h"
#include "runtime/grammar/regexes.h"
#include "runtime/grammar/room.h"

namespace rondo::grammar {

using State = uint32_t;

class Machine {
 public:
  static constexpr State kDead = 0;  // no text goes on like this

  Machine() = default;
  // Where the grammar has more than `classes`, there are as many fewer states.
  Machine(Room& room, size_t most_states, size_t classes);

  // What it reads; both live as long as this. Once.
  void Read(Regexes* regexes, const Productions* productions);

  // Of `bytes`, which all lists are in proportion to, those that states have room in, where a text
  // may go on in up to so many ways.
  uint64_t BytesToRead(uint64_t bytes, uint64_t alternatives) const;

  // States that somebody needs, in a list of such.
  struct Kept {
    std::span<State> states;
    Kept* next = nullptr;
  };
  // Forgets all states but these, whose numbers are changed where they stand, and all that was made
  // for others. Of `masks` those that are not kept become kDead.
  void Forget(Kept* kept, std::span<State> masks = {});

  // The state as bytes (state_bytes.h): how many; 0 where `bytes` has no room for them.
  size_t Write(State state, std::span<uint8_t> bytes) const;
  // And back. Whatever is no state of this grammar's is not well-formed, or one that no text has.
  State Read(std::span<const uint8_t> bytes, Budget& budget, bool* well_formed);

  // Before the first byte of a text of `production`.
  State Start(Production production, Budget& budget);
  // Behind one more byte.
  State Next(State state, uint8_t byte, Budget& budget) {
    return NextClass(state, regexes_->class_of(byte), budget);
  }
  State NextClass(State state, uint32_t byte_class, Budget& budget) {
    const State known = next_[state * stride_ + byte_class];
    return known != kUnknown ? known : Make(state, byte_class, budget);
  }
  // Behind a byte of the class, where that is known.
  static constexpr State kUnknown = UINT32_MAX;
  State Known(State state, uint32_t byte_class) const {
    return next_[state * stride_ + byte_class];
  }
  // The text may end here.
  bool accepts(State state) const { return states_[state].accepts; }

  // What was told of a state last, of what follows from it alone; kUnknown before.
  enum class Free : uint8_t { kUnknown, kNo, kYes };
  Free free(State state) const { return states_[state].free; }
  void set_free(State state, Free free) { states_[state].free = free; }

  uint32_t n_classes() const { return stride_; }
  const Regexes& regexes() const { return *regexes_; }

 private:
  static constexpr size_t kSeenWords = 1 + Productions::kMostMembers / 64;
  static constexpr unsigned kWordsShift = 32;
  static constexpr uint32_t kNothing = 0;  // the frame behind which a text ends

  // What stands behind a part of `production`: the parts from `at` on; of a repeat, more of those
  // of which there were `at`; of members, those that `at` leaves: the next one and, from bit 16 on,
  // how many there were, or the number of a set in seen_.
  //
  // A rule that several frames stand behind is entered once, behind all of them: so the ways to
  // read a text do not multiply where rules are nested. They are a list, whose elements have no
  // production: `at` is one, `behind` the others, or the last; numbers fall.
  struct Frame {
    Production production;
    uint32_t at;
    uint32_t behind;  // what stands behind it
  };
  static constexpr Production kList = Productions::kNone;
  struct Item {
    uint32_t what;   // a Regex; in entered_ a Production, or kList where the frame is resumed; in
                     // rules_ a rule's order
    uint32_t frame;  // in rules_ which of entered_
    bool operator==(const Item&) const = default;
    bool operator<(const Item& other) const {
      return what != other.what ? what < other.what : frame < other.frame;
    }
  };
  struct Row {
    uint32_t first_item;
    uint32_t n_items;
    bool accepts;
    Free free = Free::kUnknown;
  };

  State Make(State state, uint32_t byte_class, Budget& budget);
  // Of what was gathered.
  State PutState(Budget& budget);
  uint32_t PutFrame(const Frame& frame, Budget& budget);
  // Gathers what may come first in the production, with `frame` behind it; and in the frame.
  void Enter(Production production, uint32_t frame, Budget& budget);
  void Resume(uint32_t frame, Budget& budget);
  void Clear();
  static uint64_t HashOf(const Item& item);
  static uint64_t HashOf(const Frame& frame);
  static uint64_t HashOf(std::span<const uint64_t> words);
  uint64_t HashOf(const Row& row) const;
  static size_t WordsOf(const Productions::Members& members) {
    return 1 + (members.count + 63) / 64;
  }
  bool Sees(const Frame& frame) const;
  uint32_t ReadAt(const Frame& frame, StateReader* in, Budget& budget);
  bool MayBeFrame(Production production) const;
  uint32_t KeepStates(uint32_t* numbers);
  uint32_t KeepFrames(uint32_t* numbers);
  void KeepSeen(uint32_t* numbers);
  void FillNext(State state);
  void EnterMembers(const Frame& frame, bool* may_end, Budget& budget);
  void EnterMembersInAnyOrder(const Frame& frame, bool* may_end, Budget& budget);
  uint32_t PutSeen(std::span<const uint64_t> words, Budget& budget);
  void EnterAll(Budget& budget);
  void EnterOne(uint32_t entered, Budget& budget);
  // The rules that were entered last in their order, with all that stands behind them.
  void EnterRule(Budget& budget);

  Regexes* regexes_ = nullptr;
  const Productions* productions_ = nullptr;
  List<Row> states_;
  List<State> next_;  // [state][class]
  uint32_t stride_ = 0;
  List<Item> items_;  // of all states, each one's in order
  List<Frame> frames_;
  // Members that were written, some sets: how many members in the lower half of the first word and
  // how many words in the upper; behind it a bit for each.
  List<uint64_t> seen_;
  Index state_index_, frame_index_, seen_index_;
  // Of the state that is being made: its expressions; the productions that it enters, each once;
  // rules among these that wait until what begins with them was entered, as a heap; and what stands
  // behind one.
  List<Item> gathered_;
  List<Item> entered_;
  Index entered_index_;
  List<Item> rules_;
  List<uint32_t> behind_;
  List<uint32_t> marks_;  // of frames: those with mark_ were looked at
  uint32_t mark_ = 0;
  bool accepts_ = false;
};

}  // namespace rondo::grammar
