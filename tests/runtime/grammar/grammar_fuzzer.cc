// Any text as a schema, a pattern or rules, and any bytes as what is written by it. A mask holds
// what each token alone says.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "tests/runtime/grammar/words.h"
#include "tests/support/fuzzing.h"

namespace {

using namespace rondo::grammar;

// The tokens of `bytes`, one byte each, as far as they may be written.
void Write(Grammar* grammar, std::string_view bytes) {
  std::vector<int32_t> tokens;
  const GrammarText text = {[](const void* context, uint64_t i) {
                              return (*static_cast<const std::vector<int32_t>*>(context))[i];
                            },
                            &tokens, 0, 0};
  GrammarPlace place;
  std::vector<uint32_t> mask(grammar->mask_words());
  for (const char byte : bytes) {
    GrammarText now = text;
    now.size = tokens.size();
    if (!grammar->Allowed(now, &place, mask).ok()) return;
    const auto token = static_cast<uint8_t>(byte);
    const bool allowed = (mask[token / 32] >> token % 32 & 1) != 0;
    tokens.push_back(token);
    now.size = tokens.size();
    if (!grammar->Read(now, &place).ok()) return;
    EXPECT_NE(allowed, place.state == Machine::kDead);
    if (!allowed) return;
  }
}

}  // namespace

// The first byte tells the kind, and how much of the rest is the grammar. Texts are of ordinary
// tokens.
std::vector<std::string> FirstInputs() {
  const auto input = [](char kind, const std::string& grammar, const std::string& text) {
    const size_t size = 1 + grammar.size() + text.size();
    const size_t share = (grammar.size() * 256 + size - 1) / size;
    const size_t number = kind == 's' ? 0 : kind == 'p' ? 1 : 3;
    return std::string(1, static_cast<char>((share & ~size_t{3}) + number)) + grammar + text;
  };
  return {
      input(
          's',
          R"({"type":"object","properties":{"a":{"type":"string","maxLength":3},"b":{"enum":[1,"x"]}},
               "required":["a"],"additionalProperties":{"type":"integer","minimum":2}})",
          R"({"a":"bc","b":1,"c":25})"),
      input('s', R"({"anyOf":[{"$ref":"#/$defs/l"},{"type":"null"}],
                     "$defs":{"l":{"type":"array","items":{"$ref":"#"},"minItems":1}}})",
            "[null,[[null]]]"),
      input('s',
            R"({"oneOf":[{"multipleOf":3},{"type":"string","pattern":"^a+b?$","format":"date"}]})",
            "12"),
      input('p', "(a|b)+[^c-e]{2,4}(?=x)x", "ababxx"),
      input('g',
            "root ::= a (\",\" a)*  # b\na ::= [a-c\\x7f]{2,} | \"(\" root \")\" .?\n | <think>",
            "ab,(abc)x,(aa"),
      input('g',
            "root ::= %without \"ab\" %json {\"type\":\"array\",\"items\":{\"$ref\":\"#\"}} b\n"
            "b ::= \"\" | root b <[CALL]>",
            "aac[[],[]]x[]"),
  };
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Words words;
  static const rondo::Result<TokenTrie> trie = words.Trie();
  static const uint32_t end = words.end();
  if (size < 2) return 0;
  const size_t split = std::min<size_t>(size - 1, 1 + data[0] * size / 256);
  const std::string_view grammar_text(reinterpret_cast<const char*>(data) + 1, split - 1);
  const std::string_view written(reinterpret_cast<const char*>(data) + split, size - split);
  GrammarOptions options;
  constexpr GrammarKind kKinds[] = {GrammarKind::kJsonSchema, GrammarKind::kPattern,
                                    GrammarKind::kJsonSchema, GrammarKind::kGbnf};
  options.kind = kKinds[data[0] % 4];
  options.any_order = data[0] % 4 == 2 || data[0] % 8 == 7;
  options.bytes = Grammar::kLeastBytes;
  const uint64_t bytes = Grammar::Bytes(options, grammar_text.size(), trie->mask_words());
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  const std::unique_ptr<uint8_t, Free> memory(
      static_cast<uint8_t*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64)));
  const rondo::Result<Grammar*> made =
      Grammar::Create(options, grammar_text, *trie, {&end, 1}, {memory.get(), bytes});
  if (!made.ok()) return 0;
  Write(*made, written);
  std::destroy_at(*made);
  return 0;
}
