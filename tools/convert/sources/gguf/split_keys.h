// The parts of a model that is split over several GGUF files: which they are, and how they are
// called.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace rondo::convert {

// What split.no, split.count and split.tensors.count of a part say.
struct SplitKeys {
  uint64_t number = 0;     // of this part, from 0
  uint64_t count = 1;      // of the parts; 1: the model is in one file
  uint64_t n_tensors = 0;  // of the model

  // Of a file's keys. Throws Error naming the file and the key.
  static SplitKeys Read(const std::string& path, const nlohmann::json& metadata);
};

// The part with this number, beside `path`, which is the first of `count`:
// "NAME-00002-of-00003.gguf" beside "NAME-00001-of-00003.gguf". Throws Error where `path` is called
// otherwise.
std::filesystem::path PartPath(const std::filesystem::path& path, uint64_t number, uint64_t count);

// Throws Error where the keys of part `number`, which `path` has, do not go with the first part's.
void CheckPart(const std::string& path, uint64_t number, const nlohmann::json& metadata,
               const SplitKeys& first, const nlohmann::json& first_metadata);

}  // namespace rondo::convert
