// Probe: short conversations rendered by a template, to see what it writes where.
#pragma once

#include <string_view>

#include "runtime/chat/calls/text_builder.h"
#include "runtime/chat/chat.h"

namespace rondo::calls {

// Words that no template has: what is found of them in a rendering came from the conversation.
inline constexpr std::string_view kUser = "Quser0Q", kContent = "Qcontent0Q",
                                  kThought = "Qthought0Q";
inline constexpr std::string_view kNames[] = {"qfirst_fn", "qother_fn", "qthird_fn"};
inline constexpr std::string_view kIds[] = {"qid00000A", "qid00000B", "qid00000C"};
inline constexpr std::string_view kKeys[] = {"qkey_a", "qkey_b"};
inline constexpr std::string_view kTexts[] = {"qtext_a", "qtext_b"};
inline constexpr std::string_view kNumbers[] = {"71000001", "71000002"};

// How a conversation writes calls.
struct CallSpelling {
  bool as_text = false;       // arguments as a JSON string
  bool flat = false;          // name and arguments in the call itself, not in its "function"
  bool null_content = false;  // where there is no content
};

enum class Values : unsigned char { kNone, kStrings, kNumbers };

struct AssistantMessage {
  std::string_view content;
  // What has a thought, as JSON with the thought's and the content's words in it:
  // "reasoning_content": "..."; empty: none. It may hold "content" itself.
  std::string_view thought;
  size_t calls = 0;
  Values values = Values::kStrings;
  bool followed = false;  // by a message of each
  bool later = false;     // the user's message has one of each before it
};

class Probe {
 public:
  // `machine`'s memory has the renderings. It fails where one could not be made, for want of memory
  // or steps: that says nothing of the template, so that nothing read off it afterwards counts.
  Probe(const ChatRequest& request, jinja::Machine& machine)
      : request_(request), machine_(machine), variables_(request.variables) {}

  CallSpelling spelling;

  // Behind the user's word, the prompt for an answer, with what stands behind the user's message
  // as FitPrompts has it. Empty where it cannot be rendered: see last_error().
  std::string_view Prompt();
  // Some templates write the last user's message otherwise than earlier ones, so that a prompt and
  // an answer are not alike up to where the answer begins. Makes prompts as they would be if it
  // were an earlier one. `plain`: an answer of content alone. False where it cannot be told where
  // the user's message ends.
  bool FitPrompts(std::string_view plain);
  // What ends a user's message that has an answer.
  std::string_view closing() const { return closing_; }
  // Behind the user's word, with this answer.
  std::string_view Answer(const AssistantMessage& message);
  // With these variables in place of the request's; empty: the request's again.
  void UseVariables(std::string_view json) {
    variables_ = json.empty() ? request_.variables : json;
  }
  // The request's variables and these members.
  std::string_view Variables(std::string_view members);

  const Status& last_error() const { return last_error_; }

 private:
  void AppendCalls(TextBuilder* json, const AssistantMessage& message) const;
  std::string_view Render(std::string_view messages, bool prompt);
  std::string_view Question(bool prompt);

  const ChatRequest& request_;
  jinja::Machine& machine_;
  std::string_view variables_;
  std::string_view last_closing_, closing_;  // of the last user's message, and of earlier ones
  Status last_error_;
};

}  // namespace rondo::calls
