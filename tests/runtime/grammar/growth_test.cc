// What grammars take by their size: counted memory and steps, not time. No exponent is above 1.1.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "runtime/grammar/grammar.h"
#include "runtime/grammar/pattern.h"
#include "tests/runtime/grammar/parts.h"
#include "tests/runtime/grammar/words.h"

namespace rondo::grammar::growth_test {
namespace {

using Text = std::function<std::string(int)>;

// `one` of each number, with `between` them.
std::string Each(int n, const char* between, const std::function<std::string(int)>& one) {
  std::string all;
  for (int i = 0; i < n; ++i) all += (i > 0 ? between : "") + one(i);
  return all;
}

std::string Word(int i) {
  return "w" + std::to_string(i * 7919 % 100003) + "x" + std::to_string(i);
}
std::string Quoted(const std::string& text) { return '"' + text + '"'; }
std::string Number(int i) { return std::to_string(i * 7919 % 1000003); }

std::string Alternative(int i) {
  const std::string value = "v" + std::to_string(i);
  return R"({"type": "object", "properties": {"k": {"const": "t)" + std::to_string(i) + R"("}, ")" +
         value + R"(": {"type": "integer"}}, "required": ["k", ")" + value +
         R"("], "additionalProperties": false})";
}

// The last is null.
std::string Nested(int n) {
  return R"({"$ref": "#/$defs/d0", "$defs": {)" +
         Each(n, ", ",
              [&](int i) {
                const std::string next = std::to_string(i + 1);
                return Quoted("d" + std::to_string(i)) +
                       (i + 1 == n ? R"(: {"type": "null"})"
                                   : R"(: {"type": "object", "required": ["x"], "properties":)"
                                     R"( {"x": {"$ref": "#/$defs/d)" +
                                         next + R"("}}, "additionalProperties": false})");
              }) +
         "}}";
}

std::string Dependent(int n) {
  return R"({"type": "object", "dependentRequired": {)" +
         Each(n, ", ",
              [&](int i) { return Quoted(Word(i)) + ": [" + Quoted(Word((i + 1) % n)) + "]"; }) +
         "}}";
}

std::string Repeated(int n, const std::string& text) {
  return Each(n, "", [&](int) { return text; });
}

struct Kind {
  const char* name;
  GrammarKind kind;
  Text text;
  Text sample = nullptr;  // a text of it, and the most that steps to read it may grow by
  double reading = 0.5;
};
constexpr GrammarKind kSchema = GrammarKind::kJsonSchema, kPattern = GrammarKind::kPattern;
const Kind kKinds[] = {
    {"pattern", kPattern, [](int n) { return Each(n, "|", Word); }, [](int) { return Word(100); }},
    {"nested pattern", kPattern,
     [](int n) { return "(" + Each(n, "|", [](int i) { return Word(i) + "(a|bc)"; }) + ")+"; }},
    {"long pattern", kPattern, [](int n) { return Each(n, "", Word); }},
    {"optional, then not", kPattern, [](int n) { return Repeated(n, "a?") + Repeated(n, "a"); },
     [](int n) { return Repeated(2 * n, "a"); }, 1.1},
    {"class", kPattern,
     [](int n) {
       return "[" + Each(n, "", [](int i) { return "\\u{" + std::to_string(4000 + 2 * i) + "}"; }) +
              "]";
     }},
    {"enum", kSchema,
     [](int n) {
       return R"({"enum": [)" + Each(n, ", ", [](int i) { return Quoted(Word(i)); }) + "]}";
     },
     [](int) { return Quoted(Word(100)); }},
    {"enum in allOf", kSchema,
     [](int n) {
       return R"({"allOf": [{"type": "string"}, {"enum": [)" +
              Each(n, ", ", [](int i) { return Quoted(Word(i)); }) + "]}]}";
     }},
    {"oneOf of texts", kSchema,
     [](int n) {
       return R"({"oneOf": [)" +
              Each(n, ", ", [](int i) { return R"({"const": )" + Quoted(Word(i)) + "}"; }) + "]}";
     }},
    {"enum of pattern", kSchema,
     [](int n) { return R"({"type": "string", "pattern": "^()" + Each(n, "|", Word) + ")$\"}"; }},
    {"integers", kSchema, [](int n) { return R"({"enum": [)" + Each(n, ", ", Number) + "]}"; }},
    {"gbnf", GrammarKind::kGbnf,
     [](int n) { return "root ::= " + Each(n, " | ", [](int i) { return Quoted(Word(i)); }); },
     [](int) { return Word(100); }},
    {"oneOf", kSchema, [](int n) { return R"({"oneOf": [)" + Each(n, ", ", Alternative) + "]}"; }},
    {"anyOf", kSchema, [](int n) { return R"({"anyOf": [)" + Each(n, ", ", Alternative) + "]}"; }},
    {"optional members", kSchema,
     [](int n) {
       return R"({"type": "object", "additionalProperties": false, "properties": {)" +
              Each(n, ", ", [](int i) { return Quoted(Word(i)) + R"(: {"type": "integer"})"; }) +
              "}}";
     }},
    {"nested definitions", kSchema, Nested},
};

double Exponent(int n, double before, int more, double after) {
  return std::log(after / before) / std::log(static_cast<double>(more) / n);
}

class GrammarGrowth : public testing::Test {
 protected:
  bool Compiles(const std::string& text, GrammarKind kind, uint64_t bytes) {
    const GrammarOptions options = {.kind = kind, .bytes = bytes};
    const uint64_t needed = Grammar::Bytes(options, text.size(), trie_.mask_words());
    const std::unique_ptr<uint8_t[]> memory(new uint8_t[needed + 64]);  // not touched
    void* begin = memory.get();
    size_t space = needed + 64;
    std::align(64, needed, begin, space);
    const Result<Grammar*> made =
        Grammar::Create(options, text, trie_, {}, {static_cast<uint8_t*>(begin), needed});
    if (made.ok()) std::destroy_at(*made);
    return made.ok();
  }
  double LeastBytes(const std::string& text, GrammarKind kind) {
    uint64_t low = 1 << 16, high = uint64_t{1} << 28;
    while (high - low > low / 64) {
      const uint64_t middle = (low + high) / 2;
      (Compiles(text, kind, middle) ? high : low) = middle;
    }
    return static_cast<double>(high);
  }
  struct Steps {
    double compiling, reading;
  };
  Steps StepsOf(const std::string& text, GrammarKind kind, const std::string& sample = "") {
    Parts parts;
    const auto spent = [&] {
      return static_cast<double>(parts.budget.all() - parts.budget.left());
    };
    if (kind == kPattern) {
      const Result<Regex> regex =
          ReadPattern(text, true, Spelling::kUtf8, parts.regexes, parts.budget);
      EXPECT_TRUE(regex.ok()) << regex.status().message();
      if (regex.ok()) parts.ReadRegex(*regex);
    } else {
      EXPECT_EQ(kind == kSchema ? parts.ReadSchemaText(text) : parts.ReadGbnfText(text, trie_), "");
    }
    const double compiling = spent();
    EXPECT_TRUE(sample.empty() || parts.Accepts(sample));
    EXPECT_TRUE(parts.budget.ok());
    return {compiling, spent() - compiling};
  }

  const Words words_;
  const TokenTrie trie_ = std::move(*words_.Trie());
};

TEST_F(GrammarGrowth, MemoryAndStepsAreLinear) {
  constexpr int kSome = 250, kMore = 1000;
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    const std::string some = kind.text(kSome), more = kind.text(kMore);
    const double bytes =
        Exponent(kSome, LeastBytes(some, kind.kind), kMore, LeastBytes(more, kind.kind));
    const auto sample = [&](int n) { return kind.sample ? kind.sample(n) : ""; };
    const Steps before = StepsOf(some, kind.kind, sample(kSome));
    const Steps after = StepsOf(more, kind.kind, sample(kMore));
    const double steps = Exponent(kSome, before.compiling, kMore, after.compiling);
    EXPECT_LE(bytes, 1.1);
    EXPECT_LE(steps, 1.1);
    std::printf("%-20s memory %.2f, steps %.2f", kind.name, bytes, steps);
    if (kind.sample) {
      const double reading = Exponent(kSome, before.reading, kMore, after.reading);
      EXPECT_LE(reading, kind.reading);
      std::printf(", of reading %.2f", reading);
    }
    std::printf("\n");
  }
  // Each is there or not, by all that come before: as many conjunctions of as many terms.
  const auto dependent = [&](int n) { return StepsOf(Dependent(n), kSchema).compiling; };
  EXPECT_LE(Exponent(20, dependent(20), 80, dependent(80)), 2.1);
}

TEST_F(GrammarGrowth, TenThousandTexts) {
  const std::string text =
      R"({"enum": [)" + Each(10000, ", ", [](int i) { return Quoted(Word(i)); }) + "]}";
  EXPECT_TRUE(Compiles(text, kSchema, uint64_t{32} << 20));
}

// What its memory held before does not matter, and most of it stays so.
TEST_F(GrammarGrowth, CreationTouchesWhatItUses) {
  constexpr size_t kPage = 4096;
  const std::string text = Alternative(1);
  const auto touched = [&](uint64_t bytes) {
    const GrammarOptions options = {.bytes = bytes};
    const uint64_t needed = Grammar::Bytes(options, text.size(), trie_.mask_words());
    std::vector<uint8_t> memory(needed + kPage, 0xa5);
    void* begin = memory.data();
    size_t space = memory.size();
    std::align(64, needed, begin, space);
    const std::span<uint8_t> its = {static_cast<uint8_t*>(begin), needed};
    const Result<Grammar*> made = Grammar::Create(options, text, trie_, {}, its);
    EXPECT_TRUE(made.ok());
    if (made.ok()) std::destroy_at(*made);
    const std::vector<uint8_t> clean(kPage, 0xa5);
    size_t pages = 0;
    for (size_t at = 0; at + kPage <= needed; at += kPage) {
      pages += std::memcmp(&its[at], clean.data(), kPage) != 0;
    }
    return pages;
  };
  const size_t some = touched(uint64_t{8} << 20), more = touched(uint64_t{128} << 20);
  EXPECT_LE(more, some + 8) << some;
  EXPECT_LT(some, 200u);
}

}  // namespace
}  // namespace rondo::grammar::growth_test
