#include "runtime/grammar/token_mask.h"

#include <algorithm>
#include <array>

namespace rondo::grammar {
namespace {

void Set(std::span<uint32_t> mask, uint32_t token) { mask[token / 32] |= 1u << token % 32; }

// Where the nodes below those end that were read, of which the call holds the states.
using Levels = std::array<uint32_t, TokenTrie::kMostBytes + 1>;

constexpr uint32_t kWalked = 2048;  // nodes after which a walk tells of them

// The tokens of this part of the trie that can be read.
void Walk(MachineCall& call, std::span<const TokenTrie::Node> nodes, std::span<uint32_t> mask) {
  Levels ends;
  size_t level = 0;
  ends[0] = static_cast<uint32_t>(nodes.size());
  for (uint32_t i = 0, walked = 0; i < nodes.size() && call.ok();) {
    while (i == ends[level]) --level;
    if (++walked % kWalked == 0 && !call.Walked(level, kWalked)) return;
    const TokenTrie::Node node = nodes[i];
    const State next = call.Next(level, static_cast<uint8_t>(node.byte));
    if (next == Machine::kDead) {
      i += node.size;
      continue;
    }
    if (node.token != TokenTrie::kNoToken) Set(mask, node.token);
    if (node.size > 1) {
      call[++level] = next;
      ends[level] = i + node.size;
    }
    ++i;
  }
}

bool CanRead(MachineCall& call, std::span<const uint8_t> text) {
  size_t level = 0;
  for (const uint8_t byte : text) {
    call[1] = call.Next(level, byte);
    if (call[1] == Machine::kDead) return false;
    level = 1;
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

// What plain characters lead to. Its answers only save steps: where memory is short they are no.
class PlainSteps {
 public:
  explicit PlainSteps(MachineCall& call) : call_(call), machine_(call.machine()) {
    const Regexes& regexes = machine_.regexes();
    ascii_.Add(regexes, 0x20, '"' - 1);
    ascii_.Add(regexes, '"' + 1, '\\' - 1);
    ascii_.Add(regexes, '\\' + 1, 0x7f);
    for (size_t i = 0; i < std::size(kLeads); ++i) {
      first_[i].Add(regexes, kLeads[i].low, kLeads[i].high);
      second_[i].Add(regexes, kLeads[i].second_low, kLeads[i].second_high);
    }
    more_.Add(regexes, 0x80, 0xbf);
  }

  // As PlainReach, of state number i.
  uint32_t Reach(size_t i, uint32_t most) {
    for (const bool again : {false, true}) {
      if (gave_up_) break;
      Budget budget(MachineCall::kSteps);
      const uint32_t reach = ReachWithin(call_[i], most, budget);
      call_.Spend(MachineCall::kSteps - budget.left());
      if (budget.ok()) return reach;
      if (again || budget.end() != Budget::End::kMemory) break;
      call_.MakeRoom(i);
    }
    gave_up_ = true;
    return kUnknown;
  }
  // Any plain characters, however many, may follow.
  bool IsFree(size_t i) {
    if (machine_.free(call_[i]) == Machine::Free::kUnknown) {
      const uint32_t reach = Reach(i, kFew);
      const Machine::Free free = reach == kEndless ? Machine::Free::kYes : Machine::Free::kNo;
      if (reach != kUnknown) machine_.set_free(call_[i], free);
    }
    return machine_.free(call_[i]) == Machine::Free::kYes;
  }

  static constexpr uint32_t kUnknown = kEndless - 1;

 private:
  static constexpr size_t kFew = 4;  // states, beyond which it is not worthwhile

  uint32_t ReachWithin(State state, uint32_t most, Budget& budget) {
    Some all;
    all.Add(state);
    size_t begin = 0;
    for (uint32_t reach = 0; reach < most && budget.ok(); ++reach) {
      const size_t end = all.size();
      if (begin == end) return kEndless;  // nothing new: it goes round
      if (end - begin > kFew) return reach;
      for (; begin < end; ++begin) {
        if (!Step(all[begin], &all, budget)) return reach;
      }
    }
    return most;
  }
  // Adds the states behind each plain character; false where one is dead or there are too many.
  bool Step(State from, Some* to, Budget& budget) {
    if (!Step(from, ascii_, to, budget)) return false;
    for (size_t i = 0; i < std::size(kLeads); ++i) {
      Some before, after;
      if (!Step(from, first_[i], &before, budget) || !Step(before, second_[i], &after, budget)) {
        return false;
      }
      for (uint8_t more = 0; more < kLeads[i].more; ++more) {
        before = after;
        after = Some();
        if (!Step(before, more_, &after, budget)) return false;
      }
      for (size_t k = 0; k < after.size(); ++k) {
        if (!to->Add(after[k])) return false;
      }
    }
    return true;
  }
  bool Step(State from, const Classes& classes, Some* to, Budget& budget) {
    for (const uint8_t byte_class : classes.list()) {
      const State next = machine_.NextClass(from, byte_class, budget);
      if (next == Machine::kDead || !to->Add(next)) return false;
    }
    return true;
  }
  bool Step(const Some& from, const Classes& classes, Some* to, Budget& budget) {
    for (size_t i = 0; i < from.size(); ++i) {
      if (!Step(from[i], classes, to, budget)) return false;
    }
    return true;
  }

  MachineCall& call_;
  Machine& machine_;
  bool gave_up_ = false;
  Classes ascii_, first_[std::size(kLeads)], second_[std::size(kLeads)], more_;
};

}  // namespace

uint32_t PlainReach(MachineCall& call, uint32_t most) { return PlainSteps(call).Reach(0, most); }

namespace {

// The plain part of a trie, in which all tokens behind a free state are allowed.
class PlainWalk {
 public:
  PlainWalk(MachineCall& call, PlainSteps& steps, const TokenTrie& trie, std::span<uint32_t> mask)
      : call_(call), steps_(steps), trie_(trie), mask_(mask) {}

  // Where more tokens are allowed than not, those that are not are taken out, else the others put
  // in.
  void Walk() {
    const std::span<const TokenTrie::Node> nodes = trie_.plain();
    size_t free = 0, dead = 0;
    for (uint32_t i = 0; i < nodes.size() && call_.ok(); i += nodes[i].size) {
      call_[1] = call_.Next(0, static_cast<uint8_t>(nodes[i].byte));
      if (call_[1] == Machine::kDead) {
        dead += nodes[i].size;
      } else if (IsWorthAsking(nodes[i], 1)) {
        free += nodes[i].size;
      }
    }
    takes_out_ = free > dead;
    if (takes_out_) {
      std::transform(mask_.begin(), mask_.end(), trie_.plain_mask().begin(), mask_.begin(),
                     [](uint32_t a, uint32_t b) { return a | b; });
    }
    Descend(nodes);
  }

 private:
  bool IsWorthAsking(const TokenTrie::Node& node, size_t i) {
    constexpr uint32_t kManyNodes = 48;
    return node.size >= kManyNodes && steps_.IsFree(i);
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
    Levels ends;
    size_t level = 0;
    ends[0] = static_cast<uint32_t>(nodes.size());
    for (uint32_t i = 0, walked = 0; i < nodes.size() && call_.ok();) {
      while (i == ends[level]) --level;
      if (++walked % kWalked == 0 && !call_.Walked(level, kWalked)) return;
      const TokenTrie::Node node = nodes[i];
      const State next = call_.Next(level, static_cast<uint8_t>(node.byte));
      call_[level + 1] = next;
      const bool dead = next == Machine::kDead;
      if (dead || IsWorthAsking(node, level + 1)) {
        PutAll(nodes.subspan(i, node.size), !dead);
        i += node.size;
        continue;
      }
      Put(node.token, true);
      if (node.size > 1) ends[++level] = i + node.size;
      ++i;
    }
  }

  MachineCall& call_;
  PlainSteps& steps_;
  const TokenTrie& trie_;
  const std::span<uint32_t> mask_;
  bool takes_out_ = false;
};

}  // namespace

void FillMask(MachineCall& call, const TokenTrie& trie, std::span<uint32_t> mask) {
  constexpr uint32_t kFar = 16;  // characters: few tokens are longer than that
  std::fill(mask.begin(), mask.end(), 0);
  Walk(call, trie.others(), mask);
  PlainSteps steps(call);
  const uint32_t far = std::min(kFar, trie.most_characters());
  const uint32_t reach = steps.Reach(0, far);
  if (reach < far || reach == PlainSteps::kUnknown) {
    PlainWalk(call, steps, trie, mask).Walk();
    return;
  }
  std::transform(mask.begin(), mask.end(), trie.plain_mask().begin(), mask.begin(),
                 [](uint32_t a, uint32_t b) { return a | b; });
  if (reach == kEndless) return;
  for (uint32_t characters = far + 1; characters <= trie.most_characters(); ++characters) {
    for (const uint32_t token : trie.PlainOf(characters)) {
      if (!call.ok() || !call.Walked(0, trie.vocabulary()[token].size())) return;
      if (!CanRead(call, trie.vocabulary()[token])) mask[token / 32] &= ~(1u << token % 32);
    }
  }
}

}  // namespace rondo::grammar
