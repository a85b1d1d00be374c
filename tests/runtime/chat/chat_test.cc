// What goes into a rendering, and what it may take: bad JSON, bad UTF-8, hostile templates.
#include "runtime/chat/chat.h"

#include <gtest/gtest.h>

#include "runtime/model/limits.h"
#include "tests/runtime/chat/render.h"

namespace rondo {
namespace {

using test::Render;
using test::RenderText;

class Chat : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  }

  static constexpr std::string_view kEcho =
      "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
      "{% if add_generation_prompt %}[assistant]{% endif %}";

  // The echo template's text of these messages.
  std::string Echo(std::string_view messages, bool generate = false, bool go_on = false) {
    const ChatToken bos = {"bos_token", "<s>"};
    ChatRequest request;
    request.template_text = kEcho;
    request.tokens = {&bos, 1};
    request.messages = messages;
    request.add_generation_prompt = generate;
    request.continue_final_message = go_on;
    const test::Rendered rendered = Render(request);
    return rendered.status.ok() ? rendered.text : std::string("!") + rendered.status.message();
  }

  void ExpectRefused(const ChatRequest& request, const std::string& part) {
    const test::Rendered rendered = Render(request);
    EXPECT_EQ(rendered.status.code(), StatusCode::kInvalidArgument) << part;
    EXPECT_NE(std::string(rendered.status.message()).find(part), std::string::npos)
        << rendered.status.message();
  }
};

TEST_F(Chat, MessagesBecomeText) {
  EXPECT_EQ(Echo(R"([{"role": "user", "content": "Hi \u00fc\ud83d\ude00\n\"q\""}])", true),
            "<s>[user]Hi \u00fc\U0001F600\n\"q\"[assistant]");
  EXPECT_EQ(Echo("[]"), "<s>");
}

TEST_F(Chat, GoingOnWithAMessage) {
  const std::string user = R"([{"role": "user", "content": "q"}, )";
  EXPECT_EQ(Echo(user + R"({"role": "assistant", "content": "Roses are"}])", false, true),
            "<s>[user]q[assistant]Roses are");
  EXPECT_EQ(Echo(user + R"({"role": "assistant", "content": "Roses are "}])", false, true),
            "<s>[user]q[assistant]Roses are ");
  ChatRequest request;
  request.continue_final_message = true;
  request.messages = R"([{"role": "assistant", "content": [{"type": "text", "text": "Roses "}]}])";
  request.template_text = "{{ messages[-1].content[0].text|trim }}<end>";
  EXPECT_EQ(Render(request).text, "Roses");
  request.template_text = "no message";
  ExpectRefused(request, "does not appear");
  request.messages = R"([{"role": "assistant"}])";
  ExpectRefused(request, "no text to continue");
  request.messages = "[]";
  ExpectRefused(request, "no text to continue");
  EXPECT_TRUE(Echo("[]", true, true).starts_with("!")) << "both at once";
}

TEST_F(Chat, NamesOfTheTemplate) {
  EXPECT_EQ(RenderText("{{ x.y }} {{ documents }} {{ tools }}", R"({"x": {"y": [1, 2.5, null]}})"),
            "[1, 2.5, None] None None");
  const ChatToken bos = {"bos_token", "<s>"};
  ChatRequest request;
  request.template_text = "{{ bos_token }} {{ messages|length }} {{ strftime_now is defined }}";
  request.tokens = {&bos, 1};
  request.messages = "[]";
  request.variables = R"({"bos_token": "<other>", "messages": 5})";
  EXPECT_EQ(Render(request).text, "<other> 0 False");
}

TEST_F(Chat, WhatIsNotJson) {
  struct Bad {
    std::string_view messages, part;
  };
  for (const Bad& bad : {Bad{"", "messages is not JSON: byte 0"},
                         Bad{"{}", "messages is not a JSON list"},
                         Bad{"[1]", "messages[0] is not a JSON object"},
                         Bad{"[{}, []]", "messages[1]"},
                         Bad{"[", "ends early"},
                         Bad{"[{}] x", "expected the end"},
                         Bad{"[{\"a\"}]", "expected ':'"},
                         Bad{"[{a: 1}]", "expected a key"},
                         Bad{"[{\"a\": 01}]", "expected ',' or '}'"},
                         Bad{"[{\"a\": 1.}]", "expected a digit"},
                         Bad{"[{\"a\": -}]", "expected a digit"},
                         Bad{"[{\"a\": 99999999999999999999}]", "beyond 64 bits"},
                         Bad{"[{\"a\": 1e999}]", "beyond the range"},
                         Bad{"[{\"a\": nul}]", "expected a value"},
                         Bad{"[{\"a\": NaN}]", "expected a value"},
                         Bad{"[{\"a\": \"x}]", "inside of a string"},
                         Bad{"[{\"a\": \"\\x\"}]", "no such escape"},
                         Bad{"[{\"a\": \"\\u12g4\"}]", "hexadecimal"},
                         Bad{"[{\"a\": \"\\ud800\"}]", "surrogate"},
                         Bad{"[{\"a\": \"\\udc00\"}]", "surrogate"},
                         Bad{"[{\"a\": \"\n\"}]", "control character"},
                         Bad{"[{\"a\": \"\xff\"}]", "byte 8: not UTF-8"},
                         Bad{"[{\"a\": \"\xed\xa0\x80\"}]", "not UTF-8"}}) {
    ChatRequest request;
    request.template_text = "x";
    request.messages = bad.messages;
    ExpectRefused(request, std::string(bad.part));
  }
  ChatRequest request;
  request.template_text = "x";
  request.messages = "[]";
  request.tools = "{}";
  ExpectRefused(request, "tools is not a JSON list");
  request.tools = "[";
  ExpectRefused(request, "tools is not JSON");
  request.tools = "null";
  request.variables = "[]";
  ExpectRefused(request, "variables is not a JSON object");
  request.variables = "{\"a\":}";
  ExpectRefused(request, "variables is not JSON");
  const std::string deep(100'000, '[');
  request.variables = {};
  request.messages = deep;
  ExpectRefused(request, "nested");
}

// At once, unlike a rendering, which may never come to the place.
TEST_F(Chat, UnknownNamesAreFoundByTheCheck) {
  const std::string_view text = "{% if x %}{{ 'abc'|nofilter }}{% endif %}ok";
  EXPECT_EQ(RenderText(text), "ok");
  EXPECT_STREQ(CheckChatTemplate(text).message(),
               "chat template, line 1: unknown filter 'nofilter'");
  EXPECT_STREQ(CheckChatTemplate("\n{{ x is notest }}").message(),
               "chat template, line 2: unknown test 'notest'");
}

TEST_F(Chat, TemplatesThatAreNone) {
  EXPECT_TRUE(CheckChatTemplate("{{ 1 }}").ok());
  EXPECT_TRUE(CheckChatTemplate("").ok());
  EXPECT_EQ(CheckChatTemplate("{{ 1 ").code(), StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(CheckChatTemplate("ab\xff").message()).find("byte 2 is not UTF-8"),
            std::string::npos);
  const std::string long_text(kMaxTemplateBytes + 1, ' ');
  EXPECT_EQ(CheckChatTemplate(long_text).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(CheckChatTemplate(std::string_view(long_text).substr(1)).ok());
}

// ---- Hostile templates ----

std::string Repeat(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

constexpr std::string_view kSteps = "does not come to an end";
constexpr std::string_view kMemory = "of memory";
constexpr std::string_view kDepth = "levels deep";

struct Hostile {
  std::string text;
  std::string_view part;  // of the sentence
};

std::vector<Hostile> HostileTemplates() {
  const std::string loop = "{% for i in range(100000) %}", end = "{% endfor %}";
  const std::string wrap = "{% set n = namespace(x=[]) %}" + loop + "{% set n.x = [n.x] %}" + end;
  return {
      {loop + loop + loop + "x" + end + end + end, kSteps},
      {loop + "{% set x %}" + loop + Repeat("a", 1000) + end + "{% endset %}" + end, kMemory},
      {"{% macro m(x) %}{{ m(x) }}{% endmacro %}{{ m(1) }}", kDepth},
      {"{% macro m(x=m()) %}{% endmacro %}{{ m() }}", kDepth},
      {"{% macro a() %}{% call b() %}{% endcall %}{% endmacro %}{% macro b() %}{{ a() }}"
       "{% endmacro %}{{ a() }}",
       kDepth},
      {"{% set n = namespace(s='abcdefgh') %}" + loop + "{% set n.s = n.s + n.s %}" + end, kMemory},
      {"{% set n = namespace(s='abcdefgh') %}" + loop + "{% set n.s = n.s ~ n.s %}" + end, kMemory},
      {"{% set n = namespace(s=[1]) %}" + loop + "{% set n.s = n.s + n.s %}" + end, kMemory},
      {"{{ 'a' * 1000000000000 }}", kSteps},
      {"{{ ([1] * 1000000000000)|length }}", kMemory},
      {"{{ [[1]]|tojson(indent=9223372036854775807) }}", kSteps},
      {"{{ 'a\nb'|indent(9223372036854775807) }}", kSteps},
      {"{{ " + Repeat("(", 150) + "1" + Repeat(")", 150) + " }}", kDepth},
      {"{{ " + Repeat("[", 5000) + "1" + Repeat("]", 5000) + " }}", ""},
      {"{{ " + Repeat("not ", 50000) + "1 }}", kDepth},
      {"{{ " + Repeat("-", 50000) + "1 }}", kDepth},
      {"{{ 1" + Repeat("+1", 50000) + " }}", kDepth},
      {"{{ 1" + Repeat("|abs", 50000) + " }}", kDepth},
      {"{{ x" + Repeat(".a", 50000) + " }}", kDepth},
      {"{{ " + Repeat("1 if 0 else ", 50000) + "2 }}", kDepth},
      {Repeat("{% if 1 %}", 20000), kDepth},
      {wrap + "{{ n.x }}", kDepth},
      {wrap + "{{ n.x|tojson }}", kDepth},
      {wrap + "{% set y = n.x %}" + wrap + "{{ y == n.x }}", kDepth},
      {"{% set n = namespace() %}{% set n.me = n %}{{ n }}", kDepth},
      {"{% set n = namespace() %}{% set n.me = [n] %}{{ n.me }}", kDepth},
      {"{% set n = namespace(x=[1]) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}"
       "{% endfor %}{{ n.x }}",
       kMemory},
      {"{% set n = namespace(x=[1], y=[1]) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}"
       "{% set n.y = [n.y, n.y] %}{% endfor %}{{ n.x == n.y }}",
       kSteps},
      {"{% set a = 'a' * 4000000 %}{% set b = 'a' * 2000000 ~ 'b' %}{{ b in a }}", kSteps},
      {"{% set a = '\u00e9' * 4000000 %}" + loop + "{{ a[3999999 - i] }}" + end, kSteps},
      {"{% set a = 'a' * 4000000 %}{{ a.replace('a', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb') }}",
       kMemory},
  };
}

TEST_F(Chat, HostileTemplatesComeToAnEnd) {
  for (const Hostile& hostile : HostileTemplates()) {
    const std::string text = RenderText(hostile.text);
    const std::string shown = hostile.text.substr(0, 100);
    EXPECT_TRUE(text.starts_with("!")) << shown;
    EXPECT_NE(text.find(hostile.part), std::string::npos) << shown << ": " << text;
  }
}

// Twenty million steps over a scope of many names.
TEST_F(Chat, ManyNamesAreCounted) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "{% set a" + std::to_string(i) + " = 1 %}";
  text += "{% for i in range(100000) %}{{ zzz }}{% endfor %}";
  EXPECT_NE(RenderText(text).find(kSteps), std::string::npos);
}

// Growing a text bit by bit costs what it adds, not its square.
TEST_F(Chat, GrowingTextsIsCheap) {
  const std::string text = RenderText(
      "{% set n = namespace(s='') %}{% for i in range(100000) %}"
      "{% set n.s = n.s + '<' ~ i ~ '>' %}{% endfor %}{{ n.s|length }}");
  EXPECT_EQ(text, "688890");
}

}  // namespace
}  // namespace rondo
