// NormalizerStep's charsmap: SentencePiece's compiled rules, as Hugging Face applies them. A
// grapheme cluster of less than six bytes becomes what the shortest rule at its beginning says,
// whatever else is in it; else the same for each of its characters.
#include <utf8proc.h>

#include <cstring>

#include "runtime/base/utf8.h"
#include "runtime/text/normalizer_step.h"

namespace rondo {
namespace {

constexpr size_t kMaxClusterBytes = 5;

}  // namespace

bool NormalizerStep::PutRule(NormalizerPortion& portion, std::span<const uint8_t> text) const {
  uint32_t node = 0;
  for (const uint8_t byte : text) {
    node = charsmap_.Next(node, byte);
    if (node == 0) return false;
    if (charsmap_.Value(node) == Trie::kNone) continue;
    // Check saw to it that a text of less than kMaxContentBytes ends before the section does.
    for (size_t i = charsmap_.Value(node); charsmap_texts_[i] != 0; ++i) {
      portion.out[portion.written++] = charsmap_texts_[i];
    }
    return true;
  }
  return false;
}

void NormalizerStep::PutCharacterByRule(NormalizerPortion& portion, size_t length) const {
  const std::span<const uint8_t> character = portion.in.subspan(portion.taken, length);
  if (!PutRule(portion, character)) {
    std::memcpy(portion.out.data() + portion.written, character.data(), length);
    portion.written += length;
  }
  portion.taken += length;
}

void NormalizerStep::Charsmap(NormalizerPortion& portion, NormalizerState& state) const {
  const uint8_t* const end = portion.in.data() + portion.in.size();
  const uint8_t* const begin = portion.in.data() + portion.taken;
  const Utf8Step first = DecodeUtf8(begin, end);
  auto previous = static_cast<int32_t>(first.code_point);
  if (state.inside_cluster) {
    if (utf8proc_grapheme_break_stateful(state.previous, previous, &state.breaks)) {
      state = {};
    } else {
      state.previous = previous;
      PutCharacterByRule(portion, first.length);
      return;
    }
  }
  // ASCII before ASCII is a cluster by itself, but for a line's end in two characters.
  if (end - begin >= 2 && begin[0] < 0x80 && begin[1] < 0x80 && begin[0] != '\r') {
    PutCharacterByRule(portion, 1);
    return;
  }
  const uint8_t* at = begin + first.length;
  int32_t breaks = 0;
  bool ends = false;
  while (!ends && static_cast<size_t>(at - begin) <= kMaxClusterBytes) {
    if (at == end) {
      if (portion.more()) return;
      break;
    }
    const Utf8Step step = DecodeUtf8(at, end);
    const auto code_point = static_cast<int32_t>(step.code_point);
    ends = utf8proc_grapheme_break_stateful(previous, code_point, &breaks);
    if (!ends) at += step.length;
    previous = code_point;
  }
  const auto size = static_cast<size_t>(at - begin);
  if (size > kMaxClusterBytes) {
    // Character by character, to the cluster's end.
    state = {false, true, static_cast<int32_t>(first.code_point), 0};
    PutCharacterByRule(portion, first.length);
  } else if (PutRule(portion, {begin, size})) {
    portion.taken += size;
  } else {
    while (portion.in.data() + portion.taken < at) {
      PutCharacterByRule(portion, DecodeUtf8(portion.in.data() + portion.taken, at).length);
    }
  }
}

}  // namespace rondo
