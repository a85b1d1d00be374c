#include "runtime/chat/jinja/machine.h"

#include <algorithm>
#include <cstdarg>
#include <cstddef>

namespace rondo::jinja {
namespace {

constexpr size_t kAlignment = alignof(std::max_align_t);
constexpr size_t kFirstChunk = size_t{32} << 10;
constexpr size_t kManyBytes = size_t{4} << 20;  // from which on more of it would stay unused

}  // namespace

Machine::~Machine() {
  GiveBack({});
  if (spare_ != nullptr) Free(spare_);
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
  if (!AddChunk(bytes)) return nullptr;
  top_ += bytes;
  return top_ - bytes;
}

// A new chunk with room for `bytes` bytes.
bool Machine::AddChunk(size_t bytes) {
  Chunk* chunk = std::exchange(spare_, nullptr);
  if (chunk != nullptr && bytes > chunk->bytes - kHeader) {
    Free(chunk);
    chunk = nullptr;
  }
  if (chunk == nullptr) {
    const size_t left = limits_.memory - reserved_;
    if (left < kHeader || bytes > left - kHeader) {
      FailMemory();
      return false;
    }
    const size_t more = reserved_ < kManyBytes ? reserved_ / 2 : reserved_ / 4;
    const size_t size = std::min(std::max({kFirstChunk, bytes + kHeader, more}), left);
    void* memory = ::operator new(size, std::nothrow);
    if (memory == nullptr) {
      FailWith(Status::Error(StatusCode::kOutOfMemory,
                             "the system refused %zu bytes for the chat template", size));
      return false;
    }
    chunk = new (memory) Chunk{nullptr, size, 0};
    reserved_ += size;
    most_reserved_ = std::max(most_reserved_, reserved_);
  }
  chunk->number = now().chunk + 1;
  chunk->next = chunks_;
  chunks_ = chunk;
  top_ = reinterpret_cast<char*>(chunk) + kHeader;
  end_ = reinterpret_cast<char*>(chunk) + chunk->bytes;
  return true;
}

void Machine::Free(Chunk* chunk) {
  reserved_ -= chunk->bytes;
  ::operator delete(chunk, std::nothrow);
}

// Everything that was given from `mark` on. A chunk stays at hand, for what comes next.
void Machine::GiveBack(Mark mark) {
#ifndef NDEBUG
  // Who still reads it shall be seen.
  if (now().chunk == mark.chunk) std::fill(const_cast<char*>(mark.top), top_, '\xDB');
#endif
  while (now().chunk > mark.chunk) {
    Chunk* chunk = chunks_;
    chunks_ = chunk->next;
    if (spare_ == nullptr || spare_->bytes < chunk->bytes) std::swap(spare_, chunk);
    if (chunk != nullptr) Free(chunk);
  }
  top_ = const_cast<char*>(mark.top);
  end_ = chunks_ == nullptr ? nullptr : reinterpret_cast<char*>(chunks_) + chunks_->bytes;
}

Machine::Mark Machine::MarkOf(const void* what) const {
  const auto at = reinterpret_cast<uintptr_t>(what);
  for (const Chunk* chunk = chunks_; chunk != nullptr; chunk = chunk->next) {
    if (at - reinterpret_cast<uintptr_t>(chunk) < chunk->bytes) {
      return {chunk->number, static_cast<const char*>(what)};
    }
  }
  return {};
}

void Machine::Keep(Mark born, const void* what) {
  if (region_ == nullptr || !(born < region_->begin_)) return;
  const Mark mark = MarkOf(what);
  for (Region* region = region_; region != nullptr && born < region->begin_;
       region = region->outer_) {
    if (!(mark < region->begin_)) region->kept_ = true;
  }
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
