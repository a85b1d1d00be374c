#include "runtime/grammar/machine.h"

#include <algorithm>

namespace rondo::grammar {
namespace {

constexpr size_t kMostGathered = 4096;  // of one state
constexpr size_t kSeenWords = 1 + Productions::kMostMembers / 64;
constexpr unsigned kWordsShift = 32;

size_t WordsOf(const Productions::Members& members) { return 1 + (members.count + 63) / 64; }

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
      seen_(room, most_states),
      state_index_(room, most_states),
      frame_index_(room, most_states * 2),
      seen_index_(room, most_states),
      gathered_(room, kMostGathered),
      moved_(room, kMostGathered),
      entered_(room, kMostGathered),
      entered_index_(room, kMostGathered),
      rules_(room, kMostGathered),
      behind_(room, kMostGathered),
      marks_(room, most_states * 2) {}

void Machine::Read(Regexes* regexes, const Productions* productions) {
  regexes_ = regexes;
  productions_ = productions;
  Clear();
}

void Machine::Clear() {
  stride_ = regexes_->n_classes();
  Budget enough(1000);
  frames_.Shrink(0);
  frames_.Add({}, enough);
  seen_.Shrink(0);
  for (Index* index : {&frame_index_, &seen_index_, &entered_index_}) index->Clear();
  entered_.Shrink(0);
  ClearStates();
}

// But kDead.
void Machine::ClearStates() {
  states_.Shrink(0);
  next_.Shrink(0);
  items_.Shrink(0);
  state_index_.Clear();
  Budget enough(1000);
  state_index_.FindOrPut(Hash().Add(false).value(), kDead, [](uint32_t) { return false; });
  states_.Add({0, 0, false, Free::kNo}, enough);
  next_.Fill(kDead, stride_, enough);
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

// A frame has a higher number than what is behind it. Transitions are forgotten, so that their
// memory serves.
State Machine::Forget(State kept) {
  const Row row = states_[kept];
  Budget enough(UINT64_MAX);
  gathered_.Shrink(0);
  gathered_.AddAll(items_.Part(row.first_item, row.n_items), enough);
  constexpr uint32_t kUnwanted = UINT32_MAX;
  uint32_t* const numbers = &next_[0];
  std::fill_n(numbers, frames_.size(), kUnwanted);
  numbers[kNothing] = kNothing;
  for (uint32_t i = 0; i < gathered_.size(); ++i) numbers[gathered_[i].frame] = 0;
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
  for (uint32_t i = 0; i < gathered_.size(); ++i) {
    gathered_[i].frame = numbers[gathered_[i].frame];
    moved_.Add(&gathered_[i].what, enough);
  }
  ForgetSeen(n_frames, numbers);
  regexes_->Forget(moved_.Part(0, moved_.size()));
  moved_.Shrink(0);
  accepts_ = row.accepts;
  ClearStates();
  frames_.Shrink(n_frames);
  frame_index_.Clear();
  for (uint32_t i = 1; i < n_frames; ++i) {
    const Frame& frame = frames_[i];
    frame_index_.FindOrPut(HashOf(frame), i, [](uint32_t) { return false; });
  }
  return PutState(enough);
}

// What was seen, but of the first `n_frames` frames. `numbers` has room for as many as all that was
// seen.
void Machine::ForgetSeen(uint32_t n_frames, uint32_t* numbers) {
  const auto sees = [&](const Frame& frame) {
    return frame.production != kList &&
           productions_->node(frame.production).kind == Productions::Kind::kMembers &&
           productions_->members(frame.production).any_order;
  };
  std::fill_n(numbers, seen_.size(), 0);
  for (uint32_t i = 1; i < n_frames; ++i) {
    if (sees(frames_[i])) numbers[frames_[i].at] = 1;
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
  for (uint32_t i = 1; i < n_frames; ++i) {
    if (sees(frames_[i])) frames_[i].at = numbers[frames_[i].at];
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
  for (const Item& item : items_.Part(row.first_item, row.n_items)) {
    if (!regexes_->first(item.what).Has(byte)) continue;
    const Regex next = regexes_->Derive(item.what, byte_class, budget);
    if (!budget.ok()) return kDead;
    if (regexes_->IsNever(next, budget)) continue;
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
  const std::span<const Item> items = gathered_.Part(0, gathered_.size());
  Hash hash;
  hash.Add(accepts_);
  for (const Item& item : items) hash.Add(uint64_t{item.what} << 32 | item.frame);
  const State known = state_index_.Number(hash.value(), [&](uint32_t at) {
    const Row& row = states_[at];
    const std::span<const Item> its = items_.Part(row.first_item, row.n_items);
    return row.accepts == accepts_ &&
           std::equal(its.begin(), its.end(), items.begin(), items.end());
  });
  if (known != Index::kNone) return known;
  const State fresh = states_.size();
  const Row row = {items_.size(), static_cast<uint32_t>(items.size()), accepts_, Free::kUnknown};
  if (!items_.AddAll(items, budget) || !next_.Fill(kUnknown, stride_, budget) ||
      !states_.Add(row, budget)) {
    items_.Shrink(row.first_item);
    next_.Shrink(fresh * stride_);
    return kDead;
  }
  ByteSet first;
  for (const Item& item : items) first = first | regexes_->first(item.what);
  for (uint32_t c = 0; c < stride_; ++c) {
    if (!first.Has(regexes_->byte_of(c))) next_[fresh * stride_ + c] = kDead;
  }
  return state_index_.FindOrPut(hash.value(), fresh, [](uint32_t) { return false; });
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
