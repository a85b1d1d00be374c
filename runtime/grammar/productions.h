// Productions: what a grammar says, as a tree whose leaves are regular expressions and rules by
// name.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/grammar/regexes.h"
#include "runtime/grammar/room.h"

namespace rondo::grammar {

using Production = uint32_t;

// Equal productions have equal numbers, but for rules: these are told apart by when they were
// named.
class Productions {
 public:
  enum class Kind : uint8_t { kTerminal, kSequence, kChoice, kRepeat, kRule, kMembers };
  // One of the members of an object: as the first one that is written, and behind another.
  struct Member {
    Production first;
    Production later;
    bool required;
  };
  // Members, each at most once, but for the last where `more`: that may come any number of times.
  struct Members {
    uint32_t first;  // of members()
    uint32_t count;
    uint32_t min, max;  // how many are written
    bool more;
    bool any_order;  // else as they stand here, and what comes more than once behind them
  };
  struct Node {
    Kind kind;
    bool nullable = false;    // by Close
    bool productive = false;  // it has a text; by Close
    uint32_t a = 0;  // kTerminal: a Regex; kSequence, kChoice: first of parts; kRepeat: a part;
                     // kRule: what it stands for, kNone before Define; kMembers: which
    uint32_t b = 0;  // kSequence, kChoice: how many; kRepeat: min; kRule: its order, by Close:
                     // those that it may begin with have lower ones
    uint32_t c = 0;  // kRepeat: max
  };
  static constexpr uint32_t kMostMembers = 1024;
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr Production kNever = 0;  // no text
  static constexpr Production kEmpty = 1;  // the empty text

  Productions() = default;
  Productions(Room& room, size_t most);

  Production Terminal(Regex regex, Budget& budget);
  Production Sequence(std::span<const Production> parts, Budget& budget);
  Production Choice(std::span<const Production> parts, Budget& budget);
  Production Repeat(Production part, uint32_t min, uint32_t max, Budget& budget);
  // `members.first` and `count` are set by it.
  Production MembersOf(Members members, std::span<const Member> parts, Budget& budget);
  // A rule that may stand in others before it is defined.
  Production Rule(Budget& budget);
  void Define(Production rule, Production body) { nodes_[rule].a = body; }

  // Once all is made, and its classes: what is nullable and what has texts. False where a rule
  // begins with itself, so that nothing would ever end; `*rule` is one that does.
  bool Close(Regexes& regexes, Budget& budget, Production* rule);

  uint32_t size() const { return nodes_.size(); }
  void AddTo(Hash* hash) const;
  // Of a choice, or members of an object.
  uint32_t MostParts() const;

  const Node& node(Production production) const { return nodes_[production]; }
  std::span<const Production> parts(Production production) const {
    return parts_.Part(nodes_[production].a, nodes_[production].b);
  }
  const Members& members(Production production) const { return members_[nodes_[production].a]; }
  const Member& member(const Members& members, uint32_t i) const {
    return member_list_[members.first + i];
  }

 private:
  Production Put(Node node, std::span<const Production> parts, Budget& budget);
  struct Walk {
    Production production;
    uint32_t part;  // that is to be walked next
  };
  void FindNullable(Regexes& regexes, Budget& budget);
  void Enter(Production production, Budget& budget);
  bool Update(Production production, Regexes& regexes, Budget& budget);
  // What the production is made of, one after the other; kNone behind the last.
  Production PartOf(Production production, uint32_t i) const;
  bool BeginsWithItself(Production production, Budget& budget, Production* rule);
  // The part number `i` that may come first in the production; kNone behind the last.
  Production FirstPart(Production production, uint32_t i) const;

  List<Node> nodes_;
  List<Production> parts_;
  List<Members> members_;
  List<Member> member_list_;
  Index index_;
  // By Close.
  List<uint8_t> marks_;
  List<Walk> walks_;
  uint32_t n_walked_ = 0;
};

}  // namespace rondo::grammar
