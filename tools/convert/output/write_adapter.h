// From an adapter as PEFT has it to the file of it for one model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "adapter_generated.h"
#include "tools/common/output_file.h"

namespace rondo::convert {

struct AdapterOptions {
  std::filesystem::path directory;  // as PEFT saves it
  std::filesystem::path model;      // the Rondo file that it is for, portable or packed
  std::filesystem::path output;
  tools::Replace replace = tools::Replace::kSameKind;
  format::AdapterFormat format = format::AdapterFormat::Bfloat16;
};

struct AdapterReport {
  uint64_t rank = 0;
  uint64_t modules = 0;     // of the model's, that it changes
  uint64_t parameters = 0;  // as its makers count
  uint64_t file_bytes = 0;
  std::vector<std::string> notes = {};  // what the user may want to know, a sentence each
};

// The output appears whole and checked, or not at all. Throws Error: one sentence naming the file,
// module or tensor and what was expected; Interrupted.
AdapterReport WriteAdapter(const AdapterOptions& options);

}  // namespace rondo::convert
