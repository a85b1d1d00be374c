#include "runtime/grammar/productions.h"

#include <algorithm>

namespace rondo::grammar {

Productions::Productions(Room& room, size_t most)
    : nodes_(room, most),
      parts_(room, most * 3),
      members_(room, most / 4),
      member_list_(room, most),
      index_(room, most),
      marks_(room, most),
      walks_(room, most) {
  if (!walks_.exists()) return;
  Budget enough(10);
  Put({.kind = Kind::kChoice}, {}, enough);
  Put({.kind = Kind::kSequence}, {}, enough);
}

Production Productions::Put(Node node, std::span<const Production> parts, Budget& budget) {
  if (!budget.Spend()) return kNever;
  const bool is_list = node.kind == Kind::kSequence || node.kind == Kind::kChoice;
  Hash hash;
  hash.Add(static_cast<uint64_t>(node.kind)).Add(node.c);
  if (is_list) {
    for (const Production part : parts) hash.Add(part);
  } else {
    hash.Add(node.a).Add(node.b);
  }
  const auto is = [&](uint32_t at) {
    const Node& other = nodes_[at];
    if (other.kind != node.kind || node.kind == Kind::kRule || other.c != node.c) return false;
    if (!is_list) return other.a == node.a && other.b == node.b;
    const std::span<const Production> its = parts_.Part(other.a, other.b);
    return std::equal(its.begin(), its.end(), parts.begin(), parts.end());
  };
  const uint32_t known = index_.Number(hash.value(), is);
  if (known != Index::kNone) return known;
  if (is_list) {
    node.a = parts_.size();
    node.b = static_cast<uint32_t>(parts.size());
    if (!parts_.AddAll(parts, budget)) return kNever;
  }
  const Production fresh = nodes_.size();
  if (!nodes_.Add(node, budget)) return kNever;
  if (node.kind == Kind::kRule) return fresh;
  return index_.FindOrPut(hash.value(), fresh, [](uint32_t) { return false; });
}

Production Productions::Terminal(Regex regex, Budget& budget) {
  if (regex == Regexes::kNever) return kNever;
  if (regex == Regexes::kEmpty) return kEmpty;
  return Put({.kind = Kind::kTerminal, .a = regex}, {}, budget);
}

Production Productions::Sequence(std::span<const Production> parts, Budget& budget) {
  if (std::find(parts.begin(), parts.end(), kNever) != parts.end()) return kNever;
  if (parts.size() == 1) return parts[0];
  return Put({.kind = Kind::kSequence}, parts, budget);
}

Production Productions::Choice(std::span<const Production> parts, Budget& budget) {
  if (parts.size() == 1) return parts[0];
  return Put({.kind = Kind::kChoice}, parts, budget);
}

Production Productions::Repeat(Production part, uint32_t min, uint32_t max, Budget& budget) {
  if (max == 0 || part == kEmpty) return kEmpty;
  if (part == kNever) return min == 0 ? kEmpty : kNever;
  if (min == 1 && max == 1) return part;
  return Put({.kind = Kind::kRepeat, .a = part, .b = min, .c = max}, {}, budget);
}

Production Productions::MembersOf(Members members, std::span<const Member> parts, Budget& budget) {
  members.first = member_list_.size();
  members.count = static_cast<uint32_t>(parts.size());
  const uint32_t number = members_.size();
  member_list_.AddAll(parts, budget);
  members_.Add(members, budget);
  return Put({.kind = Kind::kMembers, .a = number}, {}, budget);
}

Production Productions::Rule(Budget& budget) {
  return Put({.kind = Kind::kRule, .a = kNone}, {}, budget);
}

bool Productions::Close(Regexes& regexes, Budget& budget, Production* rule) {
  FindNullable(regexes, budget);
  marks_.Shrink(0);
  n_walked_ = 0;
  marks_.Fill(0, nodes_.size(), budget);
  for (uint32_t i = 0; i < nodes_.size() && budget.ok(); ++i) {
    if (BeginsWithItself(i, budget, rule)) return false;
  }
  return true;
}

void Productions::AddTo(Hash* hash) const {
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    hash->Add(static_cast<uint64_t>(node.kind)).Add(node.a).Add(node.b).Add(node.c);
  }
  for (uint32_t i = 0; i < parts_.size(); ++i) hash->Add(parts_[i]);
  for (uint32_t i = 0; i < members_.size(); ++i) {
    const Members& all = members_[i];
    hash->Add(all.first).Add(all.count).Add(all.min).Add(all.max).Add(all.more).Add(all.any_order);
  }
  for (uint32_t i = 0; i < member_list_.size(); ++i) {
    const Member& member = member_list_[i];
    hash->Add(member.first).Add(member.later).Add(member.required);
  }
}

uint32_t Productions::MostParts() const {
  uint32_t most = 0;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].kind == Kind::kChoice) most = std::max(most, nodes_[i].b);
  }
  for (uint32_t i = 0; i < members_.size(); ++i) most = std::max(most, members_[i].count);
  return most;
}

// And productive; both grow from nothing until no more changes. What a production is made of comes
// before it, so that only what recurs takes more than two rounds.
void Productions::FindNullable(Regexes& regexes, Budget& budget) {
  for (bool changed = true; changed && budget.ok();) {
    changed = false;
    marks_.Shrink(0);
    marks_.Fill(false, nodes_.size(), budget);
    for (Production i = 0; i < nodes_.size() && budget.ok(); ++i) {
      walks_.Shrink(0);
      Enter(i, budget);
      while (walks_.size() > 0 && budget.Spend()) {
        Walk& walk = walks_[walks_.size() - 1];
        const Production part = PartOf(walk.production, walk.part++);
        if (part != kNone) {
          Enter(part, budget);
        } else {
          changed = Update(walk.production, regexes, budget) || changed;
          walks_.Shrink(walks_.size() - 1);
        }
      }
    }
  }
}

// To be walked through, where it was not yet.
void Productions::Enter(Production production, Budget& budget) {
  if (marks_[production] != 0) return;
  marks_[production] = 1;
  walks_.Add({production, 0}, budget);
}

Production Productions::PartOf(Production production, uint32_t i) const {
  const Node& node = nodes_[production];
  switch (node.kind) {
    case Kind::kTerminal:
      return kNone;
    case Kind::kSequence:
    case Kind::kChoice:
      return i < node.b ? parts_[node.a + i] : kNone;
    case Kind::kRepeat:
    case Kind::kRule:
      return i == 0 ? node.a : kNone;
    case Kind::kMembers: {
      const Members& all = members(production);
      if (i / 2 >= all.count) return kNone;
      const Member& its = member(all, i / 2);
      return i % 2 == 0 ? its.first : its.later;
    }
  }
  return kNone;
}

// From what its parts are; whether that changes anything.
bool Productions::Update(Production i, Regexes& regexes, Budget& budget) {
  Node& node = nodes_[i];
  bool nullable = false, productive = false;
  switch (node.kind) {
    case Kind::kTerminal:
      nullable = regexes.nullable(node.a);
      productive = node.productive || !regexes.IsNever(node.a, budget);
      break;
    case Kind::kSequence:
      nullable = productive = true;
      for (const Production part : parts(i)) {
        nullable = nullable && nodes_[part].nullable;
        productive = productive && nodes_[part].productive;
      }
      break;
    case Kind::kChoice:
      for (const Production part : parts(i)) {
        nullable = nullable || nodes_[part].nullable;
        productive = productive || nodes_[part].productive;
      }
      break;
    case Kind::kRepeat:
      nullable = node.b == 0 || nodes_[node.a].nullable;
      productive = node.b == 0 || nodes_[node.a].productive;
      break;
    case Kind::kRule:
      nullable = nodes_[node.a].nullable;
      productive = nodes_[node.a].productive;
      break;
    case Kind::kMembers: {
      const Members& all = members(i);
      nullable = productive = true;
      uint32_t can = 0, required = 0;
      for (uint32_t m = 0; m < all.count; ++m) {
        const Member& its = member(all, m);
        const bool may = nodes_[its.first].productive && nodes_[its.later].productive;
        can += may;
        required += its.required;
        if (may && all.more && m + 1 == all.count) can = UINT32_MAX;
        nullable = nullable && !its.required;
        productive = productive && (may || !its.required);
      }
      productive = productive && can >= all.min && std::max(all.min, required) <= all.max;
      nullable = nullable && productive && all.min == 0;
      break;
    }
  }
  const bool changes = nullable != node.nullable || productive != node.productive;
  node.nullable = nullable;
  node.productive = productive;
  return changes;
}

Production Productions::FirstPart(Production production, uint32_t i) const {
  const Node& node = nodes_[production];
  switch (node.kind) {
    case Kind::kTerminal:
    case Kind::kMembers:  // which begin with a name
      return kNone;
    case Kind::kSequence: {
      const std::span<const Production> all = parts(production);
      return i < all.size() && (i == 0 || nodes_[all[i - 1]].nullable) ? all[i] : kNone;
    }
    case Kind::kChoice:
      return i < node.b ? parts(production)[i] : kNone;
    case Kind::kRepeat:
    case Kind::kRule:
      return i == 0 ? node.a : kNone;
  }
  return kNone;
}

bool Productions::BeginsWithItself(Production production, Budget& budget, Production* rule) {
  enum : uint8_t { kNotSeen, kWalking, kWalked };
  const auto enter = [&](Production next) {
    marks_[next] = kWalking;
    walks_.Add({next, 0}, budget);
  };
  if (marks_[production] != kNotSeen) return false;
  walks_.Shrink(0);
  enter(production);
  while (walks_.size() > 0 && budget.Spend()) {
    Walk& walk = walks_[walks_.size() - 1];
    const Production next = FirstPart(walk.production, walk.part++);
    if (next == kNone) {
      marks_[walk.production] = kWalked;
      Node& node = nodes_[walk.production];
      if (node.kind == Kind::kRule) node.b = n_walked_++;
      walks_.Shrink(walks_.size() - 1);
    } else if (marks_[next] == kWalking) {
      // What is walked ends with the cycle, and only a rule can close one.
      *rule = next;
      for (uint32_t i = walks_.size(); nodes_[*rule].kind != Kind::kRule; --i) {
        *rule = walks_[i - 1].production;
      }
      return true;
    } else if (marks_[next] == kNotSeen) {
      enter(next);
    }
  }
  return false;
}

}  // namespace rondo::grammar
