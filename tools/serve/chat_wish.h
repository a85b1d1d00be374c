// ChatWish: a conversation that is to be answered, whatever protocol it came by; and what becomes
// of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/serve/generation.h"
#include "tools/serve/models.h"

namespace rondo::tools::serve {

enum class CallsWish { kNone, kAuto, kRequired, kFunction };

struct TextForm {
  int32_t kind = -1;    // RONDO_GRAMMAR_; -1: any text
  std::string text;     // the schema, pattern or rules
  std::string pointer;  // where the request has it
};

struct ChatWish {
  Json messages = Json::array();      // as templates read them: pictures are {"type": "image"}
  std::vector<std::string> pictures;  // files of these, whole, in their order
  std::vector<std::string> picture_pointers;
  Json tools = Json::array();  // {"type": "function", "function": {...}}
  CallsWish calls = CallsWish::kAuto;
  std::string function;   // of kFunction
  bool one_call = false;  // no two side by side
  TextForm form;
  Json variables = Json::object();  // for the template
  bool continues = false;           // the last message is the assistant's, which goes on
  bool asks = true;                 // otherwise the template begins the assistant's next one
  rondo::SessionOptions options;
  std::optional<uint64_t> thinking_tokens;  // the most of a thought; 0: none is begun
  size_t choices = 1;
  size_t top_logprobs = 0;
  std::string prediction;
};

// Renders, reads pictures, makes grammars. `exchange`: whose client may go while pictures are
// looked at. Throws ApiError.
GenerationWish WishOf(const FoundModel& found, ChatWish wish, const Exchange& exchange);

// The ids of the conversation, for those who only count them.
std::vector<int32_t> IdsOf(const ServedModel& model, const ChatWish& wish);
// What the template writes.
std::string TextOf(const ServedModel& model, const ChatWish& wish);

// Throws ApiError where a prompt of so many positions leaves no room for a token.
void CheckRoom(const ServedModel& model, uint64_t positions);

}  // namespace rondo::tools::serve
