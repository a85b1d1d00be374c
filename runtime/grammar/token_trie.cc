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
size_t CountNodes(const TokenTrie& trie, std::span<const uint32_t> sorted) {
  size_t count = 0;
  Bytes last;
  for (const uint32_t token : sorted) {
    const Bytes text = trie.BytesOf(token);
    const size_t common = CommonPrefix(last, text);
    count += std::max<size_t>(text.size() - common, 1);
    last = text;
  }
  return count;
}

void Build(const TokenTrie& trie, std::span<const uint32_t> sorted, TokenTrie::Node* nodes) {
  uint32_t path[TokenTrie::kMostBytes];  // nodes of the last text
  Bytes last;
  uint32_t n = 0;
  const auto close = [&](size_t from) {
    for (size_t i = last.size(); i > from; --i)
      nodes[path[i - 1]].size = (n - path[i - 1]) & 0xffffff;
  };
  for (const uint32_t token : sorted) {
    const Bytes text = trie.BytesOf(token);
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

SpecialCode SpecialCode::Of(uint32_t token) {
  SpecialCode code = {token, {kMark}};
  for (size_t i = 1; i < kBytes; ++i) {
    code.bytes[i] = static_cast<uint8_t>(kZero + (token >> 3 * (kBytes - 1 - i) & 7));
  }
  return code;
}

Bytes TokenTrie::BytesOf(uint32_t token) const {
  if (vocabulary_.IsSpecial(token)) {
    const std::span<const SpecialCode> all = special_.span();
    return std::lower_bound(
               all.begin(), all.end(), token,
               [](const SpecialCode& code, uint32_t wanted) { return code.token < wanted; })
        ->bytes;
  }
  const Bytes text = vocabulary_[token];
  return std::find(text.begin(), text.end(), SpecialCode::kMark) == text.end() ? text : Bytes();
}

Result<TokenTrie> TokenTrie::Create(const Vocabulary& vocabulary) {
  TokenTrie trie;
  trie.vocabulary_ = vocabulary;
  size_t n_special = 0;
  for (uint32_t token = 0; token < vocabulary.size; ++token) {
    n_special += vocabulary.IsSpecial(token);
  }
  RONDO_ASSIGN(trie.special_, HeapArray<SpecialCode>::Create(n_special));
  for (uint32_t token = vocabulary.size; token > 0; --token) {
    if (vocabulary.IsSpecial(token - 1)) trie.special_[--n_special] = SpecialCode::Of(token - 1);
  }
  RONDO_ASSIGN(HeapArray<uint32_t> tokens, HeapArray<uint32_t>::Create(vocabulary.size));
  RONDO_ASSIGN(trie.plain_mask_, HeapArray<uint32_t>::Create(trie.mask_words()));
  size_t n_plain = 0, n = vocabulary.size;
  uint32_t counts[kMostBytes + 1] = {};
  uint32_t longest = 1;
  for (uint32_t token = 0, behind = vocabulary.size; token < vocabulary.size; ++token) {
    const Bytes text = trie.BytesOf(token);
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
    const Bytes one = trie.BytesOf(a), other = trie.BytesOf(b);
    return Before(one, other) || (a < b && !Before(other, one));
  };
  std::sort(plain.begin(), plain.end(), before);
  std::sort(others.begin(), others.end(), before);
  trie.n_plain_nodes_ = CountNodes(trie, plain);
  RONDO_ASSIGN(trie.nodes_,
               HeapArray<Node>::Create(trie.n_plain_nodes_ + CountNodes(trie, others)));
  Build(trie, plain, trie.nodes_.data());
  Build(trie, others, trie.nodes_.data() + trie.n_plain_nodes_);
  return trie;
}

size_t TokenTrie::bytes() const {
  return nodes_.size() * sizeof(Node) +
         (by_length_.size() + lengths_.size() + plain_mask_.size()) * sizeof(uint32_t) +
         special_.size() * sizeof(SpecialCode);
}

}  // namespace rondo::grammar
