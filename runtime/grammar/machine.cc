#include "runtime/grammar/machine.h"

#include <algorithm>

namespace rondo::grammar {
namespace {

// Of one state.
size_t MostGathered(size_t most_states) { return std::max<size_t>(4096, most_states / 2); }

// More members than that are as many.
uint32_t MostCounted(const Productions::Members& members) {
  return members.max != Regexes::kNoLimit ? members.max : std::max(members.min, 1u);
}

// Members that are not written yet.
struct MembersLeft {
  uint32_t required = 0;
  uint32_t usable = 0;  // but for the one that may come again
  bool again = false;   // and that one

  void Count(const Productions& productions, const Productions::Members& members, uint32_t i,
             bool out) {
    const Productions::Member& member = productions.member(members, i);
    const bool may = productions.node(member.later).productive;
    const bool repeats = members.more && i + 1 == members.count;
    if (repeats) again = may;
    required = out ? required - member.required : required + member.required;
    if (may && !repeats) usable = out ? usable - 1 : usable + 1;
  }
  // Behind so many that are written the text can still end.
  bool Suffice(const Productions::Members& members, uint64_t written) const {
    return written <= members.max && required <= members.max - written &&
           (again || written + usable >= members.min);
  }
};

}  // namespace

Machine::Machine(Room& room, size_t most_states, size_t classes)
    : states_(room, most_states),
      next_(room, most_states * classes),
      items_(room, most_states * 4),
      frames_(room, most_states * 2),
      seen_(room, most_states * 6),
      state_index_(room, most_states),
      frame_index_(room, most_states * 2),
      seen_index_(room, most_states),
      gathered_(room, MostGathered(most_states)),
      entered_(room, MostGathered(most_states)),
      entered_index_(room, MostGathered(most_states)),
      rules_(room, MostGathered(most_states)),
      behind_(room, MostGathered(most_states)),
      marks_(room, most_states * 2) {}

// Some states stand one behind the other in a token's bytes, each of about as many expressions and
// frames; and of members in any order there are the sets before and behind one more.
uint64_t Machine::BytesToRead(uint64_t bytes, uint64_t alternatives) const {
  uint64_t words = 0;
  for (Production i = 0; i < productions_->size(); ++i) {
    if (productions_->node(i).kind != Productions::Kind::kMembers) continue;
    const Productions::Members& members = productions_->members(i);
    if (members.any_order) words = std::max<uint64_t>(words, members.count * WordsOf(members));
  }
  const auto needed = [&](uint64_t used, uint64_t capacity) {
    return static_cast<uint64_t>(static_cast<double>(bytes) * static_cast<double>(used) /
                                 static_cast<double>(capacity));
  };
  return std::max({needed(4 * alternatives, items_.capacity()),
                   needed(4 * alternatives, frames_.capacity()),
                   needed(2 * words, seen_.capacity())});
}

void Machine::Read(Regexes* regexes, const Productions* productions) {
  regexes_ = regexes;
  productions_ = productions;
  Clear();
}

void Machine::Clear() {
  stride_ = regexes_->n_classes();
  Budget enough(1000);
  for (Index* index : {&state_index_, &frame_index_, &seen_index_, &entered_index_}) index->Clear();
  frames_.Shrink(0);
  frames_.Add({}, enough);
  seen_.Shrink(0);
  entered_.Shrink(0);
  items_.Shrink(0);
  states_.Shrink(0);
  next_.Shrink(0);
  states_.Add({0, 0, false, Free::kNo}, enough);  // kDead
  next_.Fill(kDead, stride_, enough);
  state_index_.FindOrPut(HashOf(states_[kDead]), kDead, [](uint32_t) { return false; });
}

uint64_t Machine::HashOf(std::span<const uint64_t> words) {
  Hash hash;
  for (const uint64_t word : words) hash.Add(word);
  return hash.value();
}

uint64_t Machine::HashOf(const Item& item) { return Hash().Add(item.what).Add(item.frame).value(); }

uint64_t Machine::HashOf(const Frame& frame) {
  return Hash().Add(frame.production).Add(frame.at).Add(frame.behind).value();
}

uint64_t Machine::HashOf(const Row& row) const {
  Hash hash;
  hash.Add(row.accepts);
  for (const Item& item : items_.Part(row.first_item, row.n_items)) {
    hash.Add(uint64_t{item.what} << 32 | item.frame);
  }
  return hash.value();
}

namespace {
constexpr uint32_t kUnwanted = UINT32_MAX;
}  // namespace

// Transitions are forgotten, too: their memory serves for numbers, of which there are fewer. What
// is kept stays in its order, so that lists stay sorted.
void Machine::Forget(Kept* kept, std::span<State> masks) {
  const uint32_t n_before = states_.size();
  uint32_t* const numbers = &next_[0];
  std::fill_n(numbers, n_before, kUnwanted);
  numbers[kDead] = kDead;
  for (Kept* some = kept; some != nullptr; some = some->next) {
    for (const State state : some->states) numbers[state] = kDead;
  }
  const uint32_t n_states = KeepStates(numbers);
  for (Kept* some = kept; some != nullptr; some = some->next) {
    for (State& state : some->states) state = numbers[state];
  }
  for (State& mask : masks) mask = numbers[mask] == kUnwanted ? kDead : numbers[mask];
  uint32_t* const frame_numbers = numbers + n_before;
  const uint32_t n_frames = KeepFrames(frame_numbers);
  regexes_->BeginForget();
  for (uint32_t i = 0; i < items_.size(); ++i) regexes_->Want(items_[i].what);
  regexes_->Forget();
  for (uint32_t i = 0; i < items_.size(); ++i) {
    items_[i] = {regexes_->Now(items_[i].what), frame_numbers[items_[i].frame]};
  }
  frames_.Shrink(n_frames);
  KeepSeen(numbers);
  frame_index_.Clear();
  for (uint32_t i = 1; i < n_frames; ++i) {
    frame_index_.FindOrPut(HashOf(frames_[i]), i, [](uint32_t) { return false; });
  }
  state_index_.Clear();
  next_.Shrink(0);
  Budget enough(1);
  next_.Fill(kUnknown, size_t{n_states} * stride_, enough);
  for (State state = 0; state < n_states; ++state) {
    state_index_.FindOrPut(HashOf(states_[state]), state, [](uint32_t) { return false; });
    FillNext(state);
  }
}

// Those that are not unwanted get their numbers, and their items are the only ones. How many there
// are.
uint32_t Machine::KeepStates(uint32_t* numbers) {
  uint32_t n_states = 0, n_items = 0;
  for (State state = 0; state < states_.size(); ++state) {
    if (numbers[state] == kUnwanted) continue;
    Row row = states_[state];
    std::copy_n(&items_[0] + row.first_item, row.n_items, &items_[0] + n_items);
    row.first_item = n_items;
    n_items += row.n_items;
    numbers[state] = n_states;
    states_[n_states++] = row;
  }
  states_.Shrink(n_states);
  items_.Shrink(n_items);
  return n_states;
}

// Those that items are about, and what is behind them. A frame has a higher number than these.
uint32_t Machine::KeepFrames(uint32_t* numbers) {
  std::fill_n(numbers, frames_.size(), kUnwanted);
  numbers[kNothing] = kNothing;
  for (uint32_t i = 0; i < items_.size(); ++i) numbers[items_[i].frame] = 0;
  for (uint32_t i = frames_.size(); i > 1; --i) {
    if (numbers[i - 1] == kUnwanted) continue;
    numbers[frames_[i - 1].behind] = 0;
    if (frames_[i - 1].production == kList) numbers[frames_[i - 1].at] = 0;
  }
  uint32_t n_frames = 1;
  for (uint32_t i = 1; i < frames_.size(); ++i) {
    if (numbers[i] == kUnwanted) continue;
    Frame frame = frames_[i];
    frame.behind = numbers[frame.behind];
    if (frame.production == kList) frame.at = numbers[frame.at];
    numbers[i] = n_frames;
    frames_[n_frames++] = frame;
  }
  return n_frames;
}

// Its `at` is a number in seen_.
bool Machine::Sees(const Frame& frame) const {
  return frame.production != kList &&
         productions_->node(frame.production).kind == Productions::Kind::kMembers &&
         productions_->members(frame.production).any_order;
}

// Those of the frames that are left.
void Machine::KeepSeen(uint32_t* numbers) {
  std::fill_n(numbers, seen_.size(), 0);
  for (uint32_t i = 1; i < frames_.size(); ++i) {
    if (Sees(frames_[i])) numbers[frames_[i].at] = 1;
  }
  uint32_t n = 0;
  seen_index_.Clear();
  for (uint32_t at = 0; at < seen_.size();) {
    const auto words = static_cast<uint32_t>(seen_[at] >> kWordsShift);
    const uint32_t next = at + words;
    if (numbers[at] != 0) {
      std::copy_n(&seen_[at], words, &seen_[n]);
      numbers[at] = n;
      seen_index_.FindOrPut(HashOf(seen_.Part(n, words)), n, [](uint32_t) { return false; });
      n += words;
    }
    at = next;
  }
  seen_.Shrink(n);
  for (uint32_t i = 1; i < frames_.size(); ++i) {
    if (Sees(frames_[i])) frames_[i].at = numbers[frames_[i].at];
  }
}

State Machine::Start(Production production, Budget& budget) {
  gathered_.Shrink(0);
  accepts_ = false;
  Enter(production, kNothing, budget);
  EnterAll(budget);
  return PutState(budget);
}

State Machine::Make(State state, uint32_t byte_class, Budget& budget) {
  gathered_.Shrink(0);
  accepts_ = false;
  const Row row = states_[state];
  const uint8_t byte = regexes_->byte_of(byte_class);
  for (uint32_t i = row.first_item; i < row.first_item + row.n_items && budget.ok(); ++i) {
    const Item item = items_[i];
    if (!regexes_->first(item.what).Has(byte)) continue;
    const Regex next = regexes_->Derive(item.what, byte_class, budget);
    if (!budget.ok() || regexes_->IsNever(next, budget)) continue;
    if (next != Regexes::kEmpty) gathered_.Add({next, item.frame}, budget);
    if (regexes_->nullable(next)) Resume(item.frame, budget);
  }
  EnterAll(budget);
  const State made = PutState(budget);
  if (budget.ok()) next_[state * stride_ + byte_class] = made;
  return made;
}

State Machine::PutState(Budget& budget) {
  if (gathered_.size() > 0) {
    Item* const first = &gathered_[0];
    std::sort(first, first + gathered_.size());
    gathered_.Shrink(static_cast<uint32_t>(std::unique(first, first + gathered_.size()) - first));
  }
  if (!budget.Spend(1 + gathered_.size())) return kDead;
  const Row row = {items_.size(), gathered_.size(), accepts_, Free::kUnknown};
  if (!items_.AddAll(gathered_.Part(0, gathered_.size()), budget)) return kDead;
  const std::span<const Item> items = items_.Part(row.first_item, row.n_items);
  const uint64_t hash = HashOf(row);
  const State known = state_index_.Number(hash, [&](uint32_t at) {
    const Row& other = states_[at];
    const std::span<const Item> its = items_.Part(other.first_item, other.n_items);
    return other.accepts == accepts_ &&
           std::equal(its.begin(), its.end(), items.begin(), items.end());
  });
  const State fresh = states_.size();
  if (known != Index::kNone || !next_.Fill(kUnknown, stride_, budget) ||
      !states_.Add(row, budget)) {
    items_.Shrink(row.first_item);
    next_.Shrink(fresh * stride_);
    return known != Index::kNone ? known : kDead;
  }
  FillNext(fresh);
  return state_index_.FindOrPut(hash, fresh, [](uint32_t) { return false; });
}

// What none of a state's expressions may begin with leads nowhere.
void Machine::FillNext(State state) {
  const Row& row = states_[state];
  ByteSet first;
  for (const Item& item : items_.Part(row.first_item, row.n_items)) {
    first = first | regexes_->first(item.what);
  }
  for (uint32_t c = 0; c < stride_; ++c) {
    if (!first.Has(regexes_->byte_of(c))) next_[state * stride_ + c] = kDead;
  }
}

uint32_t Machine::PutFrame(const Frame& frame, Budget& budget) {
  const uint64_t hash = HashOf(frame);
  const uint32_t known = frame_index_.Number(hash, [&](uint32_t at) {
    const Frame& other = frames_[at];
    return other.production == frame.production && other.at == frame.at &&
           other.behind == frame.behind;
  });
  if (known != Index::kNone) return known;
  const uint32_t fresh = frames_.size();
  if (!frames_.Add(frame, budget)) return kNothing;
  return frame_index_.FindOrPut(hash, fresh, [](uint32_t) { return false; });
}

void Machine::Enter(Production production, uint32_t frame, Budget& budget) {
  const bool possible = production == kList || productions_->node(production).productive;
  if (!possible || !budget.Spend()) return;
  const Item item = {production, frame};
  const uint64_t hash = HashOf(item);
  if (entered_index_.Number(hash, [&](uint32_t at) { return entered_[at] == item; }) !=
      Index::kNone) {
    return;
  }
  const uint32_t fresh = entered_.size();
  if (!entered_.Add(item, budget)) return;
  entered_index_.FindOrPut(hash, fresh, [](uint32_t) { return false; });
}

void Machine::EnterAll(Budget& budget) {
  for (uint32_t i = 0; budget.ok() && (i < entered_.size() || rules_.size() > 0);) {
    if (i < entered_.size()) {
      EnterOne(i++, budget);
    } else {
      EnterRule(budget);
    }
  }
  // The last one first: what it was put behind is there still.
  for (uint32_t i = entered_.size(); i > 0; --i) {
    entered_index_.Erase(HashOf(entered_[i - 1]), i - 1);
  }
  entered_.Shrink(0);
  rules_.Shrink(0);
}

void Machine::EnterOne(uint32_t entered, Budget& budget) {
  const Item item = entered_[entered];
  if (item.what == kList) {
    Resume(item.frame, budget);
    return;
  }
  const Productions::Node& node = productions_->node(item.what);
  switch (node.kind) {
    case Productions::Kind::kTerminal:
      gathered_.Add({node.a, item.frame}, budget);
      if (regexes_->nullable(node.a)) Resume(item.frame, budget);
      break;
    case Productions::Kind::kSequence:
    case Productions::Kind::kRepeat:
      Resume(PutFrame({item.what, 0, item.frame}, budget), budget);
      break;
    case Productions::Kind::kMembers: {
      const Productions::Members& members = productions_->members(item.what);
      uint32_t none = 0;
      if (members.any_order) {
        const uint64_t words[kSeenWords] = {uint64_t{WordsOf(members)} << kWordsShift};
        none = PutSeen({words, WordsOf(members)}, budget);
      }
      Resume(PutFrame({item.what, none, item.frame}, budget), budget);
      break;
    }
    case Productions::Kind::kChoice:
      for (const Production part : productions_->parts(item.what)) Enter(part, item.frame, budget);
      break;
    case Productions::Kind::kRule: {
      // What follows an empty text of it is entered now, so that no rule is met again once it has
      // been entered itself.
      if (node.nullable) Resume(item.frame, budget);
      if (!rules_.Add({node.b, entered}, budget)) break;
      Item* const first = &rules_[0];
      std::push_heap(first, first + rules_.size());
      break;
    }
  }
}

// Lists have ends in common: what was marked needs no second look.
void Machine::EnterRule(Budget& budget) {
  const Item rule = rules_[0];
  behind_.Shrink(0);
  if (++mark_ == 0) {  // it has gone round
    marks_.Shrink(0);
    mark_ = 1;
  }
  while (marks_.size() < frames_.size()) marks_.Add(0, budget);
  const auto is_new = [&](uint32_t frame) {
    const bool is = marks_[frame] != mark_;
    marks_[frame] = mark_;
    return is && budget.Spend();
  };
  while (rules_.size() > 0 && rules_[0].what == rule.what) {
    uint32_t frame = entered_[rules_[0].frame].frame;
    for (; frames_[frame].production == kList && is_new(frame); frame = frames_[frame].behind) {
      if (is_new(frames_[frame].at)) behind_.Add(frames_[frame].at, budget);
    }
    if (frames_[frame].production != kList && is_new(frame)) behind_.Add(frame, budget);
    Item* const first = &rules_[0];
    std::pop_heap(first, first + rules_.size());
    rules_.Shrink(rules_.size() - 1);
  }
  if (!budget.ok()) return;
  uint32_t* const first = &behind_[0];
  std::sort(first, first + behind_.size());
  uint32_t all = *first;
  for (uint32_t i = 1; i < behind_.size() && budget.Spend(); ++i) {
    all = PutFrame({kList, behind_[i], all}, budget);
  }
  Enter(productions_->node(entered_[rule.frame].what).a, all, budget);
}

uint32_t Machine::PutSeen(std::span<const uint64_t> words, Budget& budget) {
  const uint64_t hash = HashOf(words);
  const uint32_t known = seen_index_.Number(hash, [&](uint32_t at) {
    return seen_[at] == words[0] && std::equal(words.begin(), words.end(), &seen_[at]);
  });
  if (known != Index::kNone) return known;
  const uint32_t fresh = seen_.size();
  if (!seen_.AddAll(words, budget)) return 0;
  return seen_index_.FindOrPut(hash, fresh, [](uint32_t) { return false; });
}

// How many were written counts up to the most that matters.
void Machine::EnterMembers(const Frame& frame, bool* may_end, Budget& budget) {
  const Productions::Members& members = productions_->members(frame.production);
  const uint32_t next = frame.at & 0xffff, written = frame.at >> 16;
  const uint32_t now = std::min(written + 1, MostCounted(members));
  *may_end = written >= members.min;
  MembersLeft left;
  for (uint32_t i = next; i < members.count; ++i) left.Count(*productions_, members, i, false);
  for (uint32_t i = next; i < members.count; ++i) {
    const Productions::Member& member = productions_->member(members, i);
    const bool again = members.more && i + 1 == members.count;
    left.Count(*productions_, members, i, true);
    if (written < members.max && left.Suffice(members, written + 1)) {
      const uint32_t at = now << 16 | (again ? i : i + 1);
      const uint32_t behind = PutFrame({frame.production, at, frame.behind}, budget);
      Enter(written == 0 ? member.first : member.later, behind, budget);
    }
    if (member.required) {
      *may_end = false;
      return;
    }
  }
}

void Machine::EnterMembersInAnyOrder(const Frame& frame, bool* may_end, Budget& budget) {
  const Productions::Members& members = productions_->members(frame.production);
  const size_t n = WordsOf(members);
  uint64_t seen[kSeenWords];
  std::copy_n(&seen_[frame.at], n, seen);
  const uint64_t words = seen[0];
  const uint64_t written = words & ((uint64_t{1} << kWordsShift) - 1);
  *may_end = written >= members.min;
  MembersLeft left;
  for (uint32_t i = 0; i < members.count; ++i) {
    if ((seen[1 + i / 64] >> i % 64 & 1) == 0) left.Count(*productions_, members, i, false);
  }
  for (uint32_t i = 0; i < members.count; ++i) {
    uint64_t& word = seen[1 + i / 64];
    const uint64_t bit = uint64_t{1} << i % 64;
    if ((word & bit) != 0) continue;
    const Productions::Member& member = productions_->member(members, i);
    *may_end = *may_end && !member.required;
    MembersLeft rest = left;
    rest.Count(*productions_, members, i, true);
    if (written >= members.max || !rest.Suffice(members, written + 1)) continue;
    const bool again = members.more && i + 1 == members.count;
    if (written < MostCounted(members)) ++seen[0];
    if (!again) word |= bit;
    const uint32_t at = PutSeen({seen, n}, budget);
    seen[0] = words;
    word &= ~bit;
    const uint32_t behind = PutFrame({frame.production, at, frame.behind}, budget);
    Enter(written == 0 ? member.first : member.later, behind, budget);
  }
}

// A part that is the last of its frame has what is behind the frame behind it: so a rule that ends
// with itself makes no deeper frames.
void Machine::Resume(uint32_t frame, Budget& budget) {
  while (budget.Spend()) {
    if (frame == kNothing) {
      accepts_ = true;
      return;
    }
    const Frame now = frames_[frame];
    if (now.production == kList) {
      Enter(kList, now.at, budget);
      frame = now.behind;
      continue;
    }
    const Productions::Node& node = productions_->node(now.production);
    if (node.kind == Productions::Kind::kSequence) {
      if (now.at < node.b) {
        const bool last = now.at + 1 == node.b;
        const uint32_t behind =
            last ? now.behind : PutFrame({now.production, now.at + 1, now.behind}, budget);
        Enter(productions_->parts(now.production)[now.at], behind, budget);
        return;
      }
    } else if (node.kind == Productions::Kind::kMembers) {
      bool may_end = true;
      if (productions_->members(now.production).any_order) {
        EnterMembersInAnyOrder(now, &may_end, budget);
      } else {
        EnterMembers(now, &may_end, budget);
      }
      if (!may_end) return;
    } else {
      const bool endless = node.c == Regexes::kNoLimit;
      if (endless || now.at < node.c) {
        const uint32_t at = endless ? std::min(now.at + 1, node.b) : now.at + 1;
        const bool last = !endless && at == node.c;
        const uint32_t behind =
            last ? now.behind : PutFrame({now.production, at, now.behind}, budget);
        Enter(node.a, behind, budget);
      }
      if (now.at < node.b) return;
    }
    frame = now.behind;
  }
}

}  // namespace rondo::grammar
