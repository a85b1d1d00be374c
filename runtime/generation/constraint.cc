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
  const TokenHistory& history;
  std::span<const int32_t> behind;

  int32_t operator[](uint64_t position) const {
    return position < history.end() ? history[position] : behind[position - history.end()];
  }
};

namespace {

template <typename Tokens>
struct TextFrom {
  const Tokens& tokens;
  uint64_t begin;

  grammar::GrammarText Until(uint64_t end) const {
    const auto token = [](const void* context, uint64_t i) {
      const auto& text = *static_cast<const TextFrom*>(context);
      return text.tokens[text.begin + i];
    };
    const uint64_t held = tokens.history.begin();
    return {token, this, end - begin, held > begin ? held - begin : 0};
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

Status Constraint::Follow(const TokenHistory& tokens, uint64_t begin) {
  if (begin != begin_) Restart();
  begin_ = begin;
  if (place_.position == kNowhere) place_ = Start(tokens);
  return Read({tokens, {}}, tokens.end(), &place_);
}

// Before the first token of the generation, or the first that is still held.
Constraint::Place Constraint::Start(const TokenHistory& tokens) const {
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
  while (place->position < end) RONDO_RETURN_IF_ERROR(ReadOne(tokens, place));
  return Status();
}

Status Constraint::ReadOne(const Tokens& tokens, Place* place) const {
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
    const TextFrom<Tokens> text = {tokens, place->grammar_begin};
    RONDO_RETURN_IF_ERROR(options_.grammar->Read(text.Until(next.position), &next.grammar));
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

Result<Constraint::Outlook> Constraint::Next(const TokenHistory& tokens,
                                             std::span<const int32_t> behind,
                                             std::span<uint32_t> mask) const {
  const Tokens all = {tokens, behind};
  const uint64_t end = tokens.end() + behind.size();
  Place place = place_;
  RONDO_RETURN_IF_ERROR(Read(all, end, &place));
  Outlook outlook;
  if (thinking_.exists()) outlook.forced = thinking_.Forced(place.thought);
  if (outlook.forced >= 0 || place.grammar_begin == kNowhere) return outlook;
  const TextFrom<Tokens> text = {all, place.grammar_begin};
  RONDO_RETURN_IF_ERROR(options_.grammar->Allowed(text.Until(end), &place.grammar, mask));
  if (MayOpen(place)) {
    const auto token = static_cast<uint32_t>(thinking_.opening()[place.opened]);
    mask[token / 32] |= 1u << token % 32;
  }
  outlook.masked = true;
  return outlook;
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

}  // namespace rondo
