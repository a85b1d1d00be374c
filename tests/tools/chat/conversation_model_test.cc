// A conversation that was loaded reads only what is new, and says what the other one says.
#include "tools/chat/conversation.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/test_model.h"
#include "tools/chat/conversation_file.h"

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

TEST(Conversation, LoadedReadsOnlyWhatIsNew) {
  int64_t has_chat = 0;
  rondo_query("chat", &has_chat);
  if (has_chat == 0) GTEST_SKIP() << "built without chat templates";
  const TempFolder folder;
  const std::string path = (folder / "model.rondo").string(), kept = (folder / "kept").string();
  convert::ConvertOptions convert;
  convert.directory = TestData("tiny");
  convert.output = path;
  convert::Convert(convert, [](uint64_t, uint64_t) {});
  const tools::Model model = OpenModel(path);
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
    Conversation a(model.get(), first.get(), setup, "", kTemplate);
    Conversation b(model.get(), second.get(), setup, "", kTemplate);
    std::string question;
    for (int i = 0; i < length; ++i) question += i % 2 == 0 ? " a" : " dog";
    a.Ask(question, [](std::string_view) {});
    const uint64_t before = Prefilled(first.get());
    WriteConversation(kept, Replace::kSameKind, a);
    EXPECT_TRUE(ReadConversation(kept, &b));
    EXPECT_EQ(b.position(), a.position());
    EXPECT_EQ(b.messages(), a.messages());
    std::string expected, actual;
    a.Ask("And now?", [&](std::string_view text) { expected += text; });
    b.Ask("And now?", [&](std::string_view text) { actual += text; });
    EXPECT_EQ(actual, expected);
    EXPECT_EQ(b.stats().kept, a.stats().kept);
    EXPECT_GE(b.stats().kept, static_cast<size_t>(length));
    EXPECT_EQ(Prefilled(second.get()), Prefilled(first.get()) - before);
    EXPECT_LT(Prefilled(second.get()), 40u);
  }
}

}  // namespace
}  // namespace rondo::tools
