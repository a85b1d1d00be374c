// What names a model of a hub on the command line: ORG/MODEL, or the address that a browser shows.
#pragma once

#include <optional>
#include <string>

#include "tools/common/hub_cache.h"

namespace rondo::tools {

// A hub's address without a '/' at the end. One without "http://" or "https://" is reached by
// https, so that no token goes out in the clear; of another scheme, or empty, it is none.
std::optional<std::string> HubAddress(std::string text);

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
