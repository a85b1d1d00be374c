#include "runtime/text/normalizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstring>

#include "runtime/text/unicode.h"
#include "runtime/text/utf8.h"

namespace rondo {
namespace {

// Code points below this one are their own NFC and never combine with what is before them; in
// UTF-8 they begin with a byte below the second.
constexpr uint32_t kFirstCombining = 0x300;
constexpr uint8_t kFirstCombiningLead = 0xCC;

constexpr auto kNfc = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);

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
    for (; j > 0 && CombiningClass(sequence[j - 1]) > mark_class; --j)
      sequence[j] = sequence[j - 1];
    sequence[j] = mark;
  }
}

}  // namespace

Normalizer::Normalizer(const format::Tokenizer& settings, std::span<int32_t> sequence,
                       std::span<const uint8_t> text)
    : settings_(settings), sequence_(sequence), text_(text) {}

size_t Normalizer::Put(uint32_t code_point, uint8_t* out) const {
  if (code_point != 0 && code_point == settings_.replace()) {
    const auto* replacement = settings_.replacement();
    if (replacement == nullptr) return 0;
    std::memcpy(out, replacement->Data(), replacement->size());
    return replacement->size();
  }
  return EncodeUtf8(code_point, out);
}

Status Normalizer::PutSequence(uint8_t* out, size_t* written) {
  size_t size = 0;
  const size_t begin = position_;
  do {
    const Utf8Step step = DecodeUtf8(text_.data() + position_, text_.data() + text_.size());
    if (position_ != begin && StartsNormalization(step.code_point)) break;
    int last_boundclass = 0;
    const auto count = utf8proc_decompose_char(
        static_cast<int32_t>(step.code_point), sequence_.data() + size,
        static_cast<utf8proc_ssize_t>(sequence_.size() - size), kNfc, &last_boundclass);
    if (count < 0 || static_cast<size_t>(count) > sequence_.size() - size) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "the text has more than %zu combining characters in a row",
                           kMaxSequence);
    }
    size += static_cast<size_t>(count);
    position_ += step.length;
  } while (position_ < text_.size());

  OrderMarks(sequence_.first(size));
  const auto composed =
      utf8proc_normalize_utf32(sequence_.data(), static_cast<utf8proc_ssize_t>(size), kNfc);
  *written = 0;
  for (utf8proc_ssize_t i = 0; i < composed; ++i) {
    *written += Put(static_cast<uint32_t>(sequence_[static_cast<size_t>(i)]), out + *written);
  }
  return {};
}

Status Normalizer::Fill(std::span<uint8_t> out, size_t* written) {
  uint8_t* to = out.data();
  const uint8_t* const limit =
      out.size() < kStepBytes ? out.data() : out.data() + (out.size() - kStepBytes);
  if (!begun_ && !text_.empty() && to < limit) {
    begun_ = true;
    if (const auto* prefix = settings_.prepend(); prefix != nullptr) {
      std::memcpy(to, prefix->Data(), prefix->size());
      to += prefix->size();
    }
  }
  while (position_ < text_.size() && to < limit) {
    const Utf8Step step = DecodeUtf8(text_.data() + position_, text_.data() + text_.size());
    const size_t next = position_ + step.length;
    if (settings_.nfc() && (step.code_point >= kFirstCombining ||
                            (next < text_.size() && text_[next] >= kFirstCombiningLead))) {
      size_t size = 0;
      RONDO_RETURN_IF_ERROR(PutSequence(to, &size));
      to += size;
    } else {
      to += Put(step.code_point, to);
      position_ = next;
    }
  }
  *written = static_cast<size_t>(to - out.data());
  return {};
}

}  // namespace rondo
