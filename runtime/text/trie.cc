#include "runtime/text/trie.h"

namespace rondo {

Status Trie::Check(std::span<const TrieNode> nodes, uint32_t limit, const char* what) {
  constexpr size_t kFan = 256;
  if (nodes.size() < kFan || nodes.size() >= kNone) {
    return Status::Error(StatusCode::kCorrupt, "tokenizer: %s has %zu nodes", what, nodes.size());
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    const TrieNode& node = nodes[i];
    if (node.base > nodes.size() - kFan || (node.value != kNone && node.value >= limit)) {
      return Status::Error(StatusCode::kCorrupt, "tokenizer: node %zu of %s is {%u, %u, %u}", i,
                           what, node.base, node.parent, node.value);
    }
  }
  // Then no look-up finds the root, so 0 can stand for none.
  if (nodes[0].parent != kNone) {
    return Status::Error(StatusCode::kCorrupt, "tokenizer: the root of %s has a parent", what);
  }
  return {};
}

}  // namespace rondo
