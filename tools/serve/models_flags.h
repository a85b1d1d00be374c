// Command-line options of models that are served.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/common/library.h"
#include "tools/serve/served_model.h"

namespace rondo::tools::serve {

struct ModelsWish {
  std::vector<std::string> models, adapters;  // "NAME=FILE", or a file, whose name is it
  ModelWish each;
  SessionOptions session;  // with the speculation of each
  std::string draft;       // of the first model
  uint64_t memory = 0;     // 0: what the machine has

  std::vector<ModelWish> Wishes() const;
  uint64_t Memory() const;
};

// --memory, --sessions, --context and what else models share; not their files.
void AddModelsFlags(CLI::App* command, ModelsWish* wish);

}  // namespace rondo::tools::serve
