// The calls that the reference templates write are what their grammars describe.
#include <gtest/gtest.h>

#include "runtime/chat/calls/chat_parser.h"
#include "tests/runtime/chat/calls/described.h"
#include "tests/runtime/chat/calls/parsed.h"
#include "tests/runtime/chat/calls/reference_answers.h"
#include "tests/support/reference_data.h"

namespace rondo::chat_grammar_model_test {
namespace {

using test::Answer;
using test::Described;
using test::OrderedJson;
using test::ReferenceTemplate;

// Members in the order of the alphabet, in which some templates write them.
const char* const kTools = R"([
  {"type": "function", "function": {"name": "get_weather", "description": "The weather",
   "parameters": {"type": "object", "properties": {
     "city": {"type": "string", "description": "A city"},
     "days": {"type": "integer", "description": "How many"},
     "unit": {"type": "string", "description": "Of what", "enum": ["c", "f"]}},
     "required": ["city"]}}},
  {"type": "function", "function": {"name": "no-arguments.2", "description": "None",
   "parameters": {"type": "object", "properties": {}, "required": []}}}])";

constexpr const char* kEndOfCalls = "<\uff5ctool\u2581calls\u2581end\uff5c>";

std::vector<Answer> Calls() {
  const std::string w = "get_weather", n = "no-arguments.2";
  return {{"", "", {{w, {{"city", "Paris"}}}}},
          {"", "", {{w, {{"city", "say \"hi\"\n<b> \u4e2d"}, {"days", 12}, {"unit", "f"}}}}},
          {"", "", {{n, OrderedJson::object()}}},
          {"", "", {{w, {{"city", ""}, {"unit", "c"}}}, {n, OrderedJson::object()}}}};
}

// Behind the last call a turn ends.
std::string UpToTurnEnd(std::string text, const calls::AnswerForm& form) {
  text.resize(calls::TrimRight(text).size());
  for (const std::string_view end : {form.turn_end, form.turn_end_with_calls, form.content_end}) {
    const std::string marker(end.substr(0, calls::FirstMarkerEnd(end)));
    const std::string tail(calls::TrimRight(marker));
    if (!tail.empty() && text.ends_with(tail)) text.resize(text.size() - tail.size());
  }
  return std::string(calls::TrimRight(text));
}

TEST(ChatGrammarReference, EveryTemplate) {
  if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  RONDO_SKIP_WITHOUT(std::filesystem::path(kSharedData) / "chat");
  size_t templates = 0, answers = 0, samples = 0;
  std::mt19937 random(1);
  for (const std::filesystem::path& path : test::ReferenceTemplates()) {
    const ReferenceTemplate reference(path);
    const ChatRequest request = reference.Request(kTools);
    jinja::Machine machine{jinja::Limits()};
    calls::AnswerForm form;
    if (!calls::ReadAnswerForm(request, machine, &form).ok() || !form.has_calls) continue;
    SCOPED_TRACE(path.stem().string());
    Described several(request, ChatCalls::kRequired), any(request, ChatCalls::kAuto);
    Described one(request, ChatCalls::kOne, "get_weather");
    ASSERT_TRUE(several.status.ok()) << several.status.message();
    ++templates;
    size_t here = 0;
    for (const Answer& answer : Calls()) {
      if (answer.calls.size() > 1 && !form.call.several) continue;
      // In one of the spellings that templates take.
      std::string text;
      bool described = false;
      for (int spelling = 0; spelling < 4 && !described; ++spelling) {
        if (!reference.Write(answer, kTools, form, spelling >= 2, spelling % 2 == 1, 0, &text)) {
          continue;
        }
        // A thought that the prompt began, or the template writes empty, is none of the grammar's.
        const std::string_view end = calls::Trim(form.thinking_end);
        const size_t thought = end.empty() ? text.npos : text.find(end);
        if (thought != text.npos) text = text.substr(thought + end.size());
        // One writes the content beside a call as a thought, though there is none.
        if (path.stem() == "real_gpt-oss") text = text.substr(text.find(form.call.begin));
        text = UpToTurnEnd(std::string(calls::TrimLeft(text)), form);
        // One ends the list of calls only where there are several.
        if (path.stem() == "tpl_deepseek-ai-DeepSeek-R1-Distill-Llama-8B" &&
            answer.calls.size() == 1) {
          text += kEndOfCalls;
        }
        described = several.Accepts(text);
      }
      EXPECT_TRUE(described) << text << "\n" << several.text;
      EXPECT_TRUE(any.Accepts(text)) << text << "\n" << any.text;
      EXPECT_EQ(one.Accepts(text),
                answer.calls.size() == 1 && answer.calls[0].first == "get_weather")
          << text;
      EXPECT_FALSE(several.Accepts(text.substr(0, text.size() / 2))) << text;
      ++here;
    }
    EXPECT_GT(here, 0u);
    answers += here;
    // And what the grammar has parses.
    auto parser = ChatParser::Create(request);
    ASSERT_TRUE(parser.ok());
    for (int i = 0; i < 6; ++i) {
      std::string text = several.Sample(random);
      if (text.empty()) continue;
      if (form.in_thought) text.insert(0, form.thinking_end);
      const test::Parsed parsed = test::Parse(**parser, text);
      EXPECT_EQ(parsed.content, "") << text;
      EXPECT_FALSE(parsed.calls.empty()) << text;
      for (const test::ParsedCall& call : parsed.calls) EXPECT_TRUE(call.whole) << text;
      ++samples;
    }
  }
  std::printf("%zu templates, %zu answers described, %zu samples parsed\n", templates, answers,
              samples);
}

}  // namespace
}  // namespace rondo::chat_grammar_model_test
