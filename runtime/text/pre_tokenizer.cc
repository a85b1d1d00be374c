#include "runtime/text/pre_tokenizer.h"

#include <utility>

#include "runtime/text/unicode.h"
#include "runtime/text/utf8.h"

namespace rondo {

void PreTokenizer::Cursor::Shift(size_t bytes) {
  for (Piece& level : levels_) level.end = level.end < bytes ? 0 : level.end - bytes;
}

Result<PreTokenizer> PreTokenizer::Create(const TokenizerTables& tables, RegexMemory& memory) {
  PreTokenizer pre_tokenizer;
  if (tables.settings->stages() == nullptr) return pre_tokenizer;
  for (const format::Stage* settings : *tables.settings->stages()) {
    Stage& stage = pre_tokenizer.stages_[pre_tokenizer.count_++];
    stage.kind = settings->kind();
    stage.each = settings->each();
    stage.over_bytes = settings->over_bytes();
    stage.character = settings->character();
    if (stage.kind == format::StageKind::Pattern) {
      const std::string_view pattern(settings->pattern()->c_str(), settings->pattern()->size());
      RONDO_ASSIGN(stage.regex, Regex::Compile(pattern, !stage.over_bytes, memory));
    }
  }
  return pre_tokenizer;
}

bool PreTokenizer::Stage::Matches(uint32_t code_point) const {
  switch (kind) {
    case format::StageKind::Numerals:
      return IsNumeral(code_point);
    case format::StageKind::Punctuation:
      return IsPunctuation(code_point);
    default:
      return code_point == character;
  }
}

Status PreTokenizer::Stage::SplitByPattern(std::span<const uint8_t> buffer, size_t begin,
                                           Piece outer, Piece* inner) const {
  size_t match_begin = 0;
  size_t match_end = 0;
  const size_t size = outer.end - begin;
  switch (regex.Find(buffer.data() + begin, size, !outer.closed, &match_begin, &match_end)) {
    case Regex::Outcome::kMatch:
      *inner = {begin + (match_begin > 0 ? match_begin : match_end), true};
      return {};
    case Regex::Outcome::kNoMatch:
      *inner = outer;
      return {};
    case Regex::Outcome::kNeedMore:
      *inner = {begin, false};
      return {};
    case Regex::Outcome::kExhausted:
      break;
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "the tokenizer's pattern gave up on %zu bytes of text without a place to "
                       "split: its step or memory limit was reached",
                       size);
}

Piece PreTokenizer::Stage::SplitByClass(std::span<const uint8_t> buffer, size_t begin,
                                        Piece outer) const {
  bool first_matches = false;
  for (size_t i = begin; i < outer.end;) {
    Utf8Step step;
    if (over_bytes) {
      step = {ByteAlphabet(buffer[i]), 1, Utf8Kind::kValid};
    } else {
      step = DecodeUtf8(buffer.data() + i, buffer.data() + outer.end);
    }
    const bool matches = Matches(step.code_point);
    if (i == begin) {
      first_matches = matches;
    } else if (kind == format::StageKind::BeforeCharacter
                   ? matches
                   : matches != first_matches || (each && matches)) {
      return {i, true};
    }
    i += step.length;
  }
  return outer;
}

Status PreTokenizer::Stage::Split(std::span<const uint8_t> buffer, size_t begin, Piece outer,
                                  Piece* inner) const {
  if (kind == format::StageKind::Pattern) return SplitByPattern(buffer, begin, outer, inner);
  *inner = SplitByClass(buffer, begin, outer);
  return {};
}

Status PreTokenizer::Next(std::span<const uint8_t> buffer, size_t begin, Piece text, Cursor& cursor,
                          size_t* end) const {
  Piece outer = text;
  for (size_t i = 0; i < count_; ++i) {
    Piece& level = cursor.levels_[i];
    // A closed piece stands until it is used up, an open one until more text is there.
    const bool stands =
        level.end > begin && (level.closed || (level.end == outer.end && !outer.closed));
    if (!stands) RONDO_RETURN_IF_ERROR(stages_[i].Split(buffer, begin, outer, &level));
    outer = level;
    if (outer.end == begin) break;
  }
  *end = outer.closed ? outer.end : 0;
  return {};
}

}  // namespace rondo
