// What names a model of a hub on the command line: ORG/MODEL, or the address that a browser shows.
#pragma once

#include <optional>
#include <string>

#include "tools/common/hub_cache.h"

namespace rondo::tools {

// Each part of it is the name of a file that any system can have below a folder.
bool IsPlainPath(const std::string& path);

struct ModelAddress {
  HubName name;
  std::string revision;  // empty: not said
  std::string file;      // the same
};

// Reads "ORG/MODEL", and of the hub at `hub` (without a '/' at the end) "HUB/ORG/MODEL", also with
// "/tree/REVISION", "/blob/REVISION/FILE" or "/resolve/REVISION/FILE" behind it. Nothing for all
// else.
std::optional<ModelAddress> ParseModelAddress(const std::string& text, const std::string& hub);

}  // namespace rondo::tools
