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

bool HasRoom(const NormalizerPortion& portion) {
  return portion.room() >= NormalizerStep::kRoomBytes;
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

// Copies `count` bytes of the input, whole characters, or as many of them as fit into `room`.
void Copy(NormalizerPortion& portion, size_t count, size_t room) {
  const uint8_t* const at = portion.in.data() + portion.taken;
  if (count > room) {
    count = room;
    while (count > 0 && (at[count] & 0xC0) == 0x80) --count;
  }
  Put(portion, at, count);
  portion.taken += count;
}

void Copy(NormalizerPortion& portion, size_t count) { Copy(portion, count, portion.room()); }

}  // namespace

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
  switch (settings_->kind()) {
    case format::NormalizerKind::Form:
      return RunForm(portion, sequence);
    case format::NormalizerKind::Lowercase:
      RunLowercase(portion);
      break;
    case format::NormalizerKind::StripMarks:
      RunStripMarks(portion);
      break;
    case format::NormalizerKind::Replace:
      if (settings_->regex()) return RunReplacePattern(portion);
      RunReplaceText(portion);
      break;
    case format::NormalizerKind::Prepend:
      RunPrepend(portion, state);
      break;
    case format::NormalizerKind::Strip:
      RunStrip(portion, state);
      break;
    case format::NormalizerKind::Charsmap:
      RunCharsmap(portion, state);
      break;
    default:
      break;  // Check refused it
  }
  return {};
}

void NormalizerStep::RunLowercase(NormalizerPortion& portion) const {
  while (portion.left() > 0 && HasRoom(portion)) {
    const Utf8Step step = Next(portion);
    portion.taken += step.length;
    PutCodePoint(portion, ToLowercase(step.code_point));
    // The one character whose lower case is two.
    if (step.code_point == 0x130) PutCodePoint(portion, 0x307);
  }
}

void NormalizerStep::RunStripMarks(NormalizerPortion& portion) const {
  while (portion.left() > 0 && HasRoom(portion)) {
    const Utf8Step step = Next(portion);
    if (IsMark(step.code_point)) {
      portion.taken += step.length;
    } else {
      Copy(portion, step.length);
    }
  }
}

void NormalizerStep::RunReplaceText(NormalizerPortion& portion) const {
  const uint8_t* const pattern = settings_->pattern()->Data();
  const size_t size = settings_->pattern()->size();
  while (portion.left() > 0 && HasRoom(portion)) {
    const uint8_t* const at = portion.in.data() + portion.taken;
    const auto* hit = static_cast<const uint8_t*>(std::memchr(at, pattern[0], portion.left()));
    if (hit != at) {
      // Room for the content, should it follow, was asked for before.
      const size_t clear = hit == nullptr ? portion.left() : static_cast<size_t>(hit - at);
      Copy(portion, clear, portion.room() - kMaxContentBytes);
      continue;
    }
    const size_t seen = std::min(size, portion.left());
    const bool equal = std::memcmp(at, pattern, seen) == 0;
    if (equal && seen == size) {
      portion.taken += size;
      Put(portion, settings_->content());
    } else if (equal && !portion.last) {
      return;  // what follows decides
    } else {
      Copy(portion, Next(portion).length);
    }
  }
}

Status NormalizerStep::RunReplacePattern(NormalizerPortion& portion) const {
  while (portion.left() > 0 && HasRoom(portion)) {
    size_t begin = 0;
    size_t end = 0;
    switch (regex_.Find(portion.in.data() + portion.taken, portion.left(), !portion.last, &begin,
                        &end)) {
      case Regex::Outcome::kNoMatch:
        Copy(portion, portion.left());
        return {};
      case Regex::Outcome::kNeedMore:
        Copy(portion, begin);
        return {};
      case Regex::Outcome::kMatch:
        if (begin + kMaxContentBytes > portion.room()) {
          // What lies before the match fills the room; the match is found again.
          Copy(portion, begin, portion.room() - kMaxContentBytes);
          return {};
        }
        Copy(portion, begin);
        Put(portion, settings_->content());
        portion.taken += end - begin;
        continue;
      case Regex::Outcome::kExhausted:
        return Status::Error(StatusCode::kInvalidArgument,
                             "the tokenizer's pattern for replacing gave up on %zu bytes of text: "
                             "its step or memory limit was reached",
                             portion.left());
    }
  }
  return {};
}

void NormalizerStep::RunPrepend(NormalizerPortion& portion, NormalizerState& state) const {
  if (!HasRoom(portion)) return;
  if (!state.begun && portion.left() > 0) {
    state.begun = true;
    Put(portion, settings_->content());
  }
  Copy(portion, portion.left());
}

void NormalizerStep::RunStrip(NormalizerPortion& portion, NormalizerState& state) const {
  while (portion.left() > 0 && HasRoom(portion)) {
    // A run of whitespace.
    size_t space = 0;
    while (space < portion.left()) {
      const uint8_t* const at = portion.in.data() + portion.taken;
      const Utf8Step step = DecodeUtf8(at + space, at + portion.left());
      if (!IsWhitespace(step.code_point)) break;
      space += step.length;
    }
    if (!state.begun && settings_->left()) {
      portion.taken += space;
      space = 0;
    } else if (space == portion.left() && settings_->right()) {
      if (portion.last) portion.taken += space;
      return;  // else what follows decides
    }
    if (portion.left() == 0) return;
    state.begun = true;
    if (space + 4 > portion.room()) {
      Copy(portion, space);
      return;
    }
    Copy(portion, space);
    if (portion.left() > 0) Copy(portion, Next(portion).length);
  }
}

}  // namespace rondo
