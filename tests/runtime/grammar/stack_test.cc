// How much of a thread's stack grammars take at most: hosts give some threads 64 KiB.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tests/runtime/grammar/words.h"
#include "tests/support/sanitized.h"

#if defined(__linux__)
#include <pthread.h>
#endif

namespace rondo::grammar::stack_test {
namespace {

#if defined(__linux__)

// Bytes of stack below the caller's frame that work() touches, on a thread of its own.
template <typename Work>
size_t StackOf(const Work& work) {
  constexpr size_t kBytes = size_t{1} << 20;
  constexpr uint8_t kUntouched = 0xa5;
  struct alignas(4096) Page {
    uint8_t bytes[4096];
  };
  std::vector<Page> stack(kBytes / sizeof(Page));
  std::fill_n(stack[0].bytes, kBytes, kUntouched);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack.data(), kBytes);
  struct Call {
    const Work* work;
    const uint8_t* top;
  } call = {&work, nullptr};
  pthread_t thread;
  const auto run = [](void* context) -> void* {
    auto& call = *static_cast<Call*>(context);
    call.top = static_cast<const uint8_t*>(__builtin_frame_address(0));
    (*call.work)();
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, run, &call), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  const uint8_t* low = stack[0].bytes;
  while (*low == kUntouched) ++low;
  return static_cast<size_t>(call.top - low);
}

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// Creates the grammar, which is refused with these words where there are any, and asks for masks.
size_t StackOfGrammar(const std::string& text, const char* refusal, const GrammarOptions& options) {
  static const Words words;
  static const Result<TokenTrie> trie = words.Trie();
  const uint32_t end = words.end();
  const uint64_t bytes = Grammar::Bytes(options, text.size(), trie->mask_words());
  struct alignas(64) Line {
    uint8_t bytes[64];
  };
  std::vector<Line> memory((bytes + 63) / 64);
  std::vector<uint32_t> mask(trie->mask_words());
  return StackOf([&] {
    const Result<Grammar*> made = Grammar::Create(options, text, *trie, {&end, 1},
                                                  {memory[0].bytes, static_cast<size_t>(bytes)});
    EXPECT_EQ(made.ok(), *refusal == '\0') << made.status().message();
    if (!made.ok()) {
      EXPECT_NE(std::strstr(made.status().message(), refusal), nullptr) << made.status().message();
      return;
    }
    GrammarPlace place;
    int32_t token = '"';
    const auto its = [](const void* context, uint64_t) {
      return *static_cast<const int32_t*>(context);
    };
    for (const uint64_t size : {0, 1}) {
      EXPECT_TRUE((*made)->Allowed({its, &token, size, 0}, &place, mask).ok());
    }
    std::destroy_at(*made);
  });
}

TEST(Stack, IsBounded) {
  if (RONDO_SANITIZED) GTEST_SKIP() << "sanitizers take more";
  const std::string groups = Repeated("(?:[^a-c]+|", 63) + "x" + Repeated("){1,2}", 63);
  const std::string value = Repeated("[", 30) + "1.5" + Repeated("]", 30);
  const auto all_of = [](const std::string& schema) {
    return Repeated(R"({"allOf": [)", 22) + schema + Repeated("]}", 22);
  };
  const struct {
    std::string text;
    const char* refusal = "";
    GrammarKind kind = GrammarKind::kJsonSchema;
  } cases[] = {
      {groups, "", GrammarKind::kPattern},
      {Repeated("(?=[a-c])", 60) + "a", "", GrammarKind::kPattern},
      {Repeated("(?=[a-c])", 5000) + "a", "over 64 deep", GrammarKind::kPattern},
      {Repeated("(", 5000), "over 64 deep", GrammarKind::kPattern},
      {Repeated("[^a]?", 1000), "", GrammarKind::kPattern},
      {R"({"type": "array", "items": {"pattern": ")" + groups + "\"}}"},
      {R"({"propertyNames": {"minLength": 1, "pattern": ")" + groups + R"("}, "type": "object"})"},
      {R"({"patternProperties": {")" + groups +
       R"(": {}}, "properties": {"a": {}}, "additionalProperties": false})"},
      {R"({"enum": ["x", 1], "not": {"not": )" + all_of(R"({"pattern": ")" + groups + "\"}") +
       "}}"},
      {R"({"enum": [)" + value + R"(], "not": {"not": )" + all_of(R"({"enum": [)" + value + "]}") +
       "}}"},
      {R"({"const": )" + Repeated(R"({"a": [)", 16) + "-1.5e3" + Repeated("]}", 16) + "}"},
      {R"({"const": )" + Repeated("[", 100) + Repeated("]", 100) + "}", "nested over 32 deep"},
      {R"({"oneOf": [{"type": "integer"}, {"minimum": 3}]})"},
      {Repeated(R"({"properties": {"a": )", 120) + "{}" + Repeated("}}", 120)},
      {R"({"a": )" + Repeated("[", 300) + std::string(600, ' '), "nested over 256 deep"},
  };
  for (const auto& c : cases) {
    EXPECT_LE(StackOfGrammar(c.text, c.refusal, {.kind = c.kind}), size_t{48} << 10) << c.text;
  }
}

#endif

}  // namespace
}  // namespace rondo::grammar::stack_test
