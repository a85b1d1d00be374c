// Hash: SHA-1 and SHA-256, by the library that this program's TLS comes with: the system's OpenSSL,
// or Mbed TLS where nothing is taken from the system.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace rondo::tools {

class Hash {
 public:
  enum class Kind { kSha1, kSha256 };
  explicit Hash(Kind kind);  // throws Error where the library refuses it
  Hash(Hash&& other) noexcept;
  Hash& operator=(Hash&& other) noexcept;
  ~Hash();

  void Add(std::string_view bytes);
  // 20 or 32 bytes. Once.
  std::vector<uint8_t> Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rondo::tools
