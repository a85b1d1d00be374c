// Pack: from a portable Rondo file to one whose weights are used where they lie.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "runtime/model/packed_layout.h"
#include "tools/common/output_file.h"

namespace rondo::convert {

struct PackOptions {
  std::filesystem::path input;
  std::filesystem::path output;                        // never the input
  NamedLayout target;                                  // one of NamedLayouts()
  tools::Replace replace = tools::Replace::kSameKind;  // of the output
};

struct PackReport {
  std::string layout;  // its id
  uint64_t file_bytes = 0;
};

// Packs the weight of every Linear and copies all else, comparing checksums and refusing values
// that are not finite. The output appears whole and checked, or not at all. `progress` is told
// bytes of the input. Needs memory for some rows. Throws Error: one sentence.
PackReport Pack(const PackOptions& options,
                const std::function<void(uint64_t done, uint64_t total)>& progress);

}  // namespace rondo::convert
