// Grammars in a build without them (CMake option RONDO_GRAMMARS=OFF): compiled in place of all else
// here.
#include "runtime/grammar/grammar.h"

namespace rondo::grammar {

bool HasGrammars() { return false; }

uint64_t Grammar::Bytes(const GrammarOptions&, size_t, size_t) { return sizeof(Grammar); }

Result<Grammar*> Grammar::Create(const GrammarOptions&, std::string_view, const TokenTrie&,
                                 std::span<const uint32_t>, std::span<uint8_t>) {
  return Status::Error(StatusCode::kUnsupported,
                       "this library was built without grammars (CMake option RONDO_GRAMMARS)");
}

Status Grammar::Read(const GrammarText&, GrammarPlace*, const Cancellation*) { return Status(); }

Result<bool> Grammar::Allowed(const GrammarText&, GrammarPlace*, std::span<uint32_t>,
                              const MaskOptions&) {
  return false;
}

size_t Grammar::Describe(const GrammarPlace&, std::span<uint8_t>) { return 0; }

size_t Grammar::Forced(const GrammarPlace&, std::span<uint8_t>) { return 0; }

uint32_t SpecialCode::Read(std::span<const uint8_t>) { return Vocabulary::kNoToken; }

Result<TokenTrie> TokenTrie::Create(const Vocabulary& vocabulary) {
  TokenTrie trie;
  trie.vocabulary_ = vocabulary;
  return trie;
}

Result<TokenTrie> TokenTrie::Open(const Vocabulary& vocabulary, const Stored&) {
  return Create(vocabulary);
}

}  // namespace rondo::grammar
