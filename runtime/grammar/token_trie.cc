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

Status Corrupt(size_t node) {
  return Status::Error(StatusCode::kCorrupt,
                       "tokenizer: the trie of its tokens is not theirs at node %zu", node);
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

uint32_t SpecialCode::Read(Bytes bytes) {
  if (bytes.size() < kBytes || bytes[0] != kMark) return Vocabulary::kNoToken;
  uint32_t token = 0;
  for (const uint8_t digit : bytes.subspan(1, kBytes - 1)) token = token << 3 | (digit - kZero);
  return token;
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

Result<TokenTrie::Sorts> TokenTrie::Sort() {
  size_t n_special = 0;
  for (uint32_t token = 0; token < vocabulary_.size; ++token) {
    n_special += vocabulary_.IsSpecial(token);
  }
  RONDO_ASSIGN(special_, HeapArray<SpecialCode>::Create(n_special));
  for (uint32_t token = vocabulary_.size; token > 0; --token) {
    if (vocabulary_.IsSpecial(token - 1)) special_[--n_special] = SpecialCode::Of(token - 1);
  }
  Sorts sorts;
  RONDO_ASSIGN(sorts.tokens, HeapArray<uint32_t>::Create(vocabulary_.size));
  RONDO_ASSIGN(plain_mask_, HeapArray<uint32_t>::Create(mask_words()));
  sorts.n = vocabulary_.size;
  uint32_t counts[kMostBytes + 1] = {};
  uint32_t longest = 1;
  for (uint32_t token = 0; token < vocabulary_.size; ++token) {
    const Bytes text = BytesOf(token);
    const uint32_t characters = text.size() > kMostBytes ? 0 : PlainCharacters(text);
    if (characters > 0) {
      sorts.tokens[sorts.n_plain++] = token;
      plain_mask_[token / 32] |= 1u << token % 32;
      longest = std::max(longest, characters);
      ++counts[characters];
    } else if (!text.empty() && text.size() <= kMostBytes) {
      sorts.tokens[--sorts.n] = token;
    }
  }
  RONDO_ASSIGN(lengths_, HeapArray<uint32_t>::Create(longest + 1));
  RONDO_ASSIGN(by_length_, HeapArray<uint32_t>::Create(sorts.n_plain));
  for (uint32_t i = 1; i <= longest; ++i) lengths_[i] = lengths_[i - 1] + counts[i];
  for (const uint32_t token : sorts.plain()) {
    const uint32_t characters = PlainCharacters(vocabulary_[token]);
    by_length_[lengths_[characters] - counts[characters]--] = token;
  }
  return sorts;
}

Result<TokenTrie> TokenTrie::Create(const Vocabulary& vocabulary) {
  TokenTrie trie;
  trie.vocabulary_ = vocabulary;
  RONDO_ASSIGN(Sorts sorts, trie.Sort());
  const auto before = [&](uint32_t a, uint32_t b) {
    const Bytes one = trie.BytesOf(a), other = trie.BytesOf(b);
    return Before(one, other) || (a < b && !Before(other, one));
  };
  std::sort(sorts.plain().begin(), sorts.plain().end(), before);
  std::sort(sorts.others().begin(), sorts.others().end(), before);
  const size_t n_plain = CountNodes(trie, sorts.plain());
  RONDO_ASSIGN(trie.nodes_, HeapArray<Node>::Create(n_plain + CountNodes(trie, sorts.others())));
  Build(trie, sorts.plain(), trie.nodes_.data());
  Build(trie, sorts.others(), trie.nodes_.data() + n_plain);
  trie.stored_ = {trie.nodes_.span(), n_plain};
  return trie;
}

Result<TokenTrie> TokenTrie::Open(const Vocabulary& vocabulary, const Stored& stored) {
  TokenTrie trie;
  trie.vocabulary_ = vocabulary;
  trie.stored_ = stored;
  if (stored.n_plain > stored.nodes.size()) return Corrupt(stored.nodes.size());
  RONDO_ASSIGN(Sorts sorts, trie.Sort());
  RONDO_ASSIGN(HeapArray<uint32_t> seen, HeapArray<uint32_t>::Create(trie.mask_words()));
  RONDO_RETURN_IF_ERROR(trie.Check(trie.plain(), true, sorts.plain().size(), seen.span()));
  RONDO_RETURN_IF_ERROR(trie.Check(trie.others(), false, sorts.others().size(), seen.span()));
  return trie;
}

// Each token of this sort is there once, below its own text.
Status TokenTrie::Check(std::span<const Node> nodes, bool are_plain, size_t n_tokens,
                        std::span<uint32_t> seen) const {
  uint8_t text[kMostBytes];
  size_t ends[kMostBytes + 1] = {nodes.size()};  // of the nodes below each byte of the text
  size_t level = 0, n = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    while (i == ends[level]) --level;
    const Node node = nodes[i];
    if (node.size == 0 || node.size > ends[level] - i || level == kMostBytes) return Corrupt(i);
    text[level++] = static_cast<uint8_t>(node.byte);
    ends[level] = i + node.size;
    if (node.token == kNoToken) continue;
    const uint32_t bit = 1u << node.token % 32;
    if (node.token >= vocabulary_.size || (seen[node.token / 32] & bit) != 0 ||
        ((plain_mask_[node.token / 32] & bit) != 0) != are_plain ||
        !std::ranges::equal(BytesOf(node.token), std::span(text).first(level))) {
      return Corrupt(i);
    }
    seen[node.token / 32] |= bit;
    ++n;
  }
  return n == n_tokens ? Status() : Corrupt(nodes.size());
}

}  // namespace rondo::grammar
