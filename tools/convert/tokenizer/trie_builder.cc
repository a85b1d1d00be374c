#include "tools/convert/tokenizer/trie_builder.h"

#include <algorithm>

#include "tools/common/interrupt.h"

namespace rondo::convert {
namespace {

using Texts = std::vector<std::pair<std::string, uint32_t>>;

// How far back a search for free nodes goes: a trade of room for time.
constexpr size_t kWindow = 4096;

class Builder {
 public:
  explicit Builder(const Texts& texts) : texts_(texts) {}

  std::vector<TrieNode> Run() {
    Grow(256);
    taken_[0] = true;
    // Breadth first, so that the nodes near the root, which every look-up passes, lie together.
    std::vector<Range> level = {{0, 0, texts_.size(), 0}};
    while (!level.empty()) {
      std::vector<Range> below;
      for (const Range& range : level) Place(range, below);
      level = std::move(below);
    }
    return std::move(nodes_);
  }

 private:
  // The texts [begin, end) agree in their first `depth` bytes, which lead to `node`.
  struct Range {
    uint32_t node;
    size_t begin, end, depth;
  };

  void Grow(size_t size) {
    if (nodes_.size() >= size) return;
    nodes_.resize(size, {0, Trie::kNone, Trie::kNone});
    taken_.resize(size, false);
  }

  void Place(Range range, std::vector<Range>& below) {
    tools::CheckInterrupt();
    if (texts_[range.begin].first.size() == range.depth) {
      nodes_[range.node].value = texts_[range.begin++].second;
    }
    std::vector<Range> children;
    std::vector<uint8_t> bytes;
    for (size_t i = range.begin; i < range.end; ++i) {
      const auto byte = static_cast<uint8_t>(texts_[i].first[range.depth]);
      if (bytes.empty() || bytes.back() != byte) {
        bytes.push_back(byte);
        children.push_back({0, i, i, range.depth + 1});
      }
      children.back().end = i + 1;
    }
    if (children.empty()) return;
    const size_t base = FindBase(bytes);
    Grow(base + 256);
    nodes_[range.node].base = static_cast<uint32_t>(base);
    for (size_t i = 0; i < children.size(); ++i) {
      children[i].node = static_cast<uint32_t>(base + bytes[i]);
      taken_[children[i].node] = true;
      nodes_[children[i].node].parent = range.node;
      below.push_back(children[i]);
    }
  }

  // The first place where all children's nodes are free.
  size_t FindBase(const std::vector<uint8_t>& bytes) {
    for (size_t at = std::max<size_t>(first_, bytes[0]);; ++at) {
      Grow(at + 257);
      if (taken_[at]) continue;
      const size_t base = at - bytes[0];
      const bool fits = std::none_of(bytes.begin(), bytes.end(),
                                     [&](uint8_t byte) { return taken_[base + byte]; });
      if (!fits) continue;
      // What is far behind is nearly full, and not looked at again.
      if (at > first_ + kWindow) first_ = at - kWindow;
      return base;
    }
  }

  const Texts& texts_;
  std::vector<TrieNode> nodes_;
  std::vector<bool> taken_;
  size_t first_ = 1;
};

}  // namespace

std::vector<TrieNode> BuildTrie(const Texts& texts) {
  if (!texts.empty()) return Builder(texts).Run();
  return std::vector<TrieNode>(256, {0, Trie::kNone, Trie::kNone});
}

}  // namespace rondo::convert
