#include "runtime/chat/jinja/machine.h"

#include <algorithm>
#include <cstdarg>
#include <cstddef>

namespace rondo::jinja {
namespace {

constexpr size_t kAlignment = alignof(std::max_align_t);
constexpr size_t kFirstChunk = size_t{32} << 10;

}  // namespace

Machine::~Machine() {
  while (chunks_ != nullptr) {
    Chunk* next = chunks_->next;
    ::operator delete(chunks_, std::nothrow);
    chunks_ = next;
  }
}

void* Machine::Allocate(size_t bytes) {
  if (!SpendBytes(bytes)) return nullptr;
  const size_t padding = (~reinterpret_cast<uintptr_t>(top_) + 1) % kAlignment;
  const size_t free = static_cast<size_t>(end_ - top_);
  if (top_ != nullptr && padding <= free && bytes <= free - padding) {
    char* memory = top_ + padding;
    top_ = memory + bytes;
    return memory;
  }
  constexpr size_t kHeader = (sizeof(Chunk) + kAlignment - 1) / kAlignment * kAlignment;
  if (bytes > limits_.memory) {
    FailMemory();
    return nullptr;
  }
  const size_t left = limits_.memory - reserved_;
  const size_t size =
      std::min(std::max({kFirstChunk, bytes + bytes / 2 + kHeader, reserved_ / 2}), left);
  if (size < bytes + kHeader) {
    FailMemory();
    return nullptr;
  }
  void* memory = ::operator new(size, std::nothrow);
  if (memory == nullptr) {
    FailWith(Status::Error(StatusCode::kOutOfMemory,
                           "the system refused %zu bytes for the chat template", size));
    return nullptr;
  }
  chunks_ = new (memory) Chunk{chunks_, size};
  reserved_ += size;
  top_ = static_cast<char*>(memory) + kHeader + bytes;
  end_ = static_cast<char*>(memory) + size;
  return top_ - bytes;
}

bool Machine::Spend(uint64_t steps) {
  if (failed_) return false;
  steps_ += std::min(steps, limits_.steps + 1);
  if (steps_ <= limits_.steps) return true;
  Exhaust();
  Fail("it does not come to an end: stopped after %llu steps",
       static_cast<unsigned long long>(limits_.steps));
  return false;
}

void Machine::Fail(const char* format, ...) {
  if (failed_) return;
  char text[Status::kMaxMessage];
  va_list arguments;
  va_start(arguments, format);
  FormatMessage(text, sizeof text, format, arguments);
  va_end(arguments);
  if (line > 0) {
    FailWith(Status::Error(StatusCode::kInvalidArgument, "chat template, line %u: %s", line, text));
  } else {
    FailWith(Status::Error(StatusCode::kInvalidArgument, "chat template: %s", text));
  }
}

void Machine::FailWith(const Status& status) {
  if (failed_) return;
  exhausted_ |= status.code() == StatusCode::kOutOfMemory;
  failed_ = true;
  status_ = status;
}

const char* Machine::Clip(std::string_view text) {
  const auto size = static_cast<size_t>(CutForMessage(text, 60));
  char* copy = static_cast<char*>(Allocate(size + 1));
  if (copy == nullptr) return "";
  *std::copy_n(text.data(), size, copy) = '\0';
  return copy;
}

void Machine::FailMemory() {
  Exhaust();
  Fail("it needs more than %zu MiB of memory", limits_.memory >> 20);
}

Deeper::Deeper(Machine& machine) : machine_(machine) {
  if (++machine_.depth_ > machine_.limits_.depth) {
    machine_.Exhaust();
    machine_.Fail("nested more than %d levels deep", machine_.limits_.depth);
  }
}

}  // namespace rondo::jinja
