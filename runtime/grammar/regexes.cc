#include "runtime/grammar/regexes.h"

#include <algorithm>

namespace rondo::grammar {
namespace {

constexpr size_t kDerivatives = 1u << 13;
// Of so many expressions at most.
size_t MostSets(size_t most) { return std::max<size_t>(2048, most / 8); }
size_t MostAsked(size_t most) { return std::max<size_t>(4096, most / 4); }
constexpr ByteSet kDigitBytes = ByteSet::Range('0', '9');

uint64_t HashOfSet(const ByteSet& set) {
  Hash hash;
  for (const uint64_t word : set.words) hash.Add(word);
  return hash.value();
}

}  // namespace

Regexes::Regexes(Room& room, size_t most)
    : nodes_(room, most),
      firsts_(room, most),
      parts_(room, most * 2),
      sets_(room, MostSets(most)),
      node_index_(room, most),
      set_index_(room, MostSets(most)),
      work_(room, most * 2),
      open_(room, kMostDepth + 1),
      numbers_(room, most),
      set_numbers_(room, MostSets(most)),
      seen_(room, MostAsked(most)),
      derivatives_(room, kDerivatives) {
  if (!derivatives_.exists()) return;
  Budget enough(1000);
  Put(Of(Kind::kNever, false), {}, enough);
  Put(Of(Kind::kEmpty, true), {}, enough);
  Put(Of(Kind::kNot, true, kNever), {}, enough);
  for (size_t i = 0; i < kDerivatives; ++i) derivatives_.Add({kNever, 0, kNever}, enough);
  n_classes_ = 256;
  for (unsigned byte = 0; byte < 256; ++byte) {
    classes_[byte] = bytes_[byte] = static_cast<uint8_t>(byte);
  }
}

Regexes::Node Regexes::Of(Kind kind, bool nullable, uint32_t a, uint32_t b, uint32_t c) const {
  return {kind, nullable, kind == Kind::kBoth || kind == Kind::kNot, Known::kUnknown, 1, a, b, c};
}

bool Regexes::IsList(const Node& node) {
  return node.kind == Kind::kEither || node.kind == Kind::kBoth;
}

uint64_t Regexes::HashOf(const Node& node, std::span<const Regex> parts) const {
  Hash hash;
  hash.Add(static_cast<uint64_t>(node.kind)).Add(node.c);
  if (IsList(node)) {
    for (const Regex part : parts) hash.Add(part);
  } else {
    hash.Add(node.a).Add(node.b);
  }
  return hash.value();
}

ByteSet Regexes::FirstOf(const Node& node) const {
  ByteSet first;
  switch (node.kind) {
    case Kind::kNever:
    case Kind::kEmpty:
      break;
    case Kind::kBytes:
      return sets_[node.a];
    case Kind::kThen:
      first = firsts_[node.a];
      if (nodes_[node.a].nullable) first = first | firsts_[node.b];
      break;
    case Kind::kEither:
      for (const Regex part : parts_.Part(node.a, node.b)) first = first | firsts_[part];
      break;
    case Kind::kBoth:
      first = ~first;
      for (const Regex part : parts_.Part(node.a, node.b)) first = first & firsts_[part];
      break;
    case Kind::kNot:
      return ~first;
    case Kind::kRepeat:
      return firsts_[node.a];
    case Kind::kMultiple:
      return kDigitBytes;
  }
  return first;
}

Regex Regexes::Put(Node node, std::span<const Regex> parts, Budget& budget) {
  if (node.depth > MostDepth()) {
    budget.Stop(Budget::End::kDepth);
  }
  if (!budget.Spend()) return kNever;
  const bool is_list = IsList(node);
  const uint64_t hash = HashOf(node, parts);
  const auto is = [&](uint32_t at) {
    const Node& other = nodes_[at];
    if (other.kind != node.kind || other.c != node.c) return false;
    if (!is_list) return other.a == node.a && other.b == node.b;
    const std::span<const Regex> its = parts_.Part(other.a, other.b);
    return std::equal(its.begin(), its.end(), parts.begin(), parts.end());
  };
  const uint32_t known = node_index_.Number(hash, is);
  if (known != Index::kNone) return known;
  if (is_list) {
    node.a = parts_.size();
    node.b = static_cast<uint32_t>(parts.size());
    if (!parts_.AddAll(parts, budget)) return kNever;
  }
  const Regex fresh = nodes_.size();
  if (!nodes_.Add(node, budget) || !firsts_.Add(FirstOf(node), budget)) return kNever;
  return node_index_.FindOrPut(hash, fresh, [](uint32_t) { return false; });
}

// Behind a byte each alternative is a new expression, and some such steps stand one behind the
// other in a token's bytes; a list has at most as many parts again.
uint64_t Regexes::BytesToDerive(uint64_t bytes, uint64_t alternatives) const {
  uint64_t longest = 0;
  for (uint32_t i = 0; i < kept_.nodes; ++i) {
    if (IsList(nodes_[i])) longest = std::max<uint64_t>(longest, nodes_[i].b);
  }
  const auto needed = [&](uint64_t used, uint64_t capacity) {
    return static_cast<uint64_t>(static_cast<double>(bytes) *
                                 static_cast<double>(used + used / 32 + 64) /
                                 static_cast<double>(capacity));
  };
  return std::max(needed(kept_.nodes + longest + 4 * alternatives, nodes_.capacity()),
                  needed(kept_.parts + 2 * longest, parts_.capacity()));
}

void Regexes::BeginForget() {
  Budget enough(UINT64_MAX);
  numbers_.Shrink(0);
  for (uint32_t i = 0; i < nodes_.size(); ++i) numbers_.Add(i < kept_.nodes ? i : kNobody, enough);
}

// What a node is made of has lower numbers than it, before and after.
void Regexes::Forget() {
  Budget enough(UINT64_MAX);
  set_numbers_.Shrink(0);
  set_numbers_.Fill(kNobody, sets_.size(), enough);
  const auto is_made_of = [](const Node& node, int which) {
    return which == 0
               ? node.kind == Kind::kThen || node.kind == Kind::kNot || node.kind == Kind::kRepeat
               : node.kind == Kind::kThen;
  };
  for (uint32_t i = nodes_.size(); i > kept_.nodes; --i) {
    const Node& node = nodes_[i - 1];
    if (numbers_[i - 1] == kNobody) continue;
    if (node.kind == Kind::kBytes) set_numbers_[node.a] = 0;
    if (is_made_of(node, 0)) Want(node.a);
    if (is_made_of(node, 1)) Want(node.b);
    if (IsList(node)) {
      for (const Regex part : parts_.Part(node.a, node.b)) Want(part);
    }
  }
  ForgetSets();
  const uint32_t before = nodes_.size();
  nodes_.Shrink(kept_.nodes);
  parts_.Shrink(kept_.parts);
  for (uint32_t i = kept_.nodes; i < before; ++i) {
    if (numbers_[i] == kNobody) continue;
    Node node = nodes_[i];
    if (node.kind == Kind::kBytes) node.a = set_numbers_[node.a];
    if (is_made_of(node, 0)) node.a = numbers_[node.a];
    if (is_made_of(node, 1)) node.b = numbers_[node.b];
    if (IsList(node)) {
      const uint32_t first = parts_.size();
      for (uint32_t k = 0; k < node.b; ++k) parts_.Add(numbers_[parts_[node.a + k]], enough);
      node.a = first;
    }
    numbers_[i] = nodes_.size();
    firsts_[nodes_.size()] = firsts_[i];
    nodes_.Add(node, enough);
  }
  firsts_.Shrink(nodes_.size());
  node_index_.Clear();
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const auto parts = IsList(node) ? parts_.Part(node.a, node.b) : std::span<const Regex>();
    node_index_.FindOrPut(HashOf(node, parts), i, [](uint32_t) { return false; });
  }
  for (size_t i = 0; i < kDerivatives; ++i) derivatives_[i] = {kNever, 0, kNever};
}

uint32_t Regexes::NumberOf(const ByteSet& set, Budget& budget) {
  const uint64_t hash = HashOfSet(set);
  const uint32_t known = set_index_.Number(hash, [&](uint32_t at) { return sets_[at] == set; });
  if (known != Index::kNone) return known;
  const uint32_t fresh = sets_.size();
  if (!sets_.Add(set, budget)) return 0;
  return set_index_.FindOrPut(hash, fresh, [](uint32_t) { return false; });
}

// But those that were wanted, which get other numbers.
void Regexes::ForgetSets() {
  uint32_t n = 0;
  for (uint32_t i = 0; i < sets_.size(); ++i) {
    if (i >= kept_.sets && set_numbers_[i] == kNobody) continue;
    set_numbers_[i] = n;
    sets_[n++] = sets_[i];
  }
  sets_.Shrink(n);
  set_index_.Clear();
  for (uint32_t i = 0; i < n; ++i) {
    set_index_.FindOrPut(HashOfSet(sets_[i]), i, [](uint32_t) { return false; });
  }
}

Regex Regexes::Bytes(const ByteSet& set, Budget& budget) {
  if (set.empty()) return kNever;
  const uint32_t number = NumberOf(set, budget);
  return Put(Of(Kind::kBytes, false, number), {}, budget);
}

Regex Regexes::Text(std::string_view text, Budget& budget) {
  Regex regex = kEmpty;
  for (size_t i = text.size(); i > 0; --i) {
    regex = Then(Bytes(ByteSet::Of(static_cast<uint8_t>(text[i - 1])), budget), regex, budget);
  }
  return regex;
}

Regex Regexes::Then(Regex first, Regex second, Budget& budget) {
  if (first == kNever || second == kNever) return kNever;
  if (first == kEmpty) return second;
  while (second != kEmpty) {
    const bool is_sequence = nodes_[second].kind == Kind::kThen;
    const Regex repeated = JoinRepeats(first, is_sequence ? nodes_[second].a : second, budget);
    if (repeated == kNever) break;
    first = repeated;
    second = is_sequence ? nodes_[second].b : kEmpty;
  }
  if (second == kEmpty) return first;
  const Node& a = nodes_[first];
  const Node& b = nodes_[second];
  Node node = Of(Kind::kThen, a.nullable && b.nullable, first, second);
  node.decides = a.decides || b.decides;
  node.depth = static_cast<uint16_t>(1 + (a.nullable ? std::max(a.depth, b.depth) : a.depth));
  return Put(node, {}, budget);
}

Regex Regexes::JoinRepeats(Regex first, Regex second, Budget& budget) {
  const Node& a = nodes_[first];
  const Node& b = nodes_[second];
  const bool a_repeats = a.kind == Kind::kRepeat, b_repeats = b.kind == Kind::kRepeat;
  Regex what = kNever;
  uint64_t min = 0, max = 0;
  if (a_repeats && b_repeats && a.a == b.a) {
    what = a.a, min = uint64_t{a.b} + b.b, max = uint64_t{a.c} + b.c;
  } else if (a_repeats && a.a == second) {
    what = a.a, min = uint64_t{a.b} + 1, max = uint64_t{a.c} + 1;
  } else if (b_repeats && b.a == first) {
    what = b.a, min = uint64_t{b.b} + 1, max = uint64_t{b.c} + 1;
  }
  const bool endless = (a_repeats && a.c == kNoLimit) || (b_repeats && b.c == kNoLimit);
  if (endless) max = kNoLimit;
  if (what == kNever || min >= kNoLimit || (max >= kNoLimit && !endless)) return kNever;
  return Repeat(what, static_cast<uint32_t>(min), static_cast<uint32_t>(max), budget);
}

Regex Regexes::HeadOf(Regex regex) const {
  return nodes_[regex].kind == Kind::kThen ? nodes_[regex].a : kNobody;
}

void Regexes::SortWork(uint32_t base) {
  if (work_.size() == base) return;
  Regex* const first = &work_[base];
  Regex* end = first + (work_.size() - base);
  std::sort(first, end);
  end = std::unique(first, end);
  work_.Shrink(base + static_cast<uint32_t>(end - first));
}

// False where no two begin with the same: mostly so, and soon told.
bool Regexes::MayShareHeads(uint32_t base) const {
  uint64_t heads = 0;
  for (uint32_t i = base; i < work_.size(); ++i) {
    const Regex head = HeadOf(work_[i]);
    const uint64_t bit = head == kNobody ? 0 : uint64_t{1} << (head * 0x9e3779b1u >> 26);
    if ((heads & bit) != 0) return true;
    heads |= bit;
  }
  return false;
}

void Regexes::Factor(uint32_t base, Budget& budget) {
  if (factored_ == kMostFactored) return;  // what is left is factored where it is derived
  ++factored_;
  for (bool found = true; found && MayShareHeads(base);) {
    found = false;
    const uint32_t end = work_.size();
    std::sort(&work_[base], &work_[base] + (end - base), [&](Regex x, Regex y) {
      const Regex head = HeadOf(x), other = HeadOf(y);
      return head != other ? head < other : x < y;
    });
    uint32_t kept = base;
    for (uint32_t i = base, next; i < end && budget.Spend(); i = next) {
      const Regex head = HeadOf(work_[i]);
      for (next = i + 1; head != kNobody && next < end && HeadOf(work_[next]) == head;) ++next;
      Regex part = work_[i];
      if (next > i + 1) {
        found = true;
        for (uint32_t k = i; k < next; ++k) work_.Add(nodes_[work_[k]].b, budget);
        if (!budget.ok()) break;
        part = Then(head, Either(work_.Part(end, next - i), budget), budget);
        work_.Shrink(end);
      }
      work_[kept++] = part;
    }
    work_.Shrink(kept);
    if (!budget.ok()) break;
    SortWork(base);
  }
  --factored_;
}

void Regexes::Gather(Kind kind, std::span<const Regex> parts, uint32_t base, Budget& budget) {
  bool has_set = false;
  ByteSet set;
  const auto add = [&](Regex regex) {
    const Node& node = nodes_[regex];
    if (node.kind != Kind::kBytes) {
      work_.Add(regex, budget);
      return;
    }
    const ByteSet& other = sets_[node.a];
    set = !has_set ? other : kind == Kind::kEither ? set | other : set & other;
    has_set = true;
  };
  for (const Regex part : parts) {
    if (nodes_[part].kind == kind) {
      for (const Regex inner : parts_.Part(nodes_[part].a, nodes_[part].b)) add(inner);
    } else {
      add(part);
    }
  }
  if (has_set) work_.Add(Bytes(set, budget), budget);
  SortWork(base);
}

Regex Regexes::Join(Kind kind, std::span<const Regex> parts, Budget& budget) {
  const bool either = kind == Kind::kEither;
  const Regex nothing = either ? kNever : kAll, everything = either ? kAll : kNever;
  const uint32_t base = work_.size();
  if (parts.empty()) return nothing;
  Gather(kind, parts, base, budget);
  if (either) Factor(base, budget);
  Node node = Of(kind, !either);
  uint32_t kept = base;
  bool ends = false;  // the empty text is a part
  for (uint32_t i = base; i < work_.size() && budget.ok(); ++i) {
    const Regex part = work_[i];
    if (part == everything) {
      work_.Shrink(base);
      return everything;
    }
    if (part == nothing) continue;
    const Node& its = nodes_[part];
    node.nullable = either ? node.nullable || its.nullable : node.nullable && its.nullable;
    node.decides = node.decides || its.decides;
    node.depth = std::max(node.depth, static_cast<uint16_t>(its.depth + 1));
    ends = ends || part == kEmpty;
    work_[kept++] = part;
  }
  const uint32_t count = kept - base;
  Regex joined = nothing;
  if (!either && ends) {
    joined = node.nullable ? kEmpty : kNever;
  } else if (count == 1) {
    joined = work_[base];
  } else if (count > 1) {
    joined = Put(node, work_.Part(base, count), budget);
  }
  work_.Shrink(base);
  return joined;
}

Regex Regexes::Either(std::span<const Regex> parts, Budget& budget) {
  return Join(Kind::kEither, parts, budget);
}

Regex Regexes::Both(std::span<const Regex> parts, Budget& budget) {
  return Join(Kind::kBoth, parts, budget);
}

Regex Regexes::Not(Regex regex, Budget& budget) {
  const Node& inner = nodes_[regex];
  if (inner.kind == Kind::kNot) return inner.a;
  Node node = Of(Kind::kNot, !inner.nullable, regex);
  node.depth = static_cast<uint16_t>(inner.depth + 1);
  return Put(node, {}, budget);
}

Regex Regexes::Repeat(Regex regex, uint32_t min, uint32_t max, Budget& budget) {
  const Node& inner = nodes_[regex];
  if (inner.nullable) min = 0;
  if (max == 0 || regex == kEmpty) return kEmpty;
  if (regex == kNever) return min == 0 ? kEmpty : kNever;
  if (min == 1 && max == 1) return regex;
  if (regex == kAll) return kAll;
  Node node = Of(Kind::kRepeat, min == 0, regex, min, max);
  node.decides = inner.decides;
  node.depth = static_cast<uint16_t>(inner.depth + 1);
  return Put(node, {}, budget);
}

Status Regexes::Exhausted(const Budget& budget, const char* where) const {
  switch (budget.end()) {
    case Budget::End::kDepth:
      return Status::Error(StatusCode::kUnsupported,
                           "%s takes what nests over %u deep in what may follow it, which is not "
                           "supported",
                           where, MostDepth());
    case Budget::End::kSteps:
      return Status::Error(StatusCode::kOutOfMemory, "%s takes more than the %llu steps of reading",
                           where, static_cast<unsigned long long>(budget.all()));
    default:
      return Status::Error(StatusCode::kOutOfMemory, "%s takes more than its memory_bytes", where);
  }
}

Regex Regexes::Multiple(uint32_t divisor, uint32_t rest, Budget& budget) {
  return Put(Of(Kind::kMultiple, rest == 0, 0, divisor, rest), {}, budget);
}

// Splits classes by one set after another.
void Regexes::MakeClasses() {
  std::fill(std::begin(classes_), std::end(classes_), uint8_t{0});
  n_classes_ = 1;
  const auto split = [&](const ByteSet& set) {
    uint16_t inside[256], outside[256];
    std::fill(std::begin(inside), std::end(inside), uint16_t{256});
    std::fill(std::begin(outside), std::end(outside), uint16_t{256});
    uint32_t n = 0;
    for (unsigned byte = 0; byte < 256; ++byte) {
      uint16_t& now = (set.Has(static_cast<uint8_t>(byte)) ? inside : outside)[classes_[byte]];
      if (now == 256) now = static_cast<uint16_t>(n++);
      classes_[byte] = static_cast<uint8_t>(now);
    }
    n_classes_ = n;
  };
  for (uint32_t i = 0; i < sets_.size(); ++i) split(sets_[i]);
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].kind != Kind::kMultiple) continue;
    for (uint8_t digit = '0'; digit <= '9'; ++digit) split(ByteSet::Of(digit));
    break;
  }
  for (unsigned byte = 256; byte > 0; --byte) {
    bytes_[classes_[byte - 1]] = static_cast<uint8_t>(byte - 1);
  }
  for (size_t i = 0; i < kDerivatives; ++i) derivatives_[i] = {kNever, 0, kNever};
  kept_ = {nodes_.size(), parts_.size(), sets_.size()};
}

void Regexes::AddTo(Hash* hash) const {
  for (uint32_t i = 0; i < kept_.nodes; ++i) {
    const Node& node = nodes_[i];
    hash->Add(static_cast<uint64_t>(node.kind)).Add(node.a).Add(node.b).Add(node.c);
  }
  for (uint32_t i = 0; i < kept_.parts; ++i) hash->Add(parts_[i]);
  for (uint32_t i = 0; i < kept_.sets; ++i) hash->Add(HashOfSet(sets_[i]));
  for (const uint8_t byte_class : classes_) hash->Add(byte_class);
}

Regexes::Derivative& Regexes::LastOf(Regex regex, uint32_t byte_class) {
  return derivatives_[(regex * 0x9e3779b1u ^ byte_class * 0x85ebca6bu) >> 7 & (kDerivatives - 1)];
}

bool Regexes::IsKnown(Regex regex, uint32_t byte_class, Regex* is, Budget& budget) {
  const Node& node = nodes_[regex];
  const uint8_t byte = bytes_[byte_class];
  if (!firsts_[regex].Has(byte)) {
    *is = kNever;
  } else if (node.kind == Kind::kBytes) {
    *is = kEmpty;
  } else if (regex == kAll) {
    *is = kAll;
  } else if (node.kind == Kind::kMultiple) {
    const uint64_t rest = (uint64_t{node.c} * 10 + (byte - '0')) % node.b;
    *is = Multiple(node.b, static_cast<uint32_t>(rest), budget);
  } else {
    if (!budget.Spend()) return false;
    const Derivative& last = LastOf(regex, byte_class);
    *is = last.is;
    return last.of == regex && last.byte_class == byte_class;
  }
  return true;
}

Regex Regexes::PartToDerive(const Node& node, uint32_t i) const {
  if (IsList(node)) return i < node.b ? parts_[node.a + i] : kNobody;
  if (i == 0) return node.a;
  return i == 1 && node.kind == Kind::kThen && nodes_[node.a].nullable ? node.b : kNobody;
}

Regex Regexes::DeriveFrom(Regex regex, std::span<const Regex> parts, Budget& budget) {
  const Node node = nodes_[regex];
  switch (node.kind) {
    case Kind::kThen: {
      const Regex first = Then(parts[0], node.b, budget);
      if (parts.size() == 1) return first;
      const Regex both[] = {first, parts[1]};
      return Either(both, budget);
    }
    case Kind::kEither:
    case Kind::kBoth:
      return Join(node.kind, parts, budget);
    case Kind::kNot:
      return Not(parts[0], budget);
    case Kind::kRepeat: {
      const uint32_t min = node.b > 0 ? node.b - 1 : 0;
      const uint32_t max = node.c == kNoLimit ? kNoLimit : node.c - 1;
      return Then(parts[0], Repeat(node.a, min, max, budget), budget);
    }
    default:
      return kNever;
  }
}

// From the innermost parts on, without recursion: expressions are nested deeper than a thread's
// stack may be.
Regex Regexes::Derive(Regex regex, uint32_t byte_class, Budget& budget) {
  Regex made = kNever;
  if (IsKnown(regex, byte_class, &made, budget)) return made;
  const uint32_t base = work_.size();
  open_.Shrink(0);
  open_.Add({regex, 0}, budget);
  while (budget.ok()) {
    Open& open = open_[open_.size() - 1];
    const Regex part = PartToDerive(nodes_[open.regex], open.parts);
    if (part != kNobody) {
      ++open.parts;
      if (IsKnown(part, byte_class, &made, budget)) {
        work_.Add(made, budget);
      } else {
        open_.Add({part, 0}, budget);
      }
      continue;
    }
    const uint32_t first = work_.size() - open.parts;
    made = DeriveFrom(open.regex, work_.Part(first, open.parts), budget);
    if (budget.ok()) LastOf(open.regex, byte_class) = {open.regex, byte_class, made};
    work_.Shrink(first);
    open_.Shrink(open_.size() - 1);
    if (open_.size() == 0) return made;
    work_.Add(made, budget);
  }
  work_.Shrink(base);
  return kNever;
}

bool Regexes::Matches(Regex regex, std::string_view text, Budget& budget) {
  for (const char c : text) regex = Derive(regex, classes_[static_cast<uint8_t>(c)], budget);
  return nullable(regex);
}

// Without complement and intersection only kNever has no text: whatever is made of it is kNever,
// too.
bool Regexes::IsNever(Regex regex, Budget& budget) {
  if (!nodes_[regex].decides) return regex == kNever;
  if (nodes_[regex].known == Known::kUnknown) {
    seen_.Shrink(0);
    const auto has_some = [&](const Node& node, Regex of) {
      return node.nullable || node.known == Known::kSome || (!node.decides && of != kNever);
    };
    uint32_t found = kNobody;  // of seen_: one that has a text
    const auto ask = [&](Regex next, uint32_t from) {
      Node& node = nodes_[next];
      const bool some = has_some(node, next);
      if (!some && node.known != Known::kUnknown) return;
      const uint32_t number = seen_.size();
      if (!seen_.Add({next, from}, budget)) return;
      if (some) {
        found = number;
      } else {
        node.known = Known::kAsked;
      }
    };
    ask(regex, kNobody);
    for (uint32_t i = 0; i < seen_.size() && found == kNobody && budget.ok(); ++i) {
      for (uint32_t c = 0; c < n_classes_ && found == kNobody; ++c) {
        ask(Derive(seen_[i].regex, c, budget), i);
      }
    }
    const bool never = found == kNobody && budget.ok();
    for (uint32_t i = 0; i < seen_.size(); ++i) {
      Node& node = nodes_[seen_[i].regex];
      if (node.known == Known::kAsked) node.known = never ? Known::kNever : Known::kUnknown;
    }
    // Those that lead to it have one, too.
    for (; found != kNobody; found = seen_[found].from) {
      nodes_[seen_[found].regex].known = Known::kSome;
    }
  }
  return nodes_[regex].known == Known::kNever;
}

}  // namespace rondo::grammar
