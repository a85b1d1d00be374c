#include "runtime/text/pre_tokenizer.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/utf8.h"
#include "runtime/text/unicode.h"

namespace rondo {

Result<PreTokenizer> PreTokenizer::Create(const TokenizerTables& tables, RegexMemory& memory) {
  PreTokenizer pre_tokenizer;
  pre_tokenizer.turn_ = &memory.turn();
  if (tables.settings->stages() == nullptr) return pre_tokenizer;
  for (const format::Stage* settings : *tables.settings->stages()) {
    Stage& stage = pre_tokenizer.stages_[pre_tokenizer.count_++];
    stage.settings = settings;
    pre_tokenizer.rewrites_ |= settings->kind() == format::StageKind::Rewrite;
    if (settings->kind() == format::StageKind::Pattern) {
      const std::string_view pattern(settings->pattern()->c_str(), settings->pattern()->size());
      RONDO_ASSIGN(stage.regex, Regex::Compile(pattern, !settings->over_bytes(), memory));
    }
  }
  return pre_tokenizer;
}

bool PreTokenizer::Stage::Matches(uint32_t code_point) const {
  switch (settings->kind()) {
    case format::StageKind::Numerals:
      return IsNumeral(code_point);
    case format::StageKind::Punctuation:
      return IsPunctuation(code_point);
    case format::StageKind::Whitespace:
      return IsWhitespace(code_point);
    default:
      return code_point == settings->character();
  }
}

Status PreTokenizer::Stage::Next(std::span<const uint8_t> text, bool more, Piece* piece) const {
  *piece = {text.size(), more, settings->invert()};
  if (settings->kind() == format::StageKind::Pattern) {
    RegexMatch found;
    RONDO_RETURN_IF_ERROR(regex.Find(text.data(), text.size(), more, &found));
    if (found.kind == RegexMatch::Kind::kNone) return {};
    const bool undecided = found.kind == RegexMatch::Kind::kNeedMore;
    *piece = found.begin > 0 || undecided ? Piece{found.begin, undecided, settings->invert()}
                                          : Piece{found.end, false, !settings->invert()};
    return {};
  }
  for (size_t i = 0; i < text.size();) {
    Utf8Step step{ByteAlphabet(text[i]), 1, Utf8Kind::kValid};
    if (!settings->over_bytes()) step = DecodeUtf8(text.data() + i, text.data() + text.size());
    if (Matches(step.code_point)) {
      *piece = i > 0 ? Piece{i, false, settings->invert()}
                     : Piece{step.length, false, !settings->invert()};
      return {};
    }
    i += step.length;
  }
  return {};
}

Status PreTokenizer::Stage::First(std::span<const uint8_t> text, bool more, Piece* piece) const {
  RONDO_RETURN_IF_ERROR(Next(text, more, piece));
  // Does what follows belong to it?
  const auto joins = [&](bool match) {
    switch (settings->behavior()) {
      case format::Behavior::Contiguous:
        return match == piece->match;
      case format::Behavior::MergedWithPrevious:
        return match && !piece->match;
      case format::Behavior::MergedWithNext:
        return !match && piece->match;
      default:
        return false;
    }
  };
  if (piece->size == 0 || piece->open || !(joins(true) || joins(false))) return {};
  // A piece takes in one more at most, but for Contiguous.
  do {
    Piece next;
    if (piece->size < text.size()) {
      RONDO_RETURN_IF_ERROR(Next(text.subspan(piece->size), more, &next));
    }
    if (next.size == 0 ? more : next.open && joins(next.match)) {
      *piece = {};
      return {};
    }
    if (next.size == 0 || !joins(next.match)) return {};
    piece->size += next.size;
  } while (settings->behavior() == format::Behavior::Contiguous);
  return {};
}

Status PreTokenizer::Split(size_t stage, std::span<const uint8_t> text, bool more, Run& run,
                           size_t* taken) const {
  *taken = 0;
  if (stage == count_) {
    *taken = run.model.Encode(text, more);
    turn_->Pause(text.size());
    return {};
  }
  const format::Stage& settings = *stages_[stage].settings;
  if (settings.kind() == format::StageKind::Rewrite) {
    if (more) return {};
    *taken = text.size();
    return Rewrite(stage, text, run);
  }
  while (*taken < text.size()) {
    const std::span<const uint8_t> rest = text.subspan(*taken);
    Piece piece;
    RONDO_RETURN_IF_ERROR(stages_[stage].First(rest, more, &piece));
    // An open piece goes on to the next stage; behind the last one it is a pre-token, and waits.
    if (piece.size == 0 || (piece.open && stage + 1 == count_)) return {};
    size_t done = piece.size;
    if (piece.match && settings.behavior() == format::Behavior::Removed) {
      run.at_start = false;
    } else {
      RONDO_RETURN_IF_ERROR(Split(stage + 1, rest.first(piece.size), piece.open, run, &done));
    }
    *taken += done;
    if (piece.open) return {};
  }
  return {};
}

Status PreTokenizer::Rewrite(size_t stage, std::span<const uint8_t> text, Run& run) const {
  const format::Stage& settings = *stages_[stage].settings;
  const auto* replacement = settings.replacement();
  const auto* prefix = settings.prefix();
  const std::span<uint8_t> out = run.rewritten;
  size_t begin = kMaxPrefixBytes;  // the prefix, should it be needed, lies before the text
  size_t end = begin;
  for (size_t i = 0;;) {
    for (; i < text.size(); ++i) {
      if (out.size() - end < kMaxPrefixBytes && !IsUtf8Continuation(text[i])) break;
      if (text[i] == ' ' && replacement != nullptr && replacement->size() > 0) {
        std::memcpy(out.data() + end, replacement->Data(), replacement->size());
        end += replacement->size();
      } else {
        out[end++] = text[i];
      }
    }
    if (begin == kMaxPrefixBytes && prefix != nullptr &&
        (run.at_start || !settings.prefix_first_only()) &&
        !BeginsWith(out.subspan(begin, end - begin), prefix)) {
      begin -= prefix->size();
      std::memcpy(out.data() + begin, prefix->Data(), prefix->size());
    }
    const bool more = i < text.size();
    size_t taken = 0;
    RONDO_RETURN_IF_ERROR(Split(stage + 1, out.subspan(begin, end - begin), more, run, &taken));
    if (!more) break;
    if (taken == 0) {
      RONDO_RETURN_IF_ERROR(Split(stage + 1, out.subspan(begin, end - begin), false, run, &taken));
    }
    begin += taken;
    std::memmove(out.data(), out.data() + begin, end - begin);
    end -= begin;
    begin = 0;
  }
  run.at_start = false;
  return {};
}

}  // namespace rondo
