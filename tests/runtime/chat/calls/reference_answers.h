// Reference templates, and answers rendered with them as a model would write them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "runtime/chat/calls/answer_form.h"
#include "runtime/chat/calls/marked_text.h"
#include "tests/runtime/chat/render.h"
#include "tests/support/places.h"

namespace rondo::test {

using OrderedJson = nlohmann::ordered_json;

struct Answer {
  std::string content, thought;
  std::vector<std::pair<std::string, OrderedJson>> calls;
};

class ReferenceTemplate {
 public:
  explicit ReferenceTemplate(const std::filesystem::path& path)
      : file_(OrderedJson::parse(std::ifstream(path))) {
    text_ = file_["template"];
    for (const auto& [name, value] : file_["vars"].items()) {
      if (value.is_string()) names_.emplace_back(name, value);
    }
    for (const auto& [name, value] : names_) tokens_.push_back({name, value});
    // What one family's templates are given beside tools.
    if (text_.find("+ functions -") != text_.npos) {
      variables_ = R"({"functions": "[]", "datetime": "today"})";
    }
  }

  ChatRequest Request(std::string_view tools) const {
    ChatRequest request;
    request.template_text = text_;
    request.tokens = tokens_;
    request.messages = R"([{"role": "user", "content": "What now?"}])";
    request.tools = tools;
    request.variables = variables_;
    request.add_generation_prompt = true;
    request.local_time = kTestClock;
    return request;
  }

  // What the template writes for the answer, behind the prompt's header, as a model would go on
  // behind the prompt; false where it refuses.
  bool Write(const Answer& answer, std::string_view tools, const calls::AnswerForm& form, bool flat,
             bool as_text, size_t spelling, std::string* text) const {
    OrderedJson message = {{"role", "assistant"}, {"content", answer.content}};
    // Only an answer without content has calls there, and that is null.
    if (answer.content.empty() && text_.find("['content'] is none %}") != text_.npos) {
      message["content"] = nullptr;
    }
    if (!answer.thought.empty()) {
      if (spelling < 3) {
        static const char* const kKeys[] = {"reasoning_content", "thinking", "reasoning"};
        message[kKeys[spelling]] = answer.thought;
      } else if (spelling == 3) {
        message["content"] = {{{"type", "thinking"}, {"thinking", answer.thought}},
                              {{"type", "text"}, {"text", answer.content}}};
      } else {
        message["content"] = {{"blocks",
                               {{{"type", "thoughts"}, {"text", answer.thought}},
                                {{"type", "response"}, {"text", answer.content}}}}};
      }
    }
    for (size_t i = 0; i < answer.calls.size(); ++i) {
      const auto& [name, arguments] = answer.calls[i];
      OrderedJson function = {{"name", name}, {"arguments", arguments}};
      if (as_text) function["arguments"] = arguments.dump();
      OrderedJson call = {{"id", "callid00" + std::to_string(i)}, {"type", "function"}};
      if (flat) {
        call.update(function);
      } else {
        call["function"] = function;
      }
      message["tool_calls"].push_back(call);
    }
    ChatRequest request = Request(tools);
    const Rendered prompt = Render(request);
    OrderedJson messages = OrderedJson::parse(request.messages);
    messages.push_back(message);
    const std::string dumped = messages.dump();
    request.messages = dumped;
    request.add_generation_prompt = false;
    const Rendered whole = Render(request);
    if (!prompt.status.ok() || !whole.status.ok()) return false;
    const std::string begin(calls::Trim(form.thinking_begin)), end(calls::Trim(form.thinking_end));
    size_t common = calls::CommonPrefix(whole.text, prompt.text);
    // What both begin with may have a thought's beginning in it, which the prompt then ends at
    // once.
    const std::string_view shared = calls::TrimRight({whole.text.data(), common});
    if (!begin.empty() && !form.in_thought && shared.ends_with(begin)) {
      common = shared.size() - begin.size();
    }
    *text = whole.text.substr(common);
    // One writes what the system says behind the conversation, between the answer and the prompt.
    const std::string header = "<|CHATBOT_TOKEN|>";
    if (text->starts_with(header)) *text = text->substr(header.size());
    if (prompt.text.find("<|SYSTEM_TOKEN|>Write 'Action:'") != prompt.text.npos) {
      *text = text->substr(0, text->find("<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>"));
    }
    // A model's answer ends with its turn.
    const std::string turn_end(
        calls::Trim(form.turn_end.substr(0, calls::FirstMarkerEnd(form.turn_end))));
    const bool ends = !turn_end.empty() && !form.call.begin.starts_with(turn_end);
    const size_t turn = ends ? text->find(turn_end) : text->npos;
    if (turn != text->npos) *text = text->substr(0, turn + turn_end.size());
    // The prompt has ended the thought already.
    if (!begin.empty() && !form.in_thought && text->starts_with(end)) {
      *text = text->substr(end.size());
    }
    // A history that leaves thoughts out: what a model wrote before.
    if (!begin.empty() && text->find(answer.thought) == text->npos) {
      const std::string thought = answer.thought + std::string(form.thinking_end);
      const std::string_view space = calls::SpaceBefore(*text);
      *text = std::string(space) +
              (form.in_thought ? thought : std::string(form.thinking_begin) + thought) +
              text->substr(space.size());
    }
    if (form.in_thought && text->find(end) == text->npos) *text = end + *text;
    return true;
  }

 private:
  OrderedJson file_;
  std::string text_;
  std::vector<std::pair<std::string, std::string>> names_;
  std::vector<ChatToken> tokens_;
  std::string variables_;
};

inline std::vector<std::filesystem::path> ReferenceTemplates() {
  std::vector<std::filesystem::path> paths;
  for (const std::filesystem::directory_entry& entry :
       std::filesystem::directory_iterator(std::filesystem::path(kSharedData) / "chat")) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace rondo::test
