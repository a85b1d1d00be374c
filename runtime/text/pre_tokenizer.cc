#include "runtime/text/pre_tokenizer.h"

#include <utility>

#include "runtime/base/utf8.h"
#include "runtime/text/unicode.h"

namespace rondo {

void PreTokenizer::Cursor::Shift(size_t bytes) {
  for (Piece& level : levels_) level.end = level.end < bytes ? 0 : level.end - bytes;
}

Result<PreTokenizer> PreTokenizer::Create(const TokenizerTables& tables, uint32_t first,
                                          uint32_t last, RegexMemory& memory) {
  PreTokenizer pre_tokenizer;
  for (uint32_t i = first; i < last; ++i) {
    const format::Stage* settings = tables.settings->stages()->Get(i);
    Stage& stage = pre_tokenizer.stages_[pre_tokenizer.count_++];
    stage.kind = settings->kind();
    stage.behavior = settings->behavior();
    stage.invert = settings->invert();
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
    case format::StageKind::Whitespace:
      return IsWhitespace(code_point);
    default:
      return code_point == character;
  }
}

Status PreTokenizer::Stage::NextByPattern(std::span<const uint8_t> buffer, size_t begin,
                                          Piece outer, Segment* segment) const {
  size_t match_begin = 0;
  size_t match_end = 0;
  const size_t size = outer.end - begin;
  switch (regex.Find(buffer.data() + begin, size, !outer.closed, &match_begin, &match_end)) {
    case Regex::Outcome::kMatch:
      *segment = match_begin > 0 ? Segment{begin + match_begin, true, false}
                                 : Segment{begin + match_end, true, true};
      return {};
    case Regex::Outcome::kNoMatch:
      *segment = {outer.end, outer.closed, false};
      return {};
    case Regex::Outcome::kNeedMore:
      *segment = {begin, false, false};
      return {};
    case Regex::Outcome::kExhausted:
      break;
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "the tokenizer's pattern gave up on %zu bytes of text without a place to "
                       "split: its step or memory limit was reached",
                       size);
}

PreTokenizer::Segment PreTokenizer::Stage::NextByClass(std::span<const uint8_t> buffer,
                                                       size_t begin, Piece outer) const {
  for (size_t i = begin; i < outer.end;) {
    Utf8Step step;
    if (over_bytes) {
      step = {ByteAlphabet(buffer[i]), 1, Utf8Kind::kValid};
    } else {
      step = DecodeUtf8(buffer.data() + i, buffer.data() + outer.end);
    }
    if (Matches(step.code_point)) {
      return i == begin ? Segment{i + step.length, true, true} : Segment{i, true, false};
    }
    i += step.length;
  }
  return {outer.end, outer.closed, false};
}

Status PreTokenizer::Stage::Next(std::span<const uint8_t> buffer, size_t begin, Piece outer,
                                 Segment* segment) const {
  if (kind == format::StageKind::Pattern) {
    RONDO_RETURN_IF_ERROR(NextByPattern(buffer, begin, outer, segment));
  } else {
    *segment = NextByClass(buffer, begin, outer);
  }
  segment->match ^= invert;
  return {};
}

Status PreTokenizer::Stage::Split(std::span<const uint8_t> buffer, size_t begin, Piece outer,
                                  Piece* inner) const {
  Segment first;
  RONDO_RETURN_IF_ERROR(Next(buffer, begin, outer, &first));
  *inner = {first.end, first.closed, behavior == format::Behavior::Removed && first.match};
  // Does what follows belong to it?
  const auto joins = [&](bool match) {
    switch (behavior) {
      case format::Behavior::Contiguous:
        return match == first.match;
      case format::Behavior::MergedWithPrevious:
        return match && !first.match;
      case format::Behavior::MergedWithNext:
        return !match && first.match;
      default:
        return false;
    }
  };
  // A piece takes in one more segment at most, but for Contiguous.
  bool more = joins(true) || joins(false);
  while (more && inner->closed) {
    if (inner->end == outer.end) {
      inner->closed = outer.closed;
      break;
    }
    Segment next;
    RONDO_RETURN_IF_ERROR(Next(buffer, inner->end, outer, &next));
    if (next.end == inner->end) {
      inner->closed = false;  // not known yet
    } else if (!joins(next.match)) {
      break;
    } else {
      *inner = {next.end, next.closed, false};
    }
    more = behavior == format::Behavior::Contiguous;
  }
  return {};
}

Status PreTokenizer::Next(std::span<const uint8_t> buffer, size_t begin, Piece text, Cursor& cursor,
                          Piece* pre_token) const {
  Piece outer = text;
  for (size_t i = 0; i < count_ && !outer.removed; ++i) {
    Piece& level = cursor.levels_[i];
    // A closed piece stands until it is used up, an open one until more text is there.
    const bool stands =
        level.end > begin && (level.closed || (level.end == outer.end && !outer.closed));
    if (!stands) RONDO_RETURN_IF_ERROR(stages_[i].Split(buffer, begin, outer, &level));
    outer = level;
    if (outer.end == begin) break;
  }
  *pre_token = outer;
  return {};
}

}  // namespace rondo
