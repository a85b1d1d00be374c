#include "runtime/text/normalizer.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/utf8.h"

namespace rondo {

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

Result<NormalizerScratch> NormalizerScratch::Create(size_t steps) {
  NormalizerScratch scratch;
  RONDO_ASSIGN(scratch.buffers, HeapArray<uint8_t>::CreateForOverwrite(steps * kBufferBytes));
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
    const size_t count = Utf8Prefix(ahead);
    std::memcpy(out.data() + *written, ahead.data(), count);
    *written += count;
    position_ += count;
    if (count == ahead.size() || out.size() - *written < kRoomBytes) continue;
    const Utf8Step step = DecodeUtf8(text_.data() + position_, text_.data() + text_.size());
    position_ += steps_.replace_each_byte ? 1 : step.length;
    *written += EncodeUtf8(kReplacementCharacter, out.data() + *written);
  }
}

Status Normalizer::Pump(size_t level, std::span<uint8_t> out, size_t* written) {
  *written = 0;
  if (level == 0) {
    Read(out, written);
    return {};
  }
  Input& input = inputs_[level - 1];
  const std::span<uint8_t> buffer = scratch_.buffers.span().subspan(
      (level - 1) * NormalizerScratch::kBufferBytes, NormalizerScratch::kBufferBytes);
  for (bool full = false;;) {
    const bool last = Done(level - 1);
    NormalizerPortion portion{buffer.subspan(input.head, input.tail - input.head), last, full,
                              out.subspan(*written)};
    RONDO_RETURN_IF_ERROR(
        steps_.steps[level - 1].Run(portion, input.state, scratch_.sequence.span()));
    input.head += portion.taken;
    *written += portion.written;
    if (last || out.size() - *written < kRoomBytes) return {};
    std::memmove(buffer.data(), buffer.data() + input.head, input.tail - input.head);
    input.tail -= input.head;
    input.head = 0;
    size_t count = 0;
    full = buffer.size() - input.tail < kRoomBytes;
    if (!full) RONDO_RETURN_IF_ERROR(Pump(level - 1, buffer.subspan(input.tail), &count));
    input.tail += count;
  }
}

}  // namespace rondo
