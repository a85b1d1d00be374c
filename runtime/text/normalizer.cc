#include "runtime/text/normalizer.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/utf8.h"

namespace rondo {

Result<NormalizerSteps> NormalizerSteps::Create(const TokenizerTables& tables,
                                                RegexMemory& memory) {
  NormalizerSteps steps;
  steps.replace_each_byte = tables.settings->replace_each_byte();
  steps.turn = &memory.turn();
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

void Normalizer::Read(std::span<uint8_t> out, uint8_t* marks, size_t* written) {
  *written = 0;
  while (position_ < text_.size() && out.size() - *written >= kRoomBytes) {
    // The window may end inside of a character: look a little further, then cut before it.
    const size_t room = out.size() - *written;
    const std::span<const uint8_t> ahead =
        text_.subspan(position_, std::min(text_.size() - position_, room));
    const size_t count = Utf8Prefix(ahead);
    std::memcpy(out.data() + *written, ahead.data(), count);
    if (marks != nullptr) std::memcpy(marks + *written, text_marks_ + position_, count);
    *written += count;
    position_ += count;
    if (count == ahead.size() || out.size() - *written < kRoomBytes) continue;
    const Utf8Step step = DecodeUtf8(text_.data() + position_, text_.data() + text_.size());
    const size_t size = EncodeUtf8(kReplacementCharacter, out.data() + *written);
    if (marks != nullptr) std::memset(marks + *written, text_marks_[position_], size);
    position_ += steps_.replace_each_byte ? 1 : step.length;
    *written += size;
  }
}

Status Normalizer::Pump(size_t level, std::span<uint8_t> out, uint8_t* marks, size_t* written) {
  *written = 0;
  if (level == 0) {
    Read(out, marks, written);
    return {};
  }
  Input& input = inputs_[level - 1];
  const size_t offset = (level - 1) * NormalizerScratch::kBufferBytes;
  const std::span<uint8_t> buffer =
      scratch_.buffers.span().subspan(offset, NormalizerScratch::kBufferBytes);
  uint8_t* const buffer_marks = marks == nullptr ? nullptr : buffer_marks_ + offset;
  for (bool full = false;;) {
    const bool last = Done(level - 1);
    NormalizerPortion portion{buffer.subspan(input.head, input.tail - input.head), last, full,
                              out.subspan(*written)};
    if (marks != nullptr) portion.marks = {buffer_marks + input.head, marks + *written};
    RONDO_RETURN_IF_ERROR(
        steps_.steps[level - 1].Run(portion, input.state, scratch_.sequence.span()));
    input.head += portion.taken;
    *written += portion.written;
    steps_.turn->Pause(portion.in.size());
    if (last || out.size() - *written < kRoomBytes) return {};
    std::memmove(buffer.data(), buffer.data() + input.head, input.tail - input.head);
    if (marks != nullptr) {
      std::memmove(buffer_marks, buffer_marks + input.head, input.tail - input.head);
    }
    input.tail -= input.head;
    input.head = 0;
    size_t count = 0;
    full = buffer.size() - input.tail < kRoomBytes;
    if (!full) {
      uint8_t* const tail_marks = marks == nullptr ? nullptr : buffer_marks + input.tail;
      RONDO_RETURN_IF_ERROR(Pump(level - 1, buffer.subspan(input.tail), tail_marks, &count));
    }
    input.tail += count;
  }
}

}  // namespace rondo
