#include "runtime/grammar/state_bytes.h"

#include <algorithm>

#include "runtime/grammar/machine.h"

namespace rondo::grammar {

void NumberSet::Sort() {
  std::sort(numbers_.begin(), numbers_.begin() + n_);
  slots_.fill(0);
  const uint32_t n = n_;
  for (n_ = 0; n_ < n;) {
    uint16_t* const slot = Find(numbers_[n_]);
    *slot = static_cast<uint16_t>(++n_);
  }
}

// Made since MakeClasses, and so all that they are made of.
bool Regexes::AddMade(Regex regex, NumberSet* made) const {
  uint32_t next = made->size();
  const auto add = [&](Regex part) { return part < kept_.nodes || made->Add(part); };
  if (!add(regex)) return false;
  for (; next < made->size(); ++next) {
    const Node& node = nodes_[(*made)[next]];
    bool fits = true;
    if (IsList(node)) {
      for (const Regex part : parts_.Part(node.a, node.b)) fits = fits && add(part);
    } else {
      const bool one = node.kind == Kind::kNot || node.kind == Kind::kRepeat;
      if (one || node.kind == Kind::kThen) fits = add(node.a);
      if (node.kind == Kind::kThen) fits = fits && add(node.b);
    }
    if (!fits) return false;
  }
  return true;
}

void Regexes::WriteRegex(Regex regex, NumberSet* made, StateWriter* out) const {
  if (regex < kept_.nodes) {
    out->Number(uint64_t{regex} << 1);
  } else {
    out->Short(made->IndexOf(regex) << 1 | 1);
  }
}

void Regexes::WriteNode(Regex regex, NumberSet* made, StateWriter* out) const {
  const Node& node = nodes_[regex];
  out->Byte(static_cast<uint8_t>(node.kind));
  switch (node.kind) {
    case Kind::kNever:
    case Kind::kEmpty:
      break;
    case Kind::kBytes:
      for (unsigned i = 0; i < 32; ++i) {
        out->Byte(static_cast<uint8_t>(sets_[node.a].words[i / 8] >> i % 8 * 8));
      }
      break;
    case Kind::kThen:
      WriteRegex(node.a, made, out);
      WriteRegex(node.b, made, out);
      break;
    case Kind::kNot:
      WriteRegex(node.a, made, out);
      break;
    case Kind::kRepeat:
      WriteRegex(node.a, made, out);
      out->Number(node.b);
      out->Number(node.c == kNoLimit ? 0 : uint64_t{node.c} + 1);
      break;
    case Kind::kMultiple:
      out->Number(node.b);
      out->Number(node.c);
      break;
    case Kind::kEither:
    case Kind::kBoth:
      out->Number(node.b);
      for (const Regex part : parts_.Part(node.a, node.b)) WriteRegex(part, made, out);
      break;
  }
}

Regex Regexes::ReadRegex(std::span<const Regex> made, StateReader* in) const {
  const uint64_t number = in->Number(uint64_t{1} << 33);
  const uint64_t which = number >> 1;
  const bool is_made = (number & 1) != 0;
  if (which >= (is_made ? made.size() : kept_.nodes)) in->Fail();
  if (!in->ok()) return kNever;
  return is_made ? made[which] : static_cast<Regex>(which);
}

Regex Regexes::ReadNode(std::span<const Regex> made, StateReader* in, Budget& budget) {
  const auto kind = static_cast<Kind>(in->Byte());
  switch (kind) {
    case Kind::kBytes: {
      ByteSet set;
      for (unsigned i = 0; i < 32; ++i) set.words[i / 8] |= uint64_t{in->Byte()} << i % 8 * 8;
      // Classes hold it together.
      for (unsigned byte = 0; byte < 256 && in->ok(); ++byte) {
        if (set.Has(static_cast<uint8_t>(byte)) != set.Has(bytes_[classes_[byte]])) in->Fail();
      }
      return in->ok() ? Bytes(set, budget) : kNever;
    }
    case Kind::kThen: {
      const Regex first = ReadRegex(made, in);
      return Then(first, ReadRegex(made, in), budget);
    }
    case Kind::kNot:
      return Not(ReadRegex(made, in), budget);
    case Kind::kRepeat: {
      const Regex part = ReadRegex(made, in);
      const auto min = static_cast<uint32_t>(in->Number(kNoLimit));
      const uint64_t max = in->Number(uint64_t{kNoLimit} + 1);
      if (max != 0 && max <= min) in->Fail();
      return Repeat(part, min, max == 0 ? kNoLimit : static_cast<uint32_t>(max - 1), budget);
    }
    case Kind::kMultiple: {
      const auto divisor = static_cast<uint32_t>(in->Number((uint64_t{1} << 31) + 1));
      const auto rest = static_cast<uint32_t>(in->Number(divisor));
      return in->ok() && divisor > 0 ? Multiple(divisor, rest, budget) : kNever;
    }
    case Kind::kEither:
    case Kind::kBoth: {
      const uint32_t base = work_.size();
      for (uint64_t n = in->Number(kNoLimit); n > 0 && in->ok() && budget.ok(); --n) {
        work_.Add(ReadRegex(made, in), budget);
      }
      const Regex joined = Join(kind, work_.Part(base, work_.size() - base), budget);
      work_.Shrink(base);
      return joined;
    }
    default:
      in->Fail();
      return kNever;
  }
}

size_t Machine::Write(State state, std::span<uint8_t> bytes) const {
  const Row& row = states_[state];
  const std::span<const Item> items = items_.Part(row.first_item, row.n_items);
  NumberSet regexes, frames;
  bool fits = items.size() <= NumberSet::kMost;
  for (uint32_t i = 0; i < items.size() && fits; ++i) {
    const uint32_t frame = items[i].frame;
    fits = regexes_->AddMade(items[i].what, &regexes) && (frame == kNothing || frames.Add(frame));
  }
  for (uint32_t i = 0; i < frames.size() && fits; ++i) {
    const Frame& frame = frames_[frames[i]];
    fits = frame.behind == kNothing || frames.Add(frame.behind);
    if (frame.production == kList && frame.at != kNothing) fits = fits && frames.Add(frame.at);
  }
  if (!fits) return 0;
  regexes.Sort();
  frames.Sort();
  StateWriter out(bytes);
  const auto write_frame = [&](uint32_t frame) {
    out.Short(frame == kNothing ? 0 : frames.IndexOf(frame) + 1);
  };
  out.Byte(row.accepts);
  out.Short(regexes.size());
  for (uint32_t i = 0; i < regexes.size(); ++i) regexes_->WriteNode(regexes[i], &regexes, &out);
  out.Short(frames.size());
  for (uint32_t i = 0; i < frames.size(); ++i) {
    const Frame& frame = frames_[frames[i]];
    out.Number(frame.production == kList ? 0 : uint64_t{frame.production} + 1);
    if (frame.production == kList) {
      write_frame(frame.at);
    } else if (Sees(frame)) {
      const uint64_t words = seen_[frame.at] >> kWordsShift;
      out.Number(seen_[frame.at] & UINT32_MAX);
      for (uint64_t i_byte = 0; i_byte < 8 * (words - 1); ++i_byte) {
        out.Byte(static_cast<uint8_t>(seen_[frame.at + 1 + i_byte / 8] >> i_byte % 8 * 8));
      }
    } else {
      out.Number(frame.at);
    }
    write_frame(frame.behind);
  }
  out.Short(static_cast<uint32_t>(items.size()));
  for (const Item& item : items) {
    regexes_->WriteRegex(item.what, &regexes, &out);
    write_frame(item.frame);
  }
  return out.full() ? 0 : out.size();
}

// What a frame's `at` may be: the set of members in any order that were written, or a number.
uint32_t Machine::ReadAt(const Frame& frame, StateReader* in, Budget& budget) {
  if (Sees(frame)) {
    const size_t n = WordsOf(productions_->members(frame.production));
    uint64_t words[kSeenWords] = {uint64_t{n} << kWordsShift | in->Number(uint64_t{1} << 32)};
    for (size_t i = 0; i < 8 * (n - 1); ++i) words[1 + i / 8] |= uint64_t{in->Byte()} << i % 8 * 8;
    return in->ok() ? PutSeen({words, n}, budget) : 0;
  }
  return static_cast<uint32_t>(in->Number(uint64_t{1} << 32));
}

// A frame of a production in which something can stand behind a part.
bool Machine::MayBeFrame(Production production) const {
  if (production >= productions_->size()) return false;
  const Productions::Kind kind = productions_->node(production).kind;
  return kind == Productions::Kind::kSequence || kind == Productions::Kind::kRepeat ||
         kind == Productions::Kind::kMembers;
}

State Machine::Read(std::span<const uint8_t> bytes, Budget& budget, bool* well_formed) {
  StateReader in(bytes);
  std::array<uint32_t, NumberSet::kMost + 1> regexes, frames;
  const uint8_t accepts = in.Byte();
  if (accepts > 1) in.Fail();
  uint32_t n_regexes = 0, n_frames = 1;
  frames[0] = kNothing;
  const auto read_frame = [&] { return frames[in.Number(n_frames)]; };
  for (uint64_t n = in.Number(regexes.size()); n > 0 && in.ok() && budget.ok(); --n) {
    regexes[n_regexes] = regexes_->ReadNode({regexes.data(), n_regexes}, &in, budget);
    ++n_regexes;
  }
  for (uint64_t n = in.Number(frames.size()); n > 0 && in.ok() && budget.ok(); --n) {
    const uint64_t production = in.Number(uint64_t{1} << 32);
    Frame frame = {kList, 0, 0};
    if (production == 0) {
      frame.at = read_frame();
    } else {
      frame.production = static_cast<Production>(production - 1);
      if (!MayBeFrame(frame.production)) in.Fail();
      if (in.ok()) frame.at = ReadAt(frame, &in, budget);
    }
    frame.behind = read_frame();
    if (in.ok()) frames[n_frames++] = PutFrame(frame, budget);
  }
  gathered_.Shrink(0);
  for (uint64_t n = in.Number(frames.size()); n > 0 && in.ok() && budget.ok(); --n) {
    const Regex what = regexes_->ReadRegex({regexes.data(), n_regexes}, &in);
    gathered_.Add({what, read_frame()}, budget);
  }
  if (!in.at_end()) in.Fail();
  *well_formed = in.ok() || !budget.ok();
  accepts_ = accepts != 0;
  return in.ok() && budget.ok() ? PutState(budget) : kDead;
}

}  // namespace rondo::grammar
