// Calls in the histories of published templates: each is given them as it reads them.
#include "tools/dialogue/call_spelling.h"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "tests/support/reference_data.h"
#include "tests/temp_folder.h"
#include "tools/convert/convert.h"

namespace rondo::tools::call_spelling_model_test {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTools =
    R"([{"type": "function", "function": {"name": "weather", "description": "Of a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string",
        "description": "A city"}}, "required": ["city"]}}}])";

class CallSpellingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int64_t has_chat = 0;
    rondo_query("chat", &has_chat);
    if (has_chat == 0) GTEST_SKIP() << "built without chat templates";
    convert::ConvertOptions options;
    options.directory = TestData("tiny");
    options.output = folder_ / "model.rondo";
    convert::Convert(options, [](uint64_t, uint64_t) {});
    model_ = OpenModel(options.output.string());
  }

  // A reference template with its variables.
  static Chat ChatOf(const std::filesystem::path& path) {
    const Json file = Json::parse(std::ifstream(path));
    Json variables = {{"functions", "[]"}, {"datetime", "today"}};
    for (const auto& [name, value] : file["vars"].items()) {
      if (value.is_string()) variables[name] = value;
    }
    Chat chat;
    chat.template_text = file["template"];
    chat.variables = variables.dump();
    chat.tools = kTools;
    chat.local_time = 0;
    return chat;
  }

  // A refusal is shown, and has none of the texts.
  std::string Render(Chat chat, const Json& messages) {
    chat.messages = messages.dump();
    try {
      return model_->RenderChat(chat);
    } catch (const rondo::Error& error) {
      return error.what();
    }
  }

  bool HasForm(const Chat& chat) {
    try {
      ChatParser(*model_, chat);
    } catch (const rondo::Error&) {
      return false;
    }
    return true;
  }

  const TempFolder folder_;
  std::optional<Model> model_;
};

Json Conversation(const std::string& content) {
  const Json call = {{"type", "function"},
                     {"id", "callid001"},
                     {"function", {{"name", "weather"}, {"arguments", {{"city", "Romaville"}}}}}};
  return {{{"role", "user"}, {"content", "How is it?"}},
          {{"role", "assistant"}, {"content", content}, {"tool_calls", Json::array({call})}},
          {{"role", "tool"},
           {"name", "weather"},
           {"tool_call_id", "callid001"},
           {"content", "It rains."}}};
}

TEST_F(CallSpellingTest, ReferenceTemplatesWriteCallsWithTheirArguments) {
  const auto folder = SharedData("chat");
  RONDO_SKIP_WITHOUT(folder);
  int some = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().stem());
    const Chat chat = ChatOf(entry.path());
    if (!HasForm(chat)) continue;
    ++some;
    const CallSpelling spelling = ReadCallSpelling(*model_, chat);
    for (const char* const content : {"", "Let me look."}) {
      const std::string text = Render(chat, Spelled(Conversation(content), spelling));
      EXPECT_NE(text.find("Romaville"), text.npos) << text;
      EXPECT_EQ(text.find("\\\"Romaville"), text.npos) << "a text of JSON in JSON:\n" << text;
    }
  }
  EXPECT_GT(some, 30);
}

}  // namespace
}  // namespace rondo::tools::call_spelling_model_test
