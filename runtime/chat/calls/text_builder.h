// TextBuilder: a text that grows at its end, in a machine's memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "runtime/chat/jinja/machine.h"

namespace rondo::calls {

class TextBuilder {
 public:
  explicit TextBuilder(jinja::Machine& machine) : machine_(machine) {}

  // Nothing, where the machine has failed.
  void Append(std::string_view text) {
    if (text.size() > capacity_ - size_) {
      const size_t capacity = std::max({size_t{64}, capacity_ * 2, size_ + text.size()});
      char* const data = static_cast<char*>(machine_.Allocate(capacity));
      if (data == nullptr) return;
      if (size_ > 0) std::memcpy(data, data_, size_);
      data_ = data;
      capacity_ = capacity;
    }
    if (!text.empty()) std::memcpy(data_ + size_, text.data(), text.size());
    size_ += text.size();
  }
  void Append(char c) { Append(std::string_view(&c, 1)); }
  void Append(std::initializer_list<std::string_view> texts) {
    for (const std::string_view text : texts) Append(text);
  }
  std::string_view view() const { return {data_, size_}; }

 private:
  jinja::Machine& machine_;
  char* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

// A copy in the machine's memory; empty after a failure.
inline std::string_view KeepText(jinja::Machine& machine, std::string_view text) {
  TextBuilder copy(machine);
  copy.Append(text);
  return copy.view();
}

}  // namespace rondo::calls
