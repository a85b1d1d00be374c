#include "runtime/generation/constraint.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/base/utf8.h"

namespace rondo {
namespace {

constexpr size_t kMostLikelyBytes = 64;  // more than a pass's drafts have

}  // namespace

// A text, and tokens that may come behind it.
struct Constraint::Tokens {
  const KeyHistory& history;
  std::span<const int32_t> behind;

  int32_t operator[](uint64_t position) const {
    return position < history.end() ? history[position] : behind[position - history.end()];
  }
};

namespace {

// A grammar's text, from `begin` on.
template <typename Tokens>
struct TextFrom {
  const Tokens& tokens;
  uint64_t begin;
  const KeptPlace* kept;  // of this text, or another

  grammar::GrammarText Until(uint64_t end) const {
    const auto token = [](const void* context, uint64_t i) {
      const auto& text = *static_cast<const TextFrom*>(context);
      return text.tokens[text.begin + i];
    };
    const uint64_t held = tokens.history.begin();
    grammar::GrammarText text = {token, this, end - begin, held > begin ? held - begin : 0};
    if (kept != nullptr && kept->place.grammar_begin == begin) {
      text.known = kept->known();
      text.known_tokens = kept->place.grammar.read;
    }
    return text;
  }
};

}  // namespace

Status Constraint::Init(const ConstraintOptions& options, const Tokenizer* tokenizer,
                        size_t vocab_size) {
  options_ = options;
  options_.thinking = {};  // its texts are the caller's
  tokenizer_ = tokenizer;
  vocab_size_ = vocab_size;
  return thinking_.Init(options.thinking, tokenizer, vocab_size);
}

Status Constraint::Follow(const KeyHistory& tokens, uint64_t begin, const Cancellation* cancel) {
  if (begin != begin_) Restart();
  begin_ = begin;
  status_ = FollowAll(tokens, cancel);
  return status_;
}

Status Constraint::FollowAll(const KeyHistory& tokens, const Cancellation* cancel) {
  if (place_.position == kNowhere) {
    place_ = Start(tokens);
    next_kept_ = place_.position + KeptPlaces::kBlock;
  }
  while (place_.position < tokens.end()) {
    RONDO_RETURN_IF_ERROR(ReadOne({tokens, {}}, &place_, cancel));
    if (place_.position >= next_kept_) Keep(tokens);
  }
  // A text whose begin is gone goes on from a place that is kept, also where another is at hand: so
  // whether it does never depends on what others have forgotten.
  if (place_.grammar_begin == kNowhere || place_.grammar_begin >= tokens.begin() ||
      kept_.Latest(begin_, place_.position, tokens.begin()) != nullptr) {
    return Status();
  }
  return Status::Error(StatusCode::kConstraint,
                       "the grammar's text is not held from its begin on, and nests too deep to go "
                       "on without it: where it stands takes more than %zu bytes",
                       KeptPlace::kMostBytes);
}

// Where it has no room, the next token tries again.
void Constraint::Keep(const KeyHistory& tokens) {
  KeptPlace& kept = kept_.Fresh(tokens.begin());
  kept.begin = begin_;
  kept.place = place_;
  kept.size = 0;
  if (place_.grammar_begin != kNowhere) {
    kept.size = static_cast<uint16_t>(options_.grammar->Describe(place_.grammar, kept.bytes));
    if (kept.size == 0) return;
  }
  kept_.Keep();
  next_kept_ = place_.position + KeptPlaces::kBlock;
}

Status Constraint::Prepare(const KeyHistory& tokens, uint64_t begin, const Cancellation* cancel) {
  RONDO_RETURN_IF_ERROR(Follow(tokens, begin, cancel));
  const bool forced = thinking_.exists() && thinking_.Forced(place_.thought) >= 0;
  if (forced || place_.grammar_begin == kNowhere) return Status();
  const Tokens all = {tokens, {}};
  const TextFrom<Tokens> text = {all, place_.grammar_begin,
                                 kept_.Latest(begin_, place_.position, tokens.begin())};
  return options_.grammar
      ->Allowed(text.Until(tokens.end()), &place_.grammar, {}, {.cancel = cancel})
      .status();
}

// Where it is kept, else before the first token of the generation, or the first that is still held.
Constraint::Place Constraint::Start(const KeyHistory& tokens) const {
  const KeptPlace* const kept = kept_.Latest(begin_, tokens.end(), tokens.begin());
  if (kept != nullptr) return kept->place;
  Place place;
  place.position = std::max(begin_, tokens.begin());
  if (thinking_.exists()) {
    const uint64_t back = begin_ - std::min(begin_, kLookedBack);
    for (uint64_t at = std::max(tokens.begin(), back); at < begin_; ++at) {
      place.thought = thinking_.Next(place.thought, tokens[at], /*closes=*/false);
    }
    place.thought.tokens = place.thought.written = 0;
  }
  if (!has_grammar()) return place;
  // Where the text's begin is not held any more, its grammar says so.
  const bool held = begin_ >= tokens.begin();
  place.waits = options_.begin == GrammarBegin::kAfterThinking && place.thought.inside && held;
  const bool later = place.waits || (options_.begin == GrammarBegin::kAfterToken && held);
  if (!later) place.grammar_begin = begin_;
  return place;
}

Status Constraint::Read(const Tokens& tokens, uint64_t end, Place* place) const {
  while (place->position < end) RONDO_RETURN_IF_ERROR(ReadOne(tokens, place, nullptr));
  return Status();
}

Status Constraint::ReadOne(const Tokens& tokens, Place* place, const Cancellation* cancel) const {
  const int32_t token = tokens[place->position];
  Place next = *place;
  ++next.position;
  // What a grammar's text contains is no thought.
  const bool may_think = place->grammar_begin == kNowhere || MayOpen(*place);
  if (thinking_.exists()) {
    next.thought =
        may_think ? thinking_.Next(place->thought, token, place->waits) : Thinking::Place();
    next.is_thought = place->thought.inside || next.thought.inside;
  }
  if (MayOpen(*place)) {
    next.opened = token == thinking_.opening()[place->opened] ? place->opened + 1 : 0;
  }
  const auto begin_grammar = [&] {
    next.grammar_begin = next.position;
    next.grammar = {};
  };
  if (place->waits) {
    next.waits = next.thought.inside || Thinking::IsClosing(next.thought);
    if (!next.waits) begin_grammar();
  } else if (next.opened > 0 && next.thought.inside) {
    next.waits = true;
    next.opened = 0;
    next.grammar_begin = kNowhere;
  } else if (place->grammar_begin != kNowhere) {
    const TextFrom<Tokens> text = {tokens, place->grammar_begin,
                                   kept_.Latest(begin_, place->position, tokens.history.begin())};
    RONDO_RETURN_IF_ERROR(options_.grammar->Read(text.Until(next.position), &next.grammar, cancel));
    if (options_.goes_on && IsWhole(next)) next.grammar_begin = kNowhere;
  } else if (options_.begin == GrammarBegin::kAfterToken && token == options_.token) {
    begin_grammar();
  }
  *place = next;
  return Status();
}

bool Constraint::MayOpen(const Place& place) const {
  return options_.begin == GrammarBegin::kAfterThinking && !place.waits &&
         place.grammar_begin == begin_ && place.position == begin_ + place.opened &&
         place.opened < thinking_.opening().size();
}

bool Constraint::IsWhole(const Place& place) const {
  return place.grammar_begin != kNowhere && place.grammar.is_complete;
}

bool Constraint::IsComplete() const {
  return has_grammar() && !options_.goes_on && IsWhole(place_);
}

Result<Constraint::Outlook> Constraint::Next(const KeyHistory& tokens,
                                             std::span<const int32_t> behind,
                                             std::span<uint32_t> mask) const {
  if (status_.code() == StatusCode::kConstraint) return status_;
  const Tokens all = {tokens, behind};
  const uint64_t end = tokens.end() + behind.size();
  Place place = place_;
  RONDO_RETURN_IF_ERROR(Read(all, end, &place));
  Outlook outlook;
  if (thinking_.exists()) outlook.forced = thinking_.Forced(place.thought);
  if (outlook.forced >= 0) return outlook;
  if (place.waits && options_.ends) {  // the grammar's text is still to come
    AllowAllButEnds(mask);
    outlook.masked = true;
    return outlook;
  }
  if (place.grammar_begin == kNowhere) return outlook;
  const TextFrom<Tokens> text = {all, place.grammar_begin,
                                 kept_.Latest(begin_, place.position, tokens.begin())};
  RONDO_ASSIGN(outlook.may_end, options_.grammar->Allowed(text.Until(end), &place.grammar, mask,
                                                          {.ends = options_.ends}));
  if (MayOpen(place)) {
    const auto token = static_cast<uint32_t>(thinking_.opening()[place.opened]);
    mask[token / 32] |= 1u << token % 32;
  }
  outlook.masked = true;
  return outlook;
}

void Constraint::AllowAllButEnds(std::span<uint32_t> mask) const {
  std::fill(mask.begin(), mask.end(), ~0u);
  if (vocab_size_ % 32 != 0) mask[vocab_size_ / 32] = (1u << vocab_size_ % 32) - 1;
  for (const uint32_t token : options_.grammar->end_tokens()) {
    mask[token / 32] &= ~(1u << token % 32);
  }
}

size_t Constraint::Forced(std::span<int32_t> drafts) const {
  if (!thinking_.exists() || place_.position == kNowhere) return 0;
  Thinking::Place thought = place_.thought;
  size_t n = 0;
  for (; n < drafts.size(); ++n) {
    drafts[n] = thinking_.Forced(thought);
    if (drafts[n] < 0) break;
    thought = thinking_.Next(thought, drafts[n], place_.waits);
  }
  return n;
}

size_t Constraint::Likely(std::span<int32_t> drafts) const {
  if (place_.position == kNowhere || place_.grammar_begin == kNowhere || MayOpen(place_)) return 0;
  std::array<uint8_t, kMostLikelyBytes> bytes;
  std::span<const uint8_t> forced =
      std::span(bytes).first(options_.grammar->Forced(place_.grammar, bytes));
  size_t n = 0;
  while (n < drafts.size()) {
    const std::span<int32_t> rest = drafts.subspan(n);
    size_t count = 1;
    size_t read = grammar::SpecialCode::kBytes;
    if (const uint32_t special = grammar::SpecialCode::Read(forced);
        special != grammar::TokenTrie::kNoToken) {
      rest[0] = static_cast<int32_t>(special);
    } else {
      read = Utf8Prefix(forced);  // up to what is no character yet, or is a special token's
      const std::string_view text(reinterpret_cast<const char*>(forced.data()), read);
      const Status status = tokenizer_->Encode(text, /*add_special=*/false, rest, &count);
      if (!status.ok() && status.code() != StatusCode::kBufferTooSmall) break;
      count = std::min(count, rest.size());
    }
    if (read == 0) break;
    for (size_t i = 0; i < count; ++i, ++n) {
      if (static_cast<size_t>(drafts[n]) >= vocab_size_) return n;
    }
    forced = forced.subspan(read);
  }
  return n;
}

uint64_t Constraint::Identity() const {
  grammar::Hash hash;
  hash.Add(has_grammar() ? options_.grammar->identity() : 0);
  hash.Add(static_cast<uint64_t>(options_.begin)).Add(static_cast<uint32_t>(options_.token));
  hash.Add(options_.goes_on).Add(thinking_.exists() ? thinking_.Identity() : 0);
  return hash.value();
}

namespace {

void WritePlace(const KeptPlace& kept, grammar::StateWriter* out) {
  const ConstraintPlace& place = kept.place;
  out->Number(place.position);
  for (const bool flag : {place.thought.inside, place.is_thought, place.waits}) out->Byte(flag);
  for (const uint8_t number :
       {place.thought.matched, place.thought.unfinished, place.thought.written}) {
    out->Byte(number);
  }
  out->Number(place.thought.tokens);
  out->Number(place.opened);
  const bool has_text = place.grammar_begin != ConstraintPlace::kNowhere;
  out->Number(has_text ? place.grammar_begin + 1 : 0);
  out->Number(place.grammar.read);
  out->Byte(place.grammar.is_complete);
  out->Number(kept.size);
  for (const uint8_t byte : kept.known()) out->Byte(byte);
}

}  // namespace

size_t Constraint::Save(const KeyHistory& tokens, uint64_t begin, std::span<uint8_t> out) const {
  grammar::StateWriter writer(out);
  const uint64_t identity = Identity();
  for (unsigned shift = 0; shift < 64; shift += 8) {
    writer.Byte(static_cast<uint8_t>(identity >> shift));
  }
  size_t n = 0;
  for (const KeptPlace& kept : kept_.all()) {
    if (kept.begin != begin || kept.place.position < tokens.begin()) continue;
    WritePlace(kept, &writer);
    ++n;
  }
  return n > 0 ? writer.size() : 0;
}

bool Constraint::ReadPlace(grammar::StateReader* in, uint64_t begin, uint64_t end,
                           KeptPlace* kept) const {
  Place& place = kept->place;
  place = {};
  kept->begin = begin;
  place.position = in->Number(end + 1);
  const auto flag = [&] {
    const uint8_t byte = in->Byte();
    if (byte > 1) in->Fail();
    return byte == 1;
  };
  place.thought.inside = flag();
  place.is_thought = flag();
  place.waits = flag();
  place.thought.matched = in->Byte();
  place.thought.unfinished = in->Byte();
  place.thought.written = in->Byte();
  place.thought.tokens = in->Number(end + 1);
  place.opened = static_cast<uint32_t>(in->Number(thinking_.opening().size() + 1));
  const uint64_t text = in->Number(place.position + 2);
  place.grammar_begin = text == 0 ? kNowhere : text - 1;
  place.grammar.read = in->Number(end + 1);
  place.grammar.is_complete = flag();
  kept->size = static_cast<uint16_t>(in->Number(KeptPlace::kMostBytes + 1));
  for (size_t i = 0; i < kept->size; ++i) kept->bytes[i] = in->Byte();
  const bool has_text = text != 0;
  return in->ok() && place.position >= begin && has_text == (kept->size > 0) &&
         (!thinking_.exists() || thinking_.IsPlace(place.thought)) &&
         (!has_text || (has_grammar() && place.grammar_begin >= begin &&
                        place.grammar.read <= place.position - place.grammar_begin));
}

// `places`: where they go; null: nowhere.
Status Constraint::ReadSaved(std::span<const uint8_t> bytes, uint64_t begin, uint64_t first,
                             uint64_t end, KeptPlaces* places) const {
  if (bytes.empty()) return Status();
  grammar::StateReader in(bytes);
  uint64_t identity = 0;
  for (unsigned shift = 0; shift < 64; shift += 8) identity |= uint64_t{in.Byte()} << shift;
  if (in.ok() && identity != Identity()) return Status();
  uint64_t next = first;
  for (KeptPlace kept; !in.at_end() && in.ok(); next = kept.place.position + 1) {
    if (!ReadPlace(&in, begin, end, &kept) || kept.place.position < next) in.Fail();
    if (!in.ok() || places == nullptr) continue;
    places->Fresh(first) = kept;
    places->Keep();
  }
  if (in.ok()) return Status();
  return Status::Error(StatusCode::kCorrupt,
                       "snapshot: what %zu bytes say of where the text stands by its grammar is "
                       "not well-formed",
                       bytes.size());
}

Status Constraint::CheckSaved(std::span<const uint8_t> bytes, uint64_t begin, uint64_t first,
                              uint64_t end) const {
  return ReadSaved(bytes, begin, first, end, nullptr);
}

void Constraint::Load(std::span<const uint8_t> bytes, uint64_t begin, uint64_t first,
                      uint64_t end) {
  static_cast<void>(ReadSaved(bytes, begin, first, end, &kept_));
}

}  // namespace rondo
