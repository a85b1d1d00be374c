// Trie: finds the stored texts that a text begins with. A double array, as it lies in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/status.h"

namespace rondo {

// The child of node s for byte b is node s.base + b, if that node's parent is s. Node 0 is the
// root and nobody's child.
struct TrieNode {
  uint32_t base;
  uint32_t parent;  // Trie::kNone: not in use
  uint32_t value;   // Trie::kNone: no text ends here
};

// A view. Look-ups never leave it, once Check has passed.
class Trie {
 public:
  static constexpr uint32_t kNone = 0xFFFFFFFF;

  Trie() = default;
  explicit Trie(std::span<const TrieNode> nodes) : nodes_(nodes) {}

  // Checks that every child's place is inside and every value below `limit`. `what` names the
  // trie. Error: kCorrupt.
  static Status Check(std::span<const TrieNode> nodes, uint32_t limit, const char* what);

  bool empty() const { return nodes_.empty(); }
  // The node for `byte` after `node`, or 0 where there is none.
  uint32_t Next(uint32_t node, uint8_t byte) const {
    const uint32_t child = nodes_[node].base + byte;
    return nodes_[child].parent == node ? child : 0;
  }
  uint32_t Value(uint32_t node) const { return nodes_[node].value; }

 private:
  std::span<const TrieNode> nodes_;
};

}  // namespace rondo
