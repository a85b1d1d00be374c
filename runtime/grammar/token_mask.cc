#include "runtime/grammar/token_mask.h"

#include <algorithm>
#include <array>

namespace rondo::grammar {
namespace {

void Set(std::span<uint32_t> mask, uint32_t token) { mask[token / 32] |= 1u << token % 32; }

// Nodes below one that was read, up to `end`.
struct Level {
  State state;
  uint32_t end;
};

// The tokens of this part of the trie that can be read.
void Walk(Machine& machine, State state, std::span<const TokenTrie::Node> nodes,
          std::span<uint32_t> mask, Budget& budget) {
  std::array<Level, TokenTrie::kMostBytes + 1> levels;
  size_t level = 0;
  levels[0] = {state, static_cast<uint32_t>(nodes.size())};
  for (uint32_t i = 0; i < nodes.size() && budget.ok();) {
    while (i == levels[level].end) --level;
    const TokenTrie::Node node = nodes[i];
    const State next = machine.Next(levels[level].state, static_cast<uint8_t>(node.byte), budget);
    if (next == Machine::kDead) {
      i += node.size;
      continue;
    }
    if (node.token != TokenTrie::kNoToken) Set(mask, node.token);
    if (node.size > 1) levels[++level] = {next, i + node.size};
    ++i;
  }
}

bool CanRead(Machine& machine, State state, std::span<const uint8_t> text, Budget& budget) {
  for (const uint8_t byte : text) {
    state = machine.Next(state, byte, budget);
    if (state == Machine::kDead) return false;
  }
  return true;
}

// Lead bytes of characters of several bytes, and what may follow the lead; behind it stand any
// continuation bytes.
struct Lead {
  uint8_t low, high, second_low, second_high, more;
};
constexpr Lead kLeads[] = {
    {0xc2, 0xdf, 0x80, 0xbf, 0}, {0xe0, 0xe0, 0xa0, 0xbf, 1}, {0xe1, 0xec, 0x80, 0xbf, 1},
    {0xed, 0xed, 0x80, 0x9f, 1}, {0xee, 0xef, 0x80, 0xbf, 1}, {0xf0, 0xf0, 0x90, 0xbf, 2},
    {0xf1, 0xf3, 0x80, 0xbf, 2}, {0xf4, 0xf4, 0x80, 0x8f, 2},
};

// Classes of bytes, each once.
class Classes {
 public:
  void Add(const Regexes& regexes, unsigned low, unsigned high) {
    for (unsigned byte = low; byte <= high; ++byte) {
      const uint8_t its = regexes.class_of(static_cast<uint8_t>(byte));
      if (has_.Has(its)) continue;
      has_.Add(its);
      list_[n_++] = its;
    }
  }
  std::span<const uint8_t> list() const { return {list_.data(), n_}; }

 private:
  ByteSet has_;
  std::array<uint8_t, 128> list_;  // bytes of ASCII, or from 0x80 on
  size_t n_ = 0;
};

// States, each once; as many as fit.
class Some {
 public:
  bool Add(State state) {
    if (std::find(states_.begin(), states_.begin() + n_, state) != states_.begin() + n_)
      return true;
    if (n_ == static_cast<ptrdiff_t>(states_.size())) return false;
    states_[static_cast<size_t>(n_++)] = state;
    return true;
  }
  size_t size() const { return static_cast<size_t>(n_); }
  State operator[](size_t i) const { return states_[i]; }

 private:
  std::array<State, 96> states_;
  ptrdiff_t n_ = 0;
};

// What plain characters lead to.
class PlainSteps {
 public:
  PlainSteps(Machine& machine, Budget& budget) : machine_(machine), budget_(budget) {
    const Regexes& regexes = machine.regexes();
    ascii_.Add(regexes, 0x20, '"' - 1);
    ascii_.Add(regexes, '"' + 1, '\\' - 1);
    ascii_.Add(regexes, '\\' + 1, 0x7f);
    for (size_t i = 0; i < std::size(kLeads); ++i) {
      first_[i].Add(regexes, kLeads[i].low, kLeads[i].high);
      second_[i].Add(regexes, kLeads[i].second_low, kLeads[i].second_high);
    }
    more_.Add(regexes, 0x80, 0xbf);
  }

  // Adds the states behind each plain character; false where one is dead or there are too many.
  bool Step(State from, Some* to) {
    if (!Step(from, ascii_, to)) return false;
    for (size_t i = 0; i < std::size(kLeads); ++i) {
      Some before, after;
      if (!Step(from, first_[i], &before) || !Step(before, second_[i], &after)) return false;
      for (uint8_t more = 0; more < kLeads[i].more; ++more) {
        before = after;
        after = Some();
        if (!Step(before, more_, &after)) return false;
      }
      for (size_t k = 0; k < after.size(); ++k) {
        if (!to->Add(after[k])) return false;
      }
    }
    return true;
  }

  // As PlainReach.
  uint32_t Reach(State state, uint32_t most) {
    Some all;
    all.Add(state);
    size_t begin = 0;
    for (uint32_t reach = 0; reach < most && budget_.ok(); ++reach) {
      const size_t end = all.size();
      if (begin == end) return kEndless;  // nothing new: it goes round
      if (end - begin > kFew) return reach;
      for (; begin < end; ++begin) {
        if (!Step(all[begin], &all)) return reach;
      }
    }
    return most;
  }
  // Any plain characters, however many, may follow.
  bool IsFree(State state) {
    if (machine_.free(state) == Machine::Free::kUnknown) {
      const bool free = Reach(state, kFew) == kEndless;
      if (!budget_.ok()) return false;
      machine_.set_free(state, free ? Machine::Free::kYes : Machine::Free::kNo);
    }
    return machine_.free(state) == Machine::Free::kYes;
  }

 private:
  static constexpr size_t kFew = 4;  // states, beyond which it is not worthwhile

  bool Step(State from, const Classes& classes, Some* to) {
    for (const uint8_t byte_class : classes.list()) {
      const State next = machine_.NextClass(from, byte_class, budget_);
      if (next == Machine::kDead || !to->Add(next)) return false;
    }
    return true;
  }
  bool Step(const Some& from, const Classes& classes, Some* to) {
    for (size_t i = 0; i < from.size(); ++i) {
      if (!Step(from[i], classes, to)) return false;
    }
    return true;
  }

  Machine& machine_;
  Budget& budget_;
  Classes ascii_, first_[std::size(kLeads)], second_[std::size(kLeads)], more_;
};

}  // namespace

uint32_t PlainReach(Machine& machine, State state, uint32_t most, Budget& budget) {
  PlainSteps steps(machine, budget);
  return steps.Reach(state, most);
}

namespace {

// The plain part of a trie, in which all tokens behind a free state are allowed.
class PlainWalk {
 public:
  PlainWalk(Machine& machine, PlainSteps& steps, State state, const TokenTrie& trie,
            std::span<uint32_t> mask, Budget& budget)
      : machine_(machine),
        steps_(steps),
        state_(state),
        trie_(trie),
        mask_(mask),
        budget_(budget) {}

  // Where more tokens are allowed than not, those that are not are taken out, else the others put
  // in.
  void Walk() {
    const std::span<const TokenTrie::Node> nodes = trie_.plain();
    size_t free = 0, dead = 0;
    for (uint32_t i = 0; i < nodes.size(); i += nodes[i].size) {
      const State next = machine_.Next(state_, static_cast<uint8_t>(nodes[i].byte), budget_);
      if (next == Machine::kDead) dead += nodes[i].size;
      if (next != Machine::kDead && IsWorthAsking(nodes[i], next)) free += nodes[i].size;
    }
    takes_out_ = free > dead;
    if (takes_out_) {
      std::transform(mask_.begin(), mask_.end(), trie_.plain_mask().begin(), mask_.begin(),
                     [](uint32_t a, uint32_t b) { return a | b; });
    }
    Descend(nodes);
  }

 private:
  bool IsWorthAsking(const TokenTrie::Node& node, State state) {
    constexpr uint32_t kManyNodes = 48;
    return node.size >= kManyNodes && steps_.IsFree(state);
  }
  void Put(uint32_t token, bool allowed) {
    if (token == TokenTrie::kNoToken) return;
    const uint32_t bit = 1u << token % 32;
    uint32_t& word = mask_[token / 32];
    word = allowed ? word | bit : word & ~bit;
  }
  void PutAll(std::span<const TokenTrie::Node> nodes, bool allowed) {
    if (allowed == takes_out_) return;  // as they are
    for (const TokenTrie::Node& node : nodes) Put(node.token, allowed);
  }

  void Descend(std::span<const TokenTrie::Node> nodes) {
    std::array<Level, TokenTrie::kMostBytes + 1> levels;
    size_t level = 0;
    levels[0] = {state_, static_cast<uint32_t>(nodes.size())};
    for (uint32_t i = 0; i < nodes.size() && budget_.ok();) {
      while (i == levels[level].end) --level;
      const TokenTrie::Node node = nodes[i];
      const State next =
          machine_.Next(levels[level].state, static_cast<uint8_t>(node.byte), budget_);
      const bool dead = next == Machine::kDead;
      if (dead || IsWorthAsking(node, next)) {
        PutAll(nodes.subspan(i, node.size), !dead);
        i += node.size;
        continue;
      }
      Put(node.token, true);
      if (node.size > 1) levels[++level] = {next, i + node.size};
      ++i;
    }
  }

  Machine& machine_;
  PlainSteps& steps_;
  const State state_;
  const TokenTrie& trie_;
  const std::span<uint32_t> mask_;
  Budget& budget_;
  bool takes_out_ = false;
};

}  // namespace

void FillMask(Machine& machine, State state, const TokenTrie& trie, std::span<uint32_t> mask,
              Budget& budget) {
  constexpr uint32_t kFar = 16;  // characters: few tokens are longer than that
  std::fill(mask.begin(), mask.end(), 0);
  Walk(machine, state, trie.others(), mask, budget);
  PlainSteps steps(machine, budget);
  const uint32_t far = std::min(kFar, trie.most_characters());
  const uint32_t reach = steps.Reach(state, far);
  if (reach < far) {
    PlainWalk(machine, steps, state, trie, mask, budget).Walk();
    return;
  }
  std::transform(mask.begin(), mask.end(), trie.plain_mask().begin(), mask.begin(),
                 [](uint32_t a, uint32_t b) { return a | b; });
  if (reach == kEndless) return;
  for (uint32_t characters = far + 1; characters <= trie.most_characters(); ++characters) {
    for (const uint32_t token : trie.PlainOf(characters)) {
      if (!CanRead(machine, state, trie.vocabulary()[token], budget)) {
        mask[token / 32] &= ~(1u << token % 32);
      }
    }
  }
}

}  // namespace rondo::grammar
