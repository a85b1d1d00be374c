#include "tools/serve/openai/messages.h"

#include <algorithm>
#include <map>

#include "tools/dialogue/answer.h"

namespace rondo::tools::serve {
namespace {

std::string ReadPicture(Fields* part, const MediaSource& media, std::string* pointer) {
  const Json* const value = part->Find("image_url");
  if (value != nullptr && value->is_string()) {
    *pointer = part->PointerOf("image_url");
    return media.Read(value->get<std::string>(), *pointer);
  }
  const Json* const object = part->Object("image_url");
  if (object == nullptr) part->Refuse("image_url", "an object with a url");
  Fields fields(*object, part->PointerOf("image_url"));
  const std::string url = fields.RequiredText("url");
  fields.Ignore({"detail"});
  fields.RefuseOthers();
  *pointer = fields.PointerOf("url");
  return media.Read(url, *pointer);
}

// A text, or a list of parts; what is text alone stays a text, as most templates read it.
Json ReadContent(const Json& content, const std::string& pointer, const MediaSource& media,
                 ChatWish* wish) {
  if (content.is_string()) return content;
  if (!content.is_array()) RefuseValue(pointer, content, "a text or an array of parts");
  Json parts = Json::array();
  std::string text;
  bool is_text = true;
  for (size_t i = 0; i < content.size(); ++i) {
    Fields part(content[i], PointerTo(pointer, i));
    const std::string type = part.RequiredText("type");
    if (type == "text" || type == "input_text" || type == "output_text" || type == "refusal") {
      const std::string one = part.RequiredText(type == "refusal" ? "refusal" : "text");
      parts.push_back({{"type", "text"}, {"text", one}});
      text += one;
    } else if (type == "image_url" || type == "input_image") {
      std::string at;
      wish->pictures.push_back(ReadPicture(&part, media, &at));
      wish->picture_pointers.push_back(at);
      parts.push_back({{"type", "image"}});
      is_text = false;
    } else {
      throw ApiError(400,
                     part.PointerOf("type") + " is \"" + type +
                         "\", but the model reads parts of the types text and image_url",
                     part.PointerOf("type"), "unsupported_content");
    }
    part.Ignore({"annotations", "logprobs", "cache_control", "detail"});
    // OpenAI's agents repeat in a part what else its message had.
    part.Ignore({"role", "refusal", "reasoning", "reasoning_content", "tool_calls"});
    part.RefuseOthers();
  }
  return is_text ? Json(text) : parts;
}

Json ReadCalls(const Json& calls, const std::string& pointer) {
  Json read = Json::array();
  for (size_t i = 0; i < calls.size(); ++i) {
    Fields call(calls[i], PointerTo(pointer, i));
    const std::string id = call.Text("id").value_or("");
    const std::string type = call.Text("type").value_or("function");
    if (type != "function") call.Refuse("type", "\"function\"");
    const Json* const object = call.Object("function");
    if (object == nullptr) call.Refuse("function", "an object");
    Fields function(*object, call.PointerOf("function"));
    Json made = {{"type", "function"},
                 {"function",
                  {{"name", function.RequiredText("name")},
                   {"arguments", ParseArguments(function.Text("arguments").value_or("{}"))}}}};
    if (!id.empty()) made["id"] = id;
    function.Ignore({"parsed_arguments"});  // of clients that parse
    function.RefuseOthers();
    call.Ignore({"index"});
    call.RefuseOthers();
    read.push_back(std::move(made));
  }
  return read;
}

Json ReadMessage(const Json& object, const std::string& pointer, const MediaSource& media,
                 ChatWish* wish) {
  Fields fields(object, pointer);
  std::string role = fields.RequiredText("role");
  constexpr std::string_view kRoles[] = {"system",    "developer", "user",
                                         "assistant", "tool",      "function"};
  if (std::find(std::begin(kRoles), std::end(kRoles), role) == std::end(kRoles)) {
    fields.Refuse("role", "system, developer, user, assistant or tool");
  }
  if (role == "function") role = "tool";
  Json message = {{"role", role}};
  const Json* const calls = role == "assistant" ? fields.Array("tool_calls") : nullptr;
  const Json* const content = fields.Find("content");
  if (content == nullptr && calls == nullptr && role != "assistant") {
    fields.Refuse("content", "a text or an array of parts");
  }
  message["content"] = content == nullptr
                           ? Json("")
                           : ReadContent(*content, fields.PointerOf("content"), media, wish);
  if (calls != nullptr && !calls->empty()) {
    message["tool_calls"] = ReadCalls(*calls, fields.PointerOf("tool_calls"));
  }
  if (const auto thought = fields.Text("reasoning_content"))
    message["reasoning_content"] = *thought;
  if (const auto thought = fields.Text("reasoning")) message["reasoning_content"] = *thought;
  if (const auto id = fields.Text("tool_call_id")) message["tool_call_id"] = *id;
  if (const auto name = fields.Text("name")) message["name"] = *name;
  fields.Ignore({"refusal", "audio", "function_call", "annotations", "cache_control", "parsed"});
  fields.RefuseOthers();
  return message;
}

}  // namespace

void ReadMessages(const Json& messages, const std::string& pointer, const MediaSource& media,
                  ChatWish* wish) {
  if (messages.empty()) RefuseValue(pointer, messages, "at least one message");
  for (size_t i = 0; i < messages.size(); ++i) {
    wish->messages.push_back(ReadMessage(messages[i], PointerTo(pointer, i), media, wish));
  }
  // A result names its function, as some templates want it.
  std::map<Json, Json> names;  // of functions, by the ids of their calls
  for (Json& message : wish->messages) {
    if (message.contains("tool_calls")) {
      for (const Json& call : message["tool_calls"]) {
        names[call.value("id", "")] = call["function"]["name"];
      }
    }
    if (message["role"] != "tool" || message.contains("name")) continue;
    const auto found = names.find(message.value("tool_call_id", Json()));
    if (found != names.end()) message["name"] = found->second;
  }
}

void ReadTools(Fields* fields, ChatWish* wish) {
  if (const Json* const tools = fields->Array("tools")) {
    for (size_t i = 0; i < tools->size(); ++i) {
      Fields tool((*tools)[i], PointerTo(fields->PointerOf("tools"), i));
      if (tool.RequiredText("type") != "function") tool.Refuse("type", "\"function\"");
      const Json* const function = tool.Object("function");
      if (function == nullptr) tool.Refuse("function", "an object");
      Fields its(*function, tool.PointerOf("function"));
      Json made = {{"name", its.RequiredText("name")}};
      if (const auto about = its.Text("description")) made["description"] = *about;
      const Json* const parameters = its.Object("parameters");
      made["parameters"] = parameters != nullptr
                               ? *parameters
                               : Json{{"type", "object"}, {"properties", Json::object()}};
      its.Ignore({"strict"});
      its.RefuseOthers();
      tool.Ignore({"cache_control"});
      tool.RefuseOthers();
      wish->tools.push_back({{"type", "function"}, {"function", std::move(made)}});
    }
  }
  wish->one_call = !fields->Bool("parallel_tool_calls").value_or(true);
  const Json* const choice = fields->Find("tool_choice");
  if (choice == nullptr) return;
  if (*choice == "none") {
    wish->calls = CallsWish::kNone;
  } else if (*choice == "required" || *choice == "any") {
    wish->calls = CallsWish::kRequired;
  } else if (choice->is_object()) {
    Fields named(*choice, fields->PointerOf("tool_choice"));
    if (named.RequiredText("type") != "function") named.Refuse("type", "\"function\"");
    const Json* const function = named.Object("function");
    wish->calls = CallsWish::kFunction;
    wish->function = function != nullptr
                         ? Fields(*function, named.PointerOf("function")).RequiredText("name")
                         : named.RequiredText("name");
    named.RefuseOthers();
  } else if (*choice != "auto") {
    fields->Refuse("tool_choice", "none, auto, required or a function");
  }
  const auto is_named = [wish](const Json& tool) {
    return tool["function"]["name"] == wish->function;
  };
  const bool wants = wish->calls == CallsWish::kRequired || wish->calls == CallsWish::kFunction;
  if ((wants && wish->tools.empty()) ||
      (wish->calls == CallsWish::kFunction &&
       std::none_of(wish->tools.begin(), wish->tools.end(), is_named))) {
    fields->Refuse("tool_choice",
                   wish->tools.empty() ? "none, as there are no tools" : "a function of the tools");
  }
}

void ReadForm(const Json* format, const std::string& pointer, ChatWish* wish) {
  if (format == nullptr) return;
  Fields fields(*format, pointer);
  const std::string type = fields.RequiredText("type");
  if (type == "json_object") {
    // Some send what the object is to be beside the type.
    const Json* const schema = fields.Find("schema");
    wish->form = {RONDO_GRAMMAR_JSON_SCHEMA,
                  schema != nullptr ? schema->dump() : R"({"type": "object"})",
                  schema != nullptr ? fields.PointerOf("schema") : pointer};
  } else if (type == "json_schema") {
    // Chat completions have the schema one level deeper than responses.
    const Json* const inner = fields.Object("json_schema");
    Fields named(inner != nullptr ? *inner : *format,
                 inner != nullptr ? fields.PointerOf("json_schema") : pointer);
    const Json* const schema = named.Find("schema");
    if (schema == nullptr) named.Refuse("schema", "a JSON Schema");
    wish->form = {RONDO_GRAMMAR_JSON_SCHEMA, schema->dump(), named.PointerOf("schema")};
    named.Ignore({"name", "description", "strict", "type"});
    named.RefuseOthers();
    fields.Ignore({"schema", "name", "description", "strict"});
  } else if (type != "text") {
    fields.Refuse("type", "text, json_object or json_schema");
  }
  fields.RefuseOthers();
}

}  // namespace rondo::tools::serve
