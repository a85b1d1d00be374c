#include "runtime/grammar/token_trie.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/utf8.h"

namespace rondo::grammar {
namespace {

using Bytes = std::span<const uint8_t>;

bool Before(Bytes a, Bytes b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

size_t CommonPrefix(Bytes a, Bytes b) {
  return static_cast<size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<ptrdiff_t>(std::min(a.size(), b.size())),
                    b.begin())
          .first -
      a.begin());
}

// Nodes that sorted texts take. A text that is there twice has a node of its own each time.
size_t CountNodes(const Vocabulary& vocabulary, std::span<const uint32_t> sorted) {
  size_t count = 0;
  Bytes last;
  for (const uint32_t token : sorted) {
    const Bytes text = vocabulary[token];
    const size_t common = CommonPrefix(last, text);
    count += std::max<size_t>(text.size() - common, 1);
    last = text;
  }
  return count;
}

void Build(const Vocabulary& vocabulary, std::span<const uint32_t> sorted, TokenTrie::Node* nodes) {
  uint32_t path[TokenTrie::kMostBytes];  // nodes of the last text
  Bytes last;
  uint32_t n = 0;
  const auto close = [&](size_t from) {
    for (size_t i = last.size(); i > from; --i)
      nodes[path[i - 1]].size = (n - path[i - 1]) & 0xffffff;
  };
  for (const uint32_t token : sorted) {
    const Bytes text = vocabulary[token];
    const size_t common = std::min(CommonPrefix(last, text), text.size() - 1);
    close(common);
    for (size_t i = common; i < text.size(); ++i) {
      path[i] = n;
      nodes[n++] = {1, text[i], TokenTrie::kNoToken};
    }
    nodes[n - 1].token = token;
    last = text;
  }
  close(0);
}

}  // namespace

uint32_t PlainCharacters(Bytes text) {
  uint32_t count = 0;
  for (size_t i = 0; i < text.size(); ++count) {
    const uint8_t byte = text[i];
    if (byte < 0x20 || byte == '"' || byte == '\\') return 0;
    const Utf8Step step = DecodeUtf8(text.data() + i, text.data() + text.size());
    if (step.kind != Utf8Kind::kValid) return 0;
    i += step.length;
  }
  return count;
}

Result<TokenTrie> TokenTrie::Create(const Vocabulary& vocabulary) {
  TokenTrie trie;
  trie.vocabulary_ = vocabulary;
  RONDO_ASSIGN(HeapArray<uint32_t> tokens, HeapArray<uint32_t>::Create(vocabulary.size));
  RONDO_ASSIGN(trie.plain_mask_, HeapArray<uint32_t>::Create(trie.mask_words()));
  size_t n_plain = 0, n = vocabulary.size;
  uint32_t counts[kMostBytes + 1] = {};
  uint32_t longest = 1;
  for (uint32_t token = 0, behind = vocabulary.size; token < vocabulary.size; ++token) {
    const Bytes text = vocabulary[token];
    const uint32_t characters = text.size() > kMostBytes ? 0 : PlainCharacters(text);
    if (characters > 0) {
      tokens[n_plain++] = token;
      trie.plain_mask_[token / 32] |= 1u << token % 32;
      longest = std::max(longest, characters);
      ++counts[characters];
    } else if (!text.empty() && text.size() <= kMostBytes) {
      tokens[--behind] = token;
      n = behind;
    }
  }
  const std::span<uint32_t> plain = tokens.span().first(n_plain);
  const std::span<uint32_t> others = tokens.span().subspan(n);
  RONDO_ASSIGN(trie.lengths_, HeapArray<uint32_t>::Create(longest + 1));
  RONDO_ASSIGN(trie.by_length_, HeapArray<uint32_t>::Create(n_plain));
  for (uint32_t i = 1; i <= longest; ++i) trie.lengths_[i] = trie.lengths_[i - 1] + counts[i];
  for (const uint32_t token : plain) {
    const uint32_t characters = PlainCharacters(vocabulary[token]);
    trie.by_length_[trie.lengths_[characters] - counts[characters]--] = token;
  }
  const auto before = [&](uint32_t a, uint32_t b) {
    const Bytes one = vocabulary[a], other = vocabulary[b];
    return Before(one, other) || (a < b && !Before(other, one));
  };
  std::sort(plain.begin(), plain.end(), before);
  std::sort(others.begin(), others.end(), before);
  trie.n_plain_nodes_ = CountNodes(vocabulary, plain);
  RONDO_ASSIGN(trie.nodes_,
               HeapArray<Node>::Create(trie.n_plain_nodes_ + CountNodes(vocabulary, others)));
  Build(vocabulary, plain, trie.nodes_.data());
  Build(vocabulary, others, trie.nodes_.data() + trie.n_plain_nodes_);
  return trie;
}

size_t TokenTrie::bytes() const {
  return nodes_.size() * sizeof(Node) +
         (by_length_.size() + lengths_.size() + plain_mask_.size()) * sizeof(uint32_t);
}

}  // namespace rondo::grammar
