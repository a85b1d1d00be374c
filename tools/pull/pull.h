// Pull: a model's files from a hub into the local cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tools/common/hub_cache.h"
#include "tools/convert/model_name.h"

namespace rondo::tools {

struct PullOptions {
  HubName name;
  std::string hub = "https://huggingface.co";
  std::string revision = "main";
  std::string token;               // empty: none
  std::vector<std::string> files;  // patterns; empty: what `rondo convert` reads
  Named kind = Named::kModel;      // what that is read as
  bool with_mmproj = false;        // what sees for a model that is a GGUF file, too
  int tries = 5;                   // in a row, of a server that breaks off or has too much to do
  int wait_ms = 1000;              // before the second try; twice as long before each further one
  long timeout_seconds = 60;
};

// Told the bytes that are there and those of all chosen files.
using PullProgress = std::function<void(uint64_t done, uint64_t total)>;

struct Pulled {
  std::filesystem::path snapshot;
  std::vector<std::string> files;  // those that were chosen, by their paths below it
};

// The snapshot now holds all chosen files; `note` gets a sentence for each try that failed. A file
// appears in the cache when its checksum was found right, and not before; what a broken download
// left is gone on with. Throws Error or Interrupted.
Pulled Pull(const PullOptions& options, const PullProgress& progress,
            const std::function<void(const std::string&)>& note);

}  // namespace rondo::tools
