// A conversation that was loaded reads only what is new, and says what the other one says.
#include "tools/chat/conversation.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/test_model.h"
#include "tools/chat/conversation_file.h"
#include "tools/chat/turn_end.h"

namespace rondo::tools {
namespace {

constexpr const char* kTemplate =
    "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant] {% endif %}";

uint64_t Prefilled(const rondo_engine* engine) {
  rondo_engine_counters counters = {};
  counters.struct_size = sizeof counters;
  EXPECT_EQ(rondo_engine_stats(engine, &counters), RONDO_STATUS_OK);
  return counters.tokens_prefilled;
}

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
  EXPECT_EQ(TurnEnd(model.get(), ended("\n<|pad|>\n")), "<|pad|>");
  EXPECT_EQ(TurnEnd(model.get(), ended("<|eos|><|pad|>")), "") << "it ends a text anyway";
  EXPECT_EQ(TurnEnd(model.get(), ended("\nUser: <|pad|>")), "") << "words are no token";
  EXPECT_EQ(TurnEnd(model.get(), "<|pad|>"), "") << "no answer";
  EXPECT_EQ(TurnEnd(model.get(), "{{ raise_exception('no') }}"), "");

  rondo_engine_options options = EngineDefaults();
  options.context = 256;
  options.threads = 1;
  const tools::Engine engine = CreateEngine(model.get(), options);
  const rondo_logit_bias always = {2, 1000};  // <|pad|>
  SessionSetup setup;
  setup.options.max_tokens = 5;
  setup.options.logit_bias = &always;
  setup.options.n_logit_bias = 1;
  const auto reason = [&] {
    Conversation conversation(model.get(), engine.get(), setup, {"", ended("<|pad|>"), "", 0});
    return conversation.Ask("Hello", [](Part, std::string_view) {});
  };
  EXPECT_EQ(reason(), RONDO_REASON_STOP_STRING);
  setup.stop = {"another"};
  EXPECT_EQ(reason(), RONDO_REASON_STOP_STRING);
  setup.stop.assign(16, "another");
  EXPECT_EQ(reason(), RONDO_REASON_TOKEN_LIMIT) << "there is no room for it";
}

TEST(Conversation, LoadedReadsOnlyWhatIsNew) {
  if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  const TempFolder folder;
  const std::string kept = (folder / "kept").string();
  const tools::Model model = TinyModel(folder);
  SessionSetup setup;
  setup.options.max_tokens = 12;
  setup.options.ignore_eos = 1;
  // Under SLIDE the session no longer knows the first of 5000 tokens.
  for (const auto& [policy, length] :
       {std::pair(RONDO_POLICY_STOP, 10), {RONDO_POLICY_SLIDE, 10}, {RONDO_POLICY_SLIDE, 5500}}) {
    rondo_engine_options options = EngineDefaults();
    options.context = 256;
    options.threads = 1;
    options.context_policy = policy;
    const tools::Engine first = CreateEngine(model.get(), options),
                        second = CreateEngine(model.get(), options);
    Conversation a(model.get(), first.get(), setup, {"", kTemplate, "", 0});
    Conversation b(model.get(), second.get(), setup, {"", kTemplate, "", 0});
    std::string question;
    for (int i = 0; i < length; ++i) question += i % 2 == 0 ? " a" : " dog";
    a.Ask(question, [](Part, std::string_view) {});
    const uint64_t before = Prefilled(first.get());
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
    EXPECT_EQ(Prefilled(second.get()), Prefilled(first.get()) - before);
    EXPECT_LT(Prefilled(second.get()), 40u);
  }
}

}  // namespace
}  // namespace rondo::tools
