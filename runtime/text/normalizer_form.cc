// NormalizerStep's Unicode normalisation forms.
#include <utf8proc.h>

#include "runtime/base/utf8.h"
#include "runtime/text/normalizer_step.h"
#include "runtime/text/unicode.h"

namespace rondo {
namespace {

// Code points below this one never combine with what is before them; in UTF-8 the others begin
// with this byte or a greater one.
constexpr uint32_t kFirstCombining = 0x300;
constexpr uint8_t kFirstCombiningLead = 0xCC;

uint8_t CombiningClass(int32_t code_point) {
  return static_cast<uint8_t>(utf8proc_get_property(code_point)->combining_class);
}

// Puts marks into canonical order: by class, stable, starters stay.
void OrderMarks(std::span<int32_t> sequence) {
  for (size_t i = 1; i < sequence.size(); ++i) {
    const int32_t mark = sequence[i];
    const uint8_t mark_class = CombiningClass(mark);
    if (mark_class == 0) continue;
    size_t j = i;
    for (; j > 0 && CombiningClass(sequence[j - 1]) > mark_class; --j) {
      sequence[j] = sequence[j - 1];
    }
    sequence[j] = mark;
  }
}

}  // namespace

bool NormalizerStep::StartsSequence(uint32_t code_point) const {
  if (!StartsNormalization(code_point)) return false;
  if (!settings_->compatibility() || code_point < kFirstCombining) return true;
  // Some characters are compatible with marks, or with vowels and finals of Hangul.
  int32_t parts[32];
  int boundclass = 0;
  const auto count = utf8proc_decompose_char(static_cast<int32_t>(code_point), parts, 32,
                                             static_cast<utf8proc_option_t>(form_), &boundclass);
  return count < 1 || StartsNormalization(static_cast<uint32_t>(parts[0]));
}

void NormalizerStep::PutSequence(NormalizerPortion& portion, std::span<int32_t> sequence) const {
  const auto options = static_cast<utf8proc_option_t>(form_);
  const uint8_t* const end = portion.in.data() + portion.in.size();
  const uint8_t* at = portion.in.data() + portion.taken;
  size_t size = 0;
  for (;;) {
    if (at == end) {
      if (portion.more()) return;
      break;
    }
    const Utf8Step step = DecodeUtf8(at, end);
    if (size > 0 && StartsSequence(step.code_point)) break;
    int boundclass = 0;
    const auto count = utf8proc_decompose_char(
        static_cast<int32_t>(step.code_point), sequence.data() + size,
        static_cast<utf8proc_ssize_t>(sequence.size() - size), options, &boundclass);
    // No room for its parts: the sequence is cut.
    if (count < 0 || static_cast<size_t>(count) > sequence.size() - size) break;
    size += static_cast<size_t>(count);
    at += step.length;
  }
  OrderMarks(sequence.first(size));
  if (settings_->compose()) {
    size = static_cast<size_t>(
        utf8proc_normalize_utf32(sequence.data(), static_cast<utf8proc_ssize_t>(size), options));
  }
  portion.taken = static_cast<size_t>(at - portion.in.data());
  for (size_t i = 0; i < size; ++i) {
    portion.written +=
        EncodeUtf8(static_cast<uint32_t>(sequence[i]), portion.out.data() + portion.written);
  }
}

void NormalizerStep::Form(NormalizerPortion& portion, std::span<int32_t> sequence) const {
  // Code points below this are their own normal form.
  const bool nfc = settings_->compose() && !settings_->compatibility();
  const uint32_t first_changing = nfc ? kFirstCombining : 0x80;
  const uint8_t* const at = portion.in.data() + portion.taken;
  // ASCII, but for the last character before something else, goes as it is.
  size_t plain = 0;
  const size_t limit = std::min(portion.left(), portion.room());
  while (plain < limit && at[plain] < 0x80) ++plain;
  if (plain < portion.left() || portion.more()) plain -= plain > 0 ? 1 : 0;
  if (plain == 0) {
    const Utf8Step step = DecodeUtf8(at, at + portion.left());
    const bool ends = step.length == portion.left();
    if (ends && portion.more()) return;
    if (step.code_point >= first_changing || (!ends && at[step.length] >= kFirstCombiningLead)) {
      PutSequence(portion, sequence);
      return;
    }
    plain = step.length;
  }
  portion.Copy(plain);
}

}  // namespace rondo
