// Builds the double array that the runtime's Trie reads.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/text/trie.h"

namespace rondo::convert {

// `texts`: ascending, distinct, none empty; each with its value.
std::vector<TrieNode> BuildTrie(const std::vector<std::pair<std::string, uint32_t>>& texts);

}  // namespace rondo::convert
