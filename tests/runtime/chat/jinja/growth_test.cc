// What a rendering costs as its messages become more, in steps and in memory.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/runtime/chat/render.h"
#include "tests/support/places.h"
#include "tests/support/reference_data.h"
#include "tests/support/sanitized.h"

namespace rondo::growth_test {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

// Of messages of 1 KB. Sanitizers would take minutes for the longest conversations.
constexpr size_t kMost = RONDO_SANITIZED ? 500 : 5000;
constexpr double kLinear = 1.1;       // the exponent of what is linear but for rounding
constexpr size_t kBytesForEach = 20;  // of memory, for a byte of messages

std::string Content() {
  std::string text;
  while (text.size() < 1024) text += "some words that say a thing so ";
  return text.substr(0, 1024);
}

// The user and the assistant in turn; with `calls`, every other answer calls a function before.
std::string Conversation(size_t count, bool calls) {
  const std::string content = Content();
  json messages = json::array();
  for (size_t i = 0; messages.size() < count; ++i) {
    messages.push_back({{"role", "user"}, {"content", content}});
    if (calls) {
      const std::string id = "abc" + std::to_string(100000 + i);
      const json function = {{"name", "get_weather"}, {"arguments", {{"city", "Paris"}}}};
      const json call = {{"id", id}, {"type", "function"}, {"function", function}};
      messages.push_back(
          {{"role", "assistant"}, {"content", content}, {"tool_calls", json::array({call})}});
      messages.push_back(
          {{"role", "tool"}, {"name", "get_weather"}, {"tool_call_id", id}, {"content", content}});
    }
    messages.push_back({{"role", "assistant"}, {"content", content}});
  }
  while (messages.size() > count) messages.erase(messages.size() - 1);
  return messages.dump();
}

const std::string& Messages(size_t size, bool calls) {
  static std::map<std::pair<size_t, bool>, std::string> made;
  std::string& text = made[{size, calls}];
  if (text.empty()) text = Conversation(size, calls);
  return text;
}

// Renders conversations of a quarter, half and all of `most` messages. `linear`: how steps grow.
// Memory is taken in chunks, so that it is compared with what the messages take.
void ExpectGrowth(const std::string& name, ChatRequest request, size_t most, bool calls,
                  bool linear) {
  double steps[3], memory[3];
  for (const size_t i : {0, 1, 2}) {
    const size_t size = most >> (2 - i);
    request.messages = Messages(size, calls);
    const test::Rendered rendered = test::Render(request);
    ASSERT_TRUE(rendered.status.ok())
        << name << ", " << size << " messages: " << rendered.status.message();
    steps[i] = static_cast<double>(rendered.steps);
    memory[i] = static_cast<double>(rendered.memory) / static_cast<double>(request.messages.size());
    EXPECT_LE(memory[i], kBytesForEach) << name << ", " << size << " messages";
  }
  const double exponent = std::log2(steps[2] / steps[0]) / 2;
  std::printf("%-60s steps ^%.2f to %6.1f M, memory %4.1f %4.1f %4.1f times the messages\n",
              name.c_str(), exponent, steps[2] * 1e-6, memory[0], memory[1], memory[2]);
  EXPECT_LE(exponent, linear ? kLinear : 2) << name;
}

class ChatGrowth : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  }
};

struct Gathering {
  const char* name;
  const char* text;  // of `n`, that begins with n.s '' and n.l []; behind a loop over messages, m
  bool linear = true;
};

// Ways to gather, to take apart and to look back.
constexpr Gathering kGatherings[] = {
    {"+", "{% set n.s = n.s + m.content %}"},
    {"+ of two", "{% set n.s = n.s + m.content + 'x' %}"},
    {"+ of brackets", "{% set n.s = n.s + (m.content|trim) %}"},
    {"+ in front", "{% set n.s = m.content + n.s %}"},
    {"~", "{% set n.s = n.s ~ m.content %}"},
    {"~ in front", "{% set n.s = m.content ~ n.s %}"},
    {"~ around", "{% set n.s = '<' ~ n.s ~ m.content ~ '>' %}"},
    {"~ of both marks", "{% set n.s = n.s ~ '<' ~ m.content %}"},
    {"set block", "{% set n.s %}{{ n.s }}{{ m.content }}{% endset %}"},
    {"set block around", "{% set n.s %}<{{ n.s }}{{ m.content }}{% endset %}"},
    {"filter block",
     "{% set n.s %}{% filter trim %}{{ n.s }}{{ m.content }}{% endfilter %}"
     "{% endset %}"},
    {"macro", "{% set n.s = f(n.s, m.content) %}"},
    {"call", "{% set n.s %}{% call g(n.s) %}{{ m.content }}{% endcall %}{% endset %}"},
    {"join", "{% set n.s = [n.s, m.content]|join %}"},
    {"join in front", "{% set n.s = [m.content, n.s]|join('-') %}"},
    {"trim", "{% set n.s = (n.s ~ m.content)|trim %}"},
    {"strip", "{% set n.s = (n.s + m.content).strip() %}"},
    {"replace", "{% set n.s = n.s ~ m.content|replace('words', 'w') %}"},
    {"length", "{% set n.s = n.s ~ m.content %}{% if n.s|length > 3 %}a{% endif %}"},
    {"first and last", "{% set n.s = n.s ~ m.content %}{{ n.s[0] }}{{ n.s[-1] }}"},
    {"begin of a text", "{% set n.s = n.s + m.content %}{{ n.s[:10] }}"},
    {"end of a text", "{% set n.s = n.s + m.content %}{{ n.s[-10:] }}"},
    {"affixes", "{% set n.s = n.s ~ m.content %}{{ n.s.startswith('a') or n.s.endswith('b') }}"},
    {"condition", "{% set n.s = n.s ~ (m.content if n.s else 'x') %}"},
    {"eating a text",
     "{% set n.s = n.s or (messages|map(attribute='content')|join) %}"
     "{% set n.s = n.s[9:] %}"},
    {"list", "{% set n.l = n.l + [m.content] %}"},
    {"list in front", "{% set n.l = [m.content] + n.l %}"},
    {"list around", "{% set n.l = [1] + n.l + [m] %}"},
    {"tuple", "{% set n.t = n.t + (m.content,) %}"},
    {"list and its last", "{% set n.l = n.l + [m] %}{{ n.l[-1].role }}{{ n.l|length }}"},
    {"rest of messages", "{% set rest = messages[loop.index0:] %}{{ rest[0].role }}"},
    {"messages before", "{% set rest = messages[:loop.index0] %}{{ rest|length }}"},
    {"eating messages", "{% set n.l = (n.l or messages)[1:] %}"},
    {"copies that are dropped", "{% set a = m.content|upper %}{{ a|length }}{{ a ~ 'x' }}"},
    {"looking back",
     "{% for j in range(loop.index0 - 1, -1, -1) %}"
     "{% if n.s == '' and messages[j].role == 'tool' %}{% set n.s = 'x' %}"
     "{% endif %}{% endfor %}",
     false},
    {"looking ahead",
     "{% for a in messages[loop.index:] %}{% if a.role == 'tool' %}"
     "{% set n.s = a.content %}{% endif %}{% endfor %}",
     false},
    {"backwards", "{% for a in messages[:loop.index0][::-1] %}{% break %}{% endfor %}", false},
    {"of one role", "{{ messages[:loop.index0]|selectattr('role', 'eq', 'user')|list|length }}",
     false},
};

TEST_F(ChatGrowth, OfWhatGathers) {
  for (const bool mark : {false, true}) {
    for (const Gathering& gathering : kGatherings) {
      const std::string text =
          "{% macro f(a, b) %}{{ a }}{{ b }}{% endmacro %}"
          "{% macro g(a) %}{{ a }}{{ caller() }}{% endmacro %}"
          "{% set n = namespace(s='', l=[], t=()) %}{% for m in messages %}" +
          std::string(gathering.text) + "{% endfor %}{{ n.s }}{{ n.l|length }}{{ n.t|length }}";
      ChatRequest request;
      request.template_text = text;
      request.mark_outside = mark;
      ExpectGrowth(gathering.name, request, kMost / 5, false, gathering.linear);
    }
  }
}

// Those that look through all messages for each of some: what they are given goes up as a square.
const std::set<std::string> kLookAround = {
    "tpl_google-gemma-4-31B-it", "tpl_google-gemma-4-31B-it, calls",
    "tpl_CohereForAI-c4ai-command-r7b-12-2024-tool_use.ik, calls",
    "tpl_deepseek-ai-DeepSeek-V3.2, calls", "tpl_openai-gpt-oss-120b, calls"};

TEST_F(ChatGrowth, OfEveryPublishedTemplate) {
  const fs::path folder = fs::path(kSharedData) / "chat";
  RONDO_SKIP_WITHOUT(folder);
  size_t rendered = 0, templates = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    ++templates;
    const json file = json::parse(std::ifstream(entry.path()));
    const std::string text = file["template"];
    std::vector<std::pair<std::string, std::string>> names;
    for (const auto& [name, value] : file["vars"].items()) {
      if (value.is_string()) names.emplace_back(name, value);
    }
    std::vector<ChatToken> tokens;
    for (const auto& [name, value] : names) tokens.push_back({name, value});
    // What it can render with a call, it can with many; else it may be for tools alone.
    const json& round = file["cases"]["tool_round"];
    const std::string tools = round["tools"].dump();
    for (const bool calls : {false, true}) {
      if (file["cases"][calls ? "tool_round" : "multi"].contains("error")) continue;
      ChatRequest request;
      request.template_text = text;
      request.tokens = tokens;
      if (calls) request.tools = tools;
      request.add_generation_prompt = true;
      request.local_time = test::kTestClock;
      request.mark_outside = calls;
      const std::string name = entry.path().stem().string() + (calls ? ", calls" : "");
      ExpectGrowth(name, request, kMost, calls, kLookAround.count(name) == 0);
      ++rendered;
    }
  }
  std::printf("%zu kinds of conversation in %zu templates\n", rendered, templates);
  EXPECT_GT(rendered, templates);
}

}  // namespace
}  // namespace rondo::growth_test
