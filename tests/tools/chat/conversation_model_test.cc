// A conversation that was loaded reads only what is new, and says what the other one says.
#include "tools/chat/conversation.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/reference_data.h"
#include "tests/temp_folder.h"
#include "tools/chat/call_runner.h"
#include "tools/chat/conversation_file.h"
#include "tools/convert/convert.h"
#include "tools/dialogue/turn_end.h"

namespace rondo::tools::conversation_model_test {
namespace {

constexpr const char* kTemplate =
    "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant] {% endif %}";

ChatForm FormOf(const std::string& template_text, const std::string& tools = "") {
  ChatForm form;
  form.template_text = template_text;
  form.tools = tools;
  return form;
}

uint64_t Prefilled(const Engine& engine) { return engine.Stats().tokens_prefilled; }

tools::Model TinyModel(const TempFolder& folder) {
  convert::ConvertOptions options;
  options.directory = TestData("tiny");
  options.output = folder / "model.rondo";
  convert::Convert(options, [](uint64_t, uint64_t) {});
  return OpenModel(options.output.string());
}

bool HasChat() {
  int64_t has_chat = 0;
  rondo_query("chat", &has_chat);
  return has_chat != 0;
}

// A template that ends messages with a token that the model's file does not end a text with.
TEST(Conversation, TheCallersTemplateKnowsTheEndOfATurn) {
  if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  const TempFolder folder;
  const tools::Model model = TinyModel(folder);
  const auto ended = [](const std::string& end) {
    return "{% for m in messages %}{{ m.content }}" + end + "{% endfor %}";
  };
  EXPECT_EQ(TurnEnd(model, ended("\n<|pad|>\n")), "<|pad|>");
  EXPECT_EQ(TurnEnd(model, ended("<|eos|><|pad|>")), "") << "it ends a text anyway";
  EXPECT_EQ(TurnEnd(model, ended("\nUser: <|pad|>")), "") << "words are no token";
  EXPECT_EQ(TurnEnd(model, "<|pad|>"), "") << "no answer";
  EXPECT_EQ(TurnEnd(model, "{{ raise_exception('no') }}"), "");

  EngineOptions options;
  options.context = 256;
  options.threads = 1;
  const tools::Engine engine = CreateEngine(model, options);
  const rondo_logit_bias always = {2, 1000};  // <|pad|>
  SessionOptions setup;
  setup.max_tokens = 5;
  setup.bias = {always};
  const auto reason = [&] {
    Conversation conversation(model, engine, setup, FormOf(ended("<|pad|>")));
    return conversation.Ask("Hello", [](Part, std::string_view) {});
  };
  EXPECT_EQ(reason(), RONDO_REASON_STOP_STRING);
  setup.stop = {"another"};
  EXPECT_EQ(reason(), RONDO_REASON_STOP_STRING);
  setup.stop.assign(16, "another");
  EXPECT_EQ(reason(), RONDO_REASON_TOKEN_LIMIT) << "there is no room for it";
}

// A template whose calls begin with a special token, of which there is one in an answer.
constexpr const char* kCallTemplate =
    "{% if tools %}[tools] {{ tools | tojson }}\n{% endif %}"
    "{% for m in messages %}[{{ m.role }}] {% if m.reasoning_content %}<think>\n"
    "{{ m.reasoning_content }}\n</think>\n{% endif %}{{ m.content }}{% if m.tool_calls %}"
    "<|pad|>{\"name\": \"{{ m.tool_calls[0].function.name }}\", \"arguments\": "
    "{{ m.tool_calls[0].function.arguments | tojson }}}{% endif %}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant] {% endif %}";
constexpr const char* kTools =
    R"([{"type": "function", "function": {"name": "weather", "description": "Of a city",
        "parameters": {"type": "object", "properties": {"city": {"enum": ["Rome", "Bonn"]}},
                       "required": ["city"], "additionalProperties": false}}}])";

TEST(Conversation, CallsParseAndAreAnswered) {
  if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  const TempFolder folder;
  const tools::Model model = TinyModel(folder);
  EngineOptions options;
  options.threads = 1;
  options.context = 512;
  const tools::Engine engine = CreateEngine(model, options);
  const rondo_logit_bias always = {2, 1000};  // <|pad|>
  SessionOptions setup;
  setup.max_tokens = 60;
  setup.bias = {always};
  Conversation conversation(model, engine, setup, FormOf(kCallTemplate, kTools));
  std::string content;
  const auto show = [&](Part part, std::string_view text) {
    if (part == Part::kContent) content += text;
  };
  conversation.Ask("How is the weather?", show);
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(conversation.calls().size(), 1u) << content;
    const Call call = conversation.calls()[0];
    EXPECT_EQ(call.name, "weather");
    const auto arguments = nlohmann::ordered_json::parse(call.arguments);
    EXPECT_TRUE(arguments["city"] == "Rome" || arguments["city"] == "Bonn") << call.arguments;
    const auto& message = conversation.messages().back();
    EXPECT_EQ(message["tool_calls"][0]["function"]["arguments"], arguments);
    conversation.Tell(call, "It rains.", /*last=*/true, show);
    EXPECT_EQ(conversation.messages()[2 + 2 * static_cast<size_t>(round)]["role"], "tool");
  }
}

TEST(Conversation, AnswersAreTakenApart) {
  if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  const TempFolder folder;
  const tools::Model model = TinyModel(folder);
  Chat chat;
  chat.template_text = kCallTemplate;
  chat.tools = kTools;
  EXPECT_EQ(ThinkingMarksOf(model, chat).begin, "<think>\n");
  AnswerReader reader(model, chat);
  const std::string_view text =
      "<think>\nRain?\n</think>\nLet me see.<|pad|>{\"name\": \"weather\", \"arguments\": "
      "{\"city\": \"Rome\"}}";
  for (const size_t step : {1u, 7u, 1000u}) {
    reader.Begin();
    std::string shown, thought;
    for (size_t at = 0; at < text.size(); at += step) {
      reader.Add(text.substr(at, step), at + step >= text.size(),
                 [&](Part part, std::string_view piece) {
                   (part == Part::kContent ? shown : thought) += piece;
                 });
    }
    EXPECT_EQ(shown, "Let me see.");
    EXPECT_EQ(thought, "Rain?");
    const nlohmann::ordered_json expected = {
        {"role", "assistant"},
        {"content", "Let me see."},
        {"reasoning_content", "Rain?"},
        {"tool_calls",
         {{{"type", "function"},
           {"function", {{"name", "weather"}, {"arguments", {{"city", "Rome"}}}}}}}}};
    EXPECT_EQ(reader.answer().Message(), expected);
  }
}

TEST(Conversation, CallsAreAnsweredByAProgram) {
  EXPECT_EQ(RunCall("echo got", {"", "weather", R"({"city": "Rome"})", true}), "got weather");
#ifndef _WIN32
  const std::string quoted = R"x({"city": "$(Rome)"})x";
  EXPECT_EQ(RunCall("sh -c cat", {"", "weather", quoted, true}), quoted);
  EXPECT_THROW(RunCall("false", {"", "weather", "{}", true}), Error);
  EXPECT_THROW(RunCall("yes", {"", "weather", "{}", true}), Error) << "it never ends";
#endif
  for (const char* const name : {"", "-rf", "a b", "a;b", "$(a)", "a\nb"}) {
    EXPECT_THROW(RunCall("echo", {"", name, "{}", true}), Error) << name;
  }
}

TEST(Conversation, LoadedReadsOnlyWhatIsNew) {
  if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  const TempFolder folder;
  const std::string kept = (folder / "kept").string();
  const tools::Model model = TinyModel(folder);
  SessionOptions setup;
  setup.max_tokens = 12;
  setup.ignore_eos = true;
  // Under SLIDE the session no longer knows the first of 5000 tokens.
  for (const auto& [policy, length] :
       {std::pair(RONDO_POLICY_STOP, 10), {RONDO_POLICY_SLIDE, 10}, {RONDO_POLICY_SLIDE, 5500}}) {
    EngineOptions options;
    options.context = 256;
    options.threads = 1;
    options.context_policy = policy;
    const tools::Engine first = CreateEngine(model, options), second = CreateEngine(model, options);
    Conversation a(model, first, setup, FormOf(kTemplate));
    Conversation b(model, second, setup, FormOf(kTemplate));
    std::string question;
    for (int i = 0; i < length; ++i) question += i % 2 == 0 ? " a" : " dog";
    a.Ask(question, [](Part, std::string_view) {});
    const uint64_t before = Prefilled(first);
    KeepConversation(kept, a);
    EXPECT_TRUE(ReadConversation(kept, &b));
    EXPECT_EQ(b.position(), a.position());
    EXPECT_EQ(b.messages(), a.messages());
    std::string expected, actual;
    a.Ask("And now?", [&](Part, std::string_view text) { expected += text; });
    b.Ask("And now?", [&](Part, std::string_view text) { actual += text; });
    EXPECT_EQ(actual, expected);
    EXPECT_EQ(b.stats().kept, a.stats().kept);
    EXPECT_GE(b.stats().kept, static_cast<size_t>(length));
    EXPECT_EQ(Prefilled(second), Prefilled(first) - before);
    EXPECT_LT(Prefilled(second), 40u);
  }
}

}  // namespace
}  // namespace rondo::tools::conversation_model_test
