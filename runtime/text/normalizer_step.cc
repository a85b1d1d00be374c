#include "runtime/text/normalizer_step.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "runtime/base/utf8.h"
#include "runtime/text/unicode.h"

namespace rondo {
namespace {

Utf8Step Next(const NormalizerPortion& portion) {
  return DecodeUtf8(portion.in.data() + portion.taken, portion.in.data() + portion.in.size());
}

void Put(NormalizerPortion& portion, const uint8_t* bytes, size_t count) {
  std::memcpy(portion.out.data() + portion.written, bytes, count);
  portion.written += count;
}

void Put(NormalizerPortion& portion, const flatbuffers::String* text) {
  if (text != nullptr) Put(portion, text->Data(), text->size());
}

void PutCodePoint(NormalizerPortion& portion, uint32_t code_point) {
  portion.written += EncodeUtf8(code_point, portion.out.data() + portion.written);
}

// Copies `count` bytes of the input, whole characters, or as many of them as leave room for a
// step's content.
void Copy(NormalizerPortion& portion, size_t count) {
  const std::span<const uint8_t> rest = portion.in.subspan(portion.taken);
  portion.Copy(Utf8Cut(rest, std::min(count, portion.room() - kMaxContentBytes)));
}

}  // namespace

void NormalizerPortion::Copy(size_t count) {
  if (marks.out != nullptr) {
    Settle();
    std::memcpy(marks.out + written, marks.in + taken, count);
    marks.written += count;
    marks.taken += count;
  }
  std::memcpy(out.data() + written, in.data() + taken, count);
  written += count;
  taken += count;
}

void NormalizerPortion::Settle() {
  if (marks.out == nullptr) return;
  const bool any =
      std::any_of(marks.in + marks.taken, marks.in + taken, [](uint8_t mark) { return mark != 0; });
  std::memset(marks.out + marks.written, any ? 1 : 0, written - marks.written);
  marks.written = written;
  marks.taken = taken;
}

Result<NormalizerStep> NormalizerStep::Create(const TokenizerTables& tables,
                                              const format::NormalizerStep& settings,
                                              RegexMemory& memory) {
  NormalizerStep step;
  step.settings_ = &settings;
  step.form_ = UTF8PROC_STABLE | (settings.compose() ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE) |
               (settings.compatibility() ? UTF8PROC_COMPAT : 0);
  if (settings.kind() == format::NormalizerKind::Replace && settings.regex()) {
    const std::string_view pattern(settings.pattern()->c_str(), settings.pattern()->size());
    RONDO_ASSIGN(step.regex_, Regex::Compile(pattern, /*utf=*/true, memory));
  }
  if (settings.kind() == format::NormalizerKind::Charsmap) {
    step.charsmap_ = Trie(tables.charsmap);
    step.charsmap_texts_ = tables.charsmap_texts;
  }
  return step;
}

Status NormalizerStep::Run(NormalizerPortion& portion, NormalizerState& state,
                           std::span<int32_t> sequence) const {
  for (size_t before = SIZE_MAX;
       portion.taken != before && portion.left() > 0 && portion.room() >= kRoomBytes;) {
    portion.full &= before == SIZE_MAX;  // once
    before = portion.taken;
    switch (settings_->kind()) {
      case format::NormalizerKind::Form:
        Form(portion, sequence);
        break;
      case format::NormalizerKind::Lowercase:
        Lowercase(portion);
        break;
      case format::NormalizerKind::StripMarks:
        StripMarks(portion);
        break;
      case format::NormalizerKind::Replace:
        if (settings_->regex()) {
          RONDO_RETURN_IF_ERROR(ReplacePattern(portion));
        } else {
          ReplaceText(portion);
        }
        break;
      case format::NormalizerKind::Prepend:
        Prepend(portion, state);
        break;
      case format::NormalizerKind::Strip:
        Strip(portion, state);
        break;
      case format::NormalizerKind::Charsmap:
        Charsmap(portion, state);
        break;
      default:
        break;  // Check refused it
    }
    portion.Settle();
  }
  return {};
}

void NormalizerStep::Lowercase(NormalizerPortion& portion) const {
  const Utf8Step step = Next(portion);
  portion.taken += step.length;
  PutCodePoint(portion, ToLowercase(step.code_point));
  // The one character whose lower case is two.
  if (step.code_point == 0x130) PutCodePoint(portion, 0x307);
}

void NormalizerStep::StripMarks(NormalizerPortion& portion) const {
  const Utf8Step step = Next(portion);
  if (IsMark(step.code_point)) {
    portion.taken += step.length;
  } else {
    Copy(portion, step.length);
  }
}

void NormalizerStep::ReplaceText(NormalizerPortion& portion) const {
  const flatbuffers::String& pattern = *settings_->pattern();
  const uint8_t* const at = portion.in.data() + portion.taken;
  const auto* hit = static_cast<const uint8_t*>(std::memchr(at, pattern.Data()[0], portion.left()));
  if (hit != at) {
    Copy(portion, hit == nullptr ? portion.left() : static_cast<size_t>(hit - at));
    return;
  }
  const size_t compared = std::min<size_t>(pattern.size(), portion.left());
  const bool begins = std::memcmp(at, pattern.Data(), compared) == 0;
  if (begins && compared == pattern.size()) {
    portion.taken += pattern.size();
    Put(portion, settings_->content());
  } else if (!begins || !portion.more()) {
    Copy(portion, Next(portion).length);
  }
}

Status NormalizerStep::ReplacePattern(NormalizerPortion& portion) const {
  RegexMatch match;
  RONDO_RETURN_IF_ERROR(
      regex_.Find(portion.in.data() + portion.taken, portion.left(), portion.more(), &match));
  const bool found = match.kind == RegexMatch::Kind::kFound;
  const size_t clear = match.kind == RegexMatch::Kind::kNone ? portion.left() : match.begin;
  const size_t end = portion.taken + clear;
  Copy(portion, clear);
  // Where what lies before the match fills the room, it is found again.
  if (found && portion.taken == end) {
    Put(portion, settings_->content());
    portion.taken += match.end - match.begin;
  }
  return {};
}

void NormalizerStep::Prepend(NormalizerPortion& portion, NormalizerState& state) const {
  if (!state.begun) Put(portion, settings_->content());
  state.begun = true;
  Copy(portion, portion.left());
}

void NormalizerStep::Strip(NormalizerPortion& portion, NormalizerState& state) const {
  const size_t space = LeadingWhitespace(portion.in.subspan(portion.taken));
  if (space > 0 && !state.begun && settings_->left()) {
    portion.taken += space;
  } else if (space > 0 && space == portion.left() && settings_->right() && !portion.full) {
    if (portion.last) portion.taken += space;  // else what follows decides
  } else {
    state.begun = true;
    Copy(portion, space > 0 ? space : Next(portion).length);
  }
}

}  // namespace rondo
