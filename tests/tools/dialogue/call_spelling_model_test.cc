// Calls in the histories of published templates: each is given them as it reads them.
#include "tools/dialogue/call_spelling.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/reference_data.h"
#include "tests/support/test_model.h"

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

  // The options of a reference template with its variables, whose texts these keep.
  rondo_chat_options Options(const std::filesystem::path& path) {
    const Json file = Json::parse(std::ifstream(path));
    template_ = file["template"];
    Json variables = {{"functions", "[]"}, {"datetime", "today"}};
    for (const auto& [name, value] : file["vars"].items()) {
      if (value.is_string()) variables[name] = value;
    }
    variables_ = variables.dump();
    rondo_chat_options options;
    rondo_chat_options_init(&options, sizeof options);
    options.template_text = template_.data();
    options.template_bytes = template_.size();
    options.variables = variables_.data();
    options.variables_bytes = variables_.size();
    options.tools = kTools;
    options.tools_bytes = std::string_view(kTools).size();
    options.local_time = 0;
    return options;
  }

  std::string Render(rondo_chat_options options, const Json& messages) {
    const std::string json = messages.dump();
    options.messages = json.data();
    options.messages_bytes = json.size();
    return TextOutput([&](char* buffer, size_t capacity, size_t* length) {
      return rondo_chat_render(model_.get(), &options, buffer, capacity, length, nullptr, 0,
                               nullptr, why_, sizeof why_);
    });
  }

  bool HasForm(const rondo_chat_options& options) {
    rondo_chat_parser* parser = nullptr;
    const int32_t status =
        rondo_chat_parser_create(model_.get(), &options, &parser, why_, sizeof why_);
    rondo_chat_parser_close(parser);
    return status == RONDO_STATUS_OK;
  }

  const TempFolder folder_;
  Model model_;
  std::string template_, variables_;
  char why_[256] = "";
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
    const rondo_chat_options options = Options(entry.path());
    if (!HasForm(options)) continue;
    ++some;
    const CallSpelling spelling = ReadCallSpelling(model_.get(), options);
    for (const char* const content : {"", "Let me look."}) {
      const std::string text = Render(options, Spelled(Conversation(content), spelling));
      EXPECT_NE(text.find("Romaville"), text.npos) << why_;
      EXPECT_EQ(text.find("\\\"Romaville"), text.npos) << "a text of JSON in JSON:\n" << text;
    }
  }
  EXPECT_GT(some, 30);
}

}  // namespace
}  // namespace rondo::tools::call_spelling_model_test
