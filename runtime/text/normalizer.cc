#include "runtime/text/normalizer.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/utf8.h"

namespace rondo {
namespace {

// Between steps text moves in portions that stay in the cache.
constexpr size_t kPortionBytes = size_t{16} << 10;
static_assert(kPortionBytes > 2 * NormalizerStep::kRoomBytes);

// How many bytes of well-formed UTF-8 `text` begins with.
size_t WellFormed(std::span<const uint8_t> text) {
  size_t size = 0;
  while (size < text.size()) {
    uint64_t word;
    if (text.size() - size >= sizeof word) {
      std::memcpy(&word, text.data() + size, sizeof word);
      if ((word & 0x8080808080808080u) == 0) {
        size += sizeof word;
        continue;
      }
    }
    const Utf8Step step = DecodeUtf8(text.data() + size, text.data() + text.size());
    if (step.kind != Utf8Kind::kValid) break;
    size += step.length;
  }
  return size;
}

}  // namespace

Result<NormalizerSteps> NormalizerSteps::Create(const TokenizerTables& tables,
                                                RegexMemory& memory) {
  NormalizerSteps steps;
  steps.replace_each_byte = tables.settings->replace_each_byte();
  if (tables.settings->normalizer() == nullptr) return steps;
  for (const format::NormalizerStep* settings : *tables.settings->normalizer()) {
    RONDO_ASSIGN(steps.steps[steps.count], NormalizerStep::Create(tables, *settings, memory));
    ++steps.count;
  }
  return steps;
}

Result<NormalizerScratch> NormalizerScratch::Create() {
  NormalizerScratch scratch;
  RONDO_ASSIGN(scratch.buffers,
               HeapArray<uint8_t>::CreateForOverwrite(kMaxNormalizerSteps * kBufferBytes));
  RONDO_ASSIGN(scratch.sequence,
               HeapArray<int32_t>::CreateForOverwrite(NormalizerStep::kMaxSequence));
  return scratch;
}

bool Normalizer::Done(size_t level) const {
  for (size_t i = 0; i < level; ++i) {
    if (inputs_[i].head < inputs_[i].tail) return false;
  }
  return position_ == text_.size();
}

void Normalizer::Read(std::span<uint8_t> out, size_t* written) {
  *written = 0;
  while (position_ < text_.size() && out.size() - *written >= kRoomBytes) {
    // The window may end inside of a character: look a little further, then cut before it.
    const size_t room = out.size() - *written;
    const std::span<const uint8_t> ahead =
        text_.subspan(position_, std::min(text_.size() - position_, room));
    const size_t count = WellFormed(ahead);
    std::memcpy(out.data() + *written, ahead.data(), count);
    *written += count;
    position_ += count;
    if (count == ahead.size() || out.size() - *written < kRoomBytes) continue;
    const Utf8Step step = DecodeUtf8(text_.data() + position_, text_.data() + text_.size());
    position_ += steps_.replace_each_byte ? 1 : step.length;
    *written += EncodeUtf8(kReplacementCharacter, out.data() + *written);
  }
}

Status Normalizer::Refill(size_t level) {
  Input& input = inputs_[level - 1];
  uint8_t* const buffer = scratch_.buffers.data() + (level - 1) * NormalizerScratch::kBufferBytes;
  std::memmove(buffer, buffer + input.head, input.tail - input.head);
  input.tail -= input.head;
  input.head = 0;
  const size_t room = NormalizerScratch::kBufferBytes - input.tail;
  if (room < kRoomBytes) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the text has a stretch of more than %zu bytes that the tokenizer's "
                         "normaliser %zu must see whole",
                         input.tail, level);
  }
  size_t count = 0;
  RONDO_RETURN_IF_ERROR(
      Pump(level - 1, {buffer + input.tail, std::min(room, kPortionBytes)}, &count));
  input.tail += count;
  return {};
}

Status Normalizer::Pump(size_t level, std::span<uint8_t> out, size_t* written) {
  if (level == 0) {
    Read(out, written);
    return {};
  }
  *written = 0;
  Input& input = inputs_[level - 1];
  const uint8_t* const buffer =
      scratch_.buffers.data() + (level - 1) * NormalizerScratch::kBufferBytes;
  for (;;) {
    const bool last = Done(level - 1);
    NormalizerPortion portion{
        {buffer + input.head, input.tail - input.head}, last, out.subspan(*written)};
    RONDO_RETURN_IF_ERROR(
        steps_.steps[level - 1].Run(portion, input.state, scratch_.sequence.span()));
    input.head += portion.taken;
    *written += portion.written;
    if (out.size() - *written < kRoomBytes) return {};
    if (last) {
      if (portion.left() == 0) return {};
      if (portion.taken == 0) {
        return Status::Error(StatusCode::kInternal, "normaliser %zu stopped short of the end",
                             level);
      }
      continue;
    }
    RONDO_RETURN_IF_ERROR(Refill(level));
  }
}

}  // namespace rondo
