// Templates and JSON put together by chance: any answer will do, as long as there is one.
#include <gtest/gtest.h>

#include <random>

#include "tests/runtime/chat/render.h"
#include "tests/runtime/chat/template_pieces.h"

namespace rondo {
namespace {

TEST(ChatFuzz, TemplatesOfPieces) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    const size_t pieces = random() % 40;
    for (size_t i = 0; i < pieces; ++i)
      text += kTemplatePieces[random() % std::size(kTemplatePieces)];
    test::RenderText(text, R"({"x": [1, "a", {"b": null}], "m": {"k": 2.5}})");
  }
}

// Expressions that parse more often than not.
std::string Expression(std::mt19937& random, int depth) {
  static constexpr const char* kLeaves[] = {"x",
                                            "m",
                                            "s",
                                            "1",
                                            "'ab'",
                                            "2.5",
                                            "none",
                                            "[1, 'a']",
                                            "{'k': 1}",
                                            "(1, 2)",
                                            "-9223372036854775807",
                                            "zz"};
  if (depth == 0 || random() % 4 == 0) return kLeaves[random() % std::size(kLeaves)];
  const auto sub = [&] { return Expression(random, depth - 1); };
  static constexpr const char* kOperators[] = {"+", "-", "*",  "/",    "//",    "%",
                                               "~", "<", "==", " in ", " and ", " or "};
  static constexpr const char* kFilters[] = {"|tojson",
                                             "|list",
                                             "|length",
                                             "|sort",
                                             "|join(',')",
                                             "|string",
                                             "|int",
                                             "|float",
                                             "|first",
                                             "|last",
                                             "|reverse",
                                             "|map('upper')",
                                             "|select",
                                             "|unique",
                                             "|dictsort",
                                             "|items",
                                             "|selectattr('k')",
                                             "|map(attribute='k')",
                                             "|indent",
                                             "|title",
                                             "|replace('a', 'bb')",
                                             "|abs",
                                             "|safe",
                                             "|tojson(indent=2)"};
  static constexpr const char* kMethods[] = {".split()",
                                             ".split('a', 1)",
                                             ".rsplit('a', 1)",
                                             ".strip('a')",
                                             ".upper()",
                                             ".title()",
                                             ".find('b')",
                                             ".replace('', 'a')",
                                             ".capitalize()",
                                             ".keys()",
                                             ".items()",
                                             ".get('k')",
                                             ".startswith('a')",
                                             ".zfill(5)",
                                             "[0]",
                                             "[-1]",
                                             "[1:]",
                                             "[::-2]",
                                             ".k"};
  switch (random() % 6) {
    case 0:
      return "(" + sub() + kOperators[random() % std::size(kOperators)] + sub() + ")";
    case 1:
      return "(" + sub() + ")" + kFilters[random() % std::size(kFilters)];
    case 2:
      return "(" + sub() + ")" + kMethods[random() % std::size(kMethods)];
    case 3:
      return "(" + sub() + " if " + sub() + " else " + sub() + ")";
    case 4:
      if (random() % 2) return "(" + sub() + ")[" + sub() + ":" + sub() + "]";
      return (random() % 2 ? "strftime_now(" : "range(") + sub() + ")";
    default:
      return "(" + sub() + " is " + (random() % 2 ? "defined" : "in " + sub()) + ")";
  }
}

TEST(ChatFuzz, Expressions) {
  std::mt19937 random(2);
  for (int round = 0; round < 20000; ++round) {
    test::RenderText(
        "{{ " + Expression(random, 5) + " }}",
        R"({"x": [3, 1, 2], "m": {"k": [1], "b": "q"}, "s": "a\u00e9b \ud83d\ude00"})");
  }
}

TEST(ChatFuzz, DamagedJson) {
  const std::string whole =
      R"([{"role": "user", "content": [1, -2.5e3, true, null, "a\u00e9\ud83d\ude00\n"]}, {}])";
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    std::string json = whole;
    for (size_t i = 0, changes = 1 + random() % 3; i < changes; ++i) {
      json[random() % json.size()] = static_cast<char>(random());
    }
    json.resize(random() % 4 == 0 ? random() % json.size() : json.size());
    ChatRequest request;
    request.template_text = "{{ messages|tojson }}{{ messages }}";
    request.messages = json;
    test::Render(request);
  }
}

}  // namespace
}  // namespace rondo
