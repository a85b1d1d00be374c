// PrivateMap: a file's bytes in memory as they are asked for, which may be changed; the file stays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <system_error>

namespace rondo::tools {

class PrivateMap {
 public:
  // Empty with `error` where it cannot be mapped, and of an empty file.
  PrivateMap(const std::filesystem::path& path, std::error_code& error);
  PrivateMap(const PrivateMap&) = delete;
  PrivateMap& operator=(const PrivateMap&) = delete;
  ~PrivateMap();

  std::span<uint8_t> bytes() const { return bytes_; }

 private:
  std::span<uint8_t> bytes_;
};

}  // namespace rondo::tools
