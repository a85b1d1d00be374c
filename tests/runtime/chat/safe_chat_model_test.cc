// Chat with strangers: whatever a conversation says in whichever field, only what the template
// wrote becomes special tokens; and where it says nothing of the kind, all ids are as without the
// flag.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/base/utf8.h"
#include "runtime/text/unicode.h"
#include "tests/runtime/chat/render.h"
#include "tests/runtime/chat/small_json.h"
#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/support/places.h"
#include "tests/support/reference_data.h"

namespace rondo::safe_chat_model_test {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;
using Ids = std::vector<int32_t>;

// Each hostile text stands between these two, which no template writes. Some show them as escapes.
const std::vector<std::string> kOpens = {"\uE000", "\\ue000"}, kCloses = {"\uE001", "\\ue001"};

std::string Utf8(uint32_t code_point) {
  uint8_t bytes[4];
  return {reinterpret_cast<const char*>(bytes), EncodeUtf8(code_point, bytes)};
}

// What looks like a special token in the template, and those that templates put together of a role.
std::set<std::string> SpecialTexts(const json& file) {
  std::set<std::string> texts = {"<unk>", "</tool_call>", "<think>"};
  for (const auto& [name, value] : file["vars"].items()) {
    if (value.is_string()) texts.insert(value);
  }
  for (const std::string role : {"system", "developer", "user", "assistant", "tool", "end"}) {
    for (const char* form : {"<|#|>", "<|#_start|>", "<|#_end|>", "<|im_#|>", "<|start|>#"}) {
      std::string text = form;
      texts.insert(text.replace(text.find('#'), 1, role));
    }
  }
  const std::string text = file["template"];
  for (const std::string_view brackets : {"<>", "[]"}) {
    for (size_t i = text.find(brackets[0]); i != text.npos; i = text.find(brackets[0], i + 1)) {
      const size_t size = text.find(brackets[1], i) - i + 1;
      const std::string part = text.substr(i, size);
      if (size > 50 || part.find_first_of(" \n\t'\"{}()", 0) != part.npos) continue;
      const bool is_word = std::all_of(part.begin() + 1, part.end() - 1, [](char c) {
        return c == '_' || c == '/' || (c >= 'A' && c <= 'Z');
      });
      if (size > 3 && (brackets == "<>" || is_word)) texts.insert(part);
    }
  }
  return texts;
}

// A token for each byte, and the special ones: which bytes became what shows in the ids.
class ByteTokenizer {
 public:
  explicit ByteTokenizer(const std::set<std::string>& texts) {
    test::SmallJson small;
    for (int byte = 0; byte < 256; ++byte)
      small.Token(Utf8(ByteAlphabet(static_cast<uint8_t>(byte))));
    for (const std::string& text : texts) {
      specials_.emplace_back(text, small.Added(text, false, false, false, false, text[0] == '['));
    }
    std::ranges::sort(specials_, std::greater<>(), [](const auto& s) { return s.first.size(); });
    for (int byte = 0; byte < 256; ++byte) {
      bytes_[byte] = *small.Id(Utf8(ByteAlphabet(static_cast<uint8_t>(byte))));
    }
    compiled_ = test::CompileJson(small.Text());
    tokenizer_ = compiled_->Create();
  }

  Ids Encode(const test::Rendered& rendered) const {
    Ids ids(rendered.text.size());
    size_t count = 0;
    const Status status = tokenizer_->Encode(rendered.text, false, ids, &count, rendered.outside);
    EXPECT_TRUE(status.ok()) << status.message();
    ids.resize(count);
    return ids;
  }

  // Empty where the ids are what they should be, or the text from the first wrong one on: all
  // special texts are special but those that stand alone between the two marks of hostile text.
  // Where the template splits at such a text it may put it back, and then has written it.
  std::string Wrong(const Ids& ids, std::string_view text, std::string_view template_text) const {
    size_t at = 0;
    const auto take = [&](std::string_view part) {
      for (const char c : part) {
        if (at == ids.size() || ids[at++] != bytes_[static_cast<uint8_t>(c)]) return false;
      }
      return true;
    };
    std::string_view open;  // the mark before this place
    while (!text.empty()) {
      const std::string_view before = text;
      const auto special =
          std::ranges::find_if(specials_, [&](const auto& s) { return text.starts_with(s.first); });
      const bool is_special =
          at < ids.size() && special != specials_.end() && ids[at] == special->second;
      const bool is_hostile = !open.empty() && special != specials_.end() &&
                              BeginsWithOne(kCloses, text.substr(special->first.size()));
      const bool may_be_either =
          is_hostile && (template_text.find("split('" + special->first) != template_text.npos ||
                         template_text.find("split(\"" + special->first) != template_text.npos);
      open = {};
      if (special != specials_.end() && (may_be_either ? is_special : !is_hostile)) {
        if (!is_special) return std::string(before);
        ++at;
        text.remove_prefix(special->first.size());
        continue;
      }
      size_t size = is_hostile ? special->first.size() : 1;
      for (const std::string& mark : kOpens) {
        if (text.starts_with(mark)) open = text.substr(0, size = mark.size());
      }
      if (!take(text.substr(0, size))) return std::string(before);
      text.remove_prefix(size);
    }
    return at == ids.size() ? "" : "behind the end";
  }

 private:
  static bool BeginsWithOne(const std::vector<std::string>& marks, std::string_view text) {
    return std::ranges::any_of(marks, [&](const auto& mark) { return text.starts_with(mark); });
  }

  std::vector<std::pair<std::string, int32_t>> specials_;  // the longest first
  int32_t bytes_[256];
  std::unique_ptr<test::CompiledTokenizer> compiled_;
  std::unique_ptr<Tokenizer> tokenizer_;
};

test::Rendered RenderCase(const json& file, const json& conversation, bool mark) {
  static const std::set<std::string> kNotVariables = {
      "messages", "tools", "add_generation_prompt", "continue_final_message", "rendered", "error"};
  json variables = json::object();
  for (const auto& [name, value] : conversation.items()) {
    if (kNotVariables.count(name) == 0) variables[name] = value;
  }
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& [name, value] : file["vars"].items()) {
    if (value.is_string()) names.emplace_back(name, value);
  }
  std::vector<ChatToken> tokens;
  for (const auto& [name, value] : names) tokens.push_back({name, value});
  const std::string text = file["template"], messages = conversation["messages"].dump();
  const std::string tools = conversation["tools"].dump(), more = variables.dump();
  ChatRequest request;
  request.template_text = text;
  request.tokens = tokens;
  request.messages = messages;
  request.tools = tools;
  request.variables = more;
  request.add_generation_prompt = conversation["add_generation_prompt"];
  request.continue_final_message = conversation["continue_final_message"];
  request.local_time = test::kTestClock;
  request.mark_outside = mark;
  return test::Render(request);
}

// Calls `use` with each string in the value made hostile, one after the other, keys too.
template <typename Use>
void ForEachField(json& value, const std::string& hostile, const Use& use) {
  if (value.is_string()) {
    const std::string before = value;
    value = before + hostile;
    use();
    value = before;
  } else if (value.is_array()) {
    for (json& item : value) ForEachField(item, hostile, use);
  } else if (value.is_object()) {
    for (auto& [key, item] : value.items()) ForEachField(item, hostile, use);
    const json before = value;
    for (const auto& [key, item] : before.items()) {
      value = json::object();
      for (const auto& [k, v] : before.items()) value[k == key ? k + hostile : k] = v;
      use();
    }
    value = before;
  }
}

// Puts the marks around the special texts that a conversation has anyway.
void MarkSpecials(json& value, const std::set<std::string>& specials) {
  if (value.is_structured()) {
    for (json& item : value) MarkSpecials(item, specials);
  } else if (value.is_string()) {
    const std::string before = value;
    std::string after;
    for (size_t i = 0; i < before.size();) {
      std::string longest;
      for (const std::string& special : specials) {
        if (special.size() > longest.size() && before.compare(i, special.size(), special) == 0) {
          longest = special;
        }
      }
      after += longest.empty() ? before.substr(i, 1) : kOpens[0] + longest + kCloses[0];
      i += std::max<size_t>(1, longest.size());
    }
    value = after;
  }
}

struct Counts {
  size_t templates = 0, conversations = 0, equal = 0, hostile = 0, refused = 0, hits = 0;
};

bool Mentions(const std::string& text, const std::set<std::string>& specials) {
  return std::ranges::any_of(
      specials, [&](const std::string& special) { return text.find(special) != text.npos; });
}

void Check(const fs::path& path, Counts& counts) {
  SCOPED_TRACE(path.stem().string());
  const json file = json::parse(std::ifstream(path));
  const std::set<std::string> specials = SpecialTexts(file);
  const ByteTokenizer tokenizer(specials);
  std::string hostile;
  for (const std::string& text : specials) hostile += kOpens[0] + text + kCloses[0];
  for (const auto& [name, its_conversation] : file["cases"].items()) {
    SCOPED_TRACE(name);
    json conversation = its_conversation;
    conversation.erase("rendered");
    const test::Rendered before = RenderCase(file, conversation, false);
    const test::Rendered marked = RenderCase(file, conversation, true);
    EXPECT_EQ(marked.text, before.text);
    EXPECT_STREQ(marked.status.message(), before.status.message());
    if (!before.status.ok()) continue;
    ++counts.conversations;
    if (!Mentions(conversation.dump(), specials)) {
      EXPECT_EQ(tokenizer.Encode(marked), tokenizer.Encode(before));
      ++counts.equal;
    }
    MarkSpecials(conversation, specials);
    const auto check = [&] {
      const test::Rendered rendered = RenderCase(file, conversation, true);
      if (!rendered.status.ok()) {
        ++counts.refused;  // the template does not know such a role or kind of content
        return;
      }
      ++counts.hostile;
      const std::string text = file["template"];
      ASSERT_EQ(tokenizer.Wrong(tokenizer.Encode(rendered), rendered.text, text), "")
          << rendered.text;
      counts.hits += rendered.text.find(kOpens[0]) != rendered.text.npos ? 1 : 0;
    };
    ForEachField(conversation["messages"], hostile, check);
    ForEachField(conversation["tools"], hostile, check);
    for (auto& [key, value] : conversation.items()) {
      if (value.is_string()) ForEachField(value, hostile, check);
    }
    for (const char* variable : {"bos_token", "eos_token", "date_string", "system_prompt",
                                 "reasoning_effort", "model_identity", "documents"}) {
      if (conversation.contains(variable)) continue;
      conversation[variable] = hostile;
      check();
      conversation.erase(variable);
    }
  }
  ++counts.templates;
}

TEST(SafeChat, EveryFieldOfEveryTemplate) {
  if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  const fs::path folder = fs::path(kSharedData) / "chat";
  RONDO_SKIP_WITHOUT(folder);
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  ASSERT_FALSE(paths.empty());
  Counts counts;
  for (const fs::path& path : paths) Check(path, counts);
  std::printf(
      "%zu templates, %zu conversations, %zu of them without special texts and equal; %zu with one "
      "in a field, shown in %zu; %zu refused\n",
      counts.templates, counts.conversations, counts.equal, counts.hostile, counts.hits,
      counts.refused);
  EXPECT_GT(counts.equal, counts.conversations / 2);
  EXPECT_GT(counts.hits, counts.hostile / 4);
}

}  // namespace
}  // namespace rondo::safe_chat_model_test
