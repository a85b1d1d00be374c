// Split: a Rondo file in pieces, for rondo_model_open_parts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "tools/common/output_file.h"

namespace rondo::convert {

struct SplitOptions {
  std::filesystem::path input;
  std::filesystem::path output;  // NAME of NAME-00001-of-00003.rondo
  uint64_t part_bytes = 0;       // the most of a part, but where one section has more
  tools::Replace replace = tools::Replace::kSameKind;
};

// Where the file is cut: 0, and the begin of each part behind the first. Between sections only.
std::vector<uint64_t> Cuts(const std::vector<uint64_t>& places, uint64_t file_bytes,
                           uint64_t part_bytes);

// Writes the parts, which together are the file, and says their names, in order. Each appears whole
// or not at all. Throws Error: one sentence.
std::vector<std::filesystem::path> Split(const SplitOptions& options);

}  // namespace rondo::convert
