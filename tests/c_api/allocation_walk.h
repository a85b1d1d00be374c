// Walks over the allocations of a call: each is refused once, alone and with all behind it.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

namespace rondo::abi_test {

// How a call ended, and all that it gave out.
struct Outcome {
  int32_t status = 0;
  std::string outputs = {};  // where it succeeded; with what comes of the handles that it made
  bool zeroed = true;        // where it failed: its outputs are zero
  std::string message = {};  // of those that have one
};

// A call of one function, with what it needs and what is done with its outputs.
struct Scenario {
  std::string function;  // of rondo.h
  std::string what;      // tells it from others of the function; may be empty
  bool allocates;        // else no allocation may be met
  // Makes the call inside of Hurt(), and gives back what it made. As often as it is run the outcome
  // is the same. It runs in a process of its own.
  std::function<Outcome()> run;
};

// What walks have found.
struct Walked {
  int points = 0;    // allocations that were refused
  int crashes = 0;   // signals, exits
  int wrong = 0;     // wrong statuses and outputs, outputs that are not zero, leaks
  bool met = false;  // the call asks for memory at all
};

// Says on stderr what is wrong.
Walked Walk(const Scenario& scenario);

// Makes the one call whose allocations are refused.
int32_t HurtCall(const std::function<int32_t()>& call);
template <typename Call>
int32_t Hurt(const Call& call) {
  if constexpr (std::is_void_v<decltype(call())>) {
    return HurtCall([&] { return call(), 0; });
  } else {
    return HurtCall(call);
  }
}

// Puts outputs behind each other.
class Bytes {
 public:
  template <typename T>
  Bytes& Add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    all_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Bytes& Text(std::string_view text) {
    all_.append(text).append(1, '\n');
    return *this;
  }
  std::string Take() { return std::move(all_); }

 private:
  std::string all_;
};

// All of a struct behind its struct_size.
template <typename Struct>
bool IsZero(const Struct& out) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&out);
  for (size_t i = sizeof(uint32_t); i < sizeof out; ++i) {
    if (bytes[i] != 0) return false;
  }
  return true;
}

}  // namespace rondo::abi_test
