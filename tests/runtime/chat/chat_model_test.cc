// Every reference conversation through every reference template, to the byte; what transformers
// refuses is refused for the same reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/runtime/chat/render.h"
#include "tests/support/places.h"
#include "tests/support/reference_data.h"

namespace rondo::chat_model_test {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

// Our sentences hold 255 bytes, with the template's line in front.
constexpr size_t kComparedBytes = 200;

struct ReferenceTemplate {
  explicit ReferenceTemplate(const fs::path& path) : file(json::parse(std::ifstream(path))) {
    text = file["template"];
    for (const auto& [name, value] : file["vars"].items()) {
      if (value.is_string()) names.emplace_back(name, value);
    }
    for (const auto& [name, value] : names) tokens.push_back({name, value});
  }
  json file;
  std::string text;
  std::vector<std::pair<std::string, std::string>> names;
  std::vector<ChatToken> tokens;
};

// Empty, or what differs.
std::string Difference(const ReferenceTemplate& reference, const json& conversation) {
  static const std::vector<std::string> kNotVariables = {
      "messages", "tools", "add_generation_prompt", "continue_final_message", "rendered", "error"};
  json variables = json::object();
  for (const auto& [name, value] : conversation.items()) {
    if (std::count(kNotVariables.begin(), kNotVariables.end(), name) == 0) variables[name] = value;
  }
  const std::string messages = conversation["messages"].dump();
  const std::string tools = conversation["tools"].dump(), more = variables.dump();
  ChatRequest request;
  request.template_text = reference.text;
  request.tokens = reference.tokens;
  request.messages = messages;
  request.tools = tools;
  request.variables = more;
  request.add_generation_prompt = conversation["add_generation_prompt"];
  request.continue_final_message = conversation["continue_final_message"];
  request.local_time = test::kTestClock;
  const test::Rendered rendered = test::Render(request);
  std::string sentence = rendered.status.message();
  if (conversation.contains("error")) {
    const std::string error = conversation["error"];
    if (rendered.status.ok()) return "was rendered, expected " + error;
    const bool same = sentence.find(error.substr(0, kComparedBytes)) != std::string::npos;
    return same ? "" : sentence + ", expected " + error;
  }
  if (!rendered.status.ok()) return sentence;
  const std::string expected = conversation["rendered"];
  if (rendered.text == expected) return "";
  const auto [at, other] =
      std::mismatch(rendered.text.begin(), rendered.text.end(), expected.begin(), expected.end());
  return "differs at byte " + std::to_string(at - rendered.text.begin());
}

TEST(ChatReference, EveryConversationOfEveryTemplate) {
  if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  const fs::path folder = fs::path(kSharedData) / "chat";
  RONDO_SKIP_WITHOUT(folder);
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  ASSERT_FALSE(paths.empty());
  size_t passed = 0, total = 0;
  for (const fs::path& path : paths) {
    const ReferenceTemplate reference(path);
    size_t here = 0;
    for (const auto& [name, conversation] : reference.file["cases"].items()) {
      const std::string difference = Difference(reference, conversation);
      EXPECT_EQ(difference, "") << path.stem().string() << ", " << name;
      here += difference.empty() ? 1 : 0;
    }
    const size_t cases = reference.file["cases"].size();
    std::printf("%-58s %2zu of %2zu\n", path.stem().string().c_str(), here, cases);
    passed += here;
    total += cases;
  }
  std::printf("%zu of %zu conversations in %zu templates\n", passed, total, paths.size());
}

}  // namespace
}  // namespace rondo::chat_model_test
