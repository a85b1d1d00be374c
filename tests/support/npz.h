// Npz: arrays that numpy has saved, for tests that read reference data.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace rondo {

struct NpyArray {
  std::string type;  // "|u1", "<i4", "<f4"
  std::vector<size_t> shape;
  std::vector<uint8_t> bytes;  // the last axis runs fastest

  template <typename T>
  std::vector<T> As() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
};

// An archive of arrays, whole or compressed. Throws where it is none.
class Npz {
 public:
  explicit Npz(const std::filesystem::path& path);
  bool Has(const std::string& name) const { return entries_.contains(name); }
  NpyArray At(const std::string& name) const;
  std::vector<std::string> Names() const;

 private:
  struct Entry {
    size_t begin;  // of its local header
    size_t compressed;
    size_t size;
    bool deflated;
  };

  std::vector<uint8_t> file_;
  std::map<std::string, Entry> entries_;
};

}  // namespace rondo
