// Chat: the model's templates, and conversations rendered with them.
#include <string_view>

#include "c_api/chat_request.h"

namespace {

using rondo::Status;
using rondo::StatusCode;
using rondo::c_api::Held;
using rondo::c_api::NullArgument;
using rondo::c_api::OpenModel;
using rondo::c_api::PutText;
using rondo::c_api::ReadChatOptions;
using rondo::c_api::Report;

// nullptr where the model has not so many.
const rondo::format::ChatTemplate* TemplateAt(const OpenModel& model, uint32_t index) {
  const rondo::format::Chat* chat = model.file.model().chat();
  if (chat == nullptr || chat->templates() == nullptr) return nullptr;
  return index < chat->templates()->size() ? chat->templates()->Get(index) : nullptr;
}

// nullptr where the model has none of this name; a null name: the first.
const rondo::format::ChatTemplate* FindTemplate(const OpenModel& model, const char* name) {
  for (uint32_t i = 0;; ++i) {
    const rondo::format::ChatTemplate* entry = TemplateAt(model, i);
    if (entry == nullptr || name == nullptr || GetStringView(entry->name()) == name) return entry;
  }
}

struct JsonArgument {
  const char* name;
  const char* text;
  size_t bytes;
};

Status CheckOptions(const rondo_chat_options& options) {
  constexpr uint32_t kKnown =
      RONDO_CHAT_ADD_GENERATION_PROMPT | RONDO_CHAT_CONTINUE_FINAL | RONDO_CHAT_PLAIN_CONTENT;
  if ((options.flags & ~kKnown) != 0) {
    return Status::Error(StatusCode::kInvalidArgument, "flags has %#x, which is no flag",
                         options.flags & ~kKnown);
  }
  for (const JsonArgument& argument :
       {JsonArgument{"messages", options.messages, options.messages_bytes},
        JsonArgument{"tools", options.tools, options.tools_bytes},
        JsonArgument{"variables", options.variables, options.variables_bytes},
        JsonArgument{"template_text", options.template_text, options.template_bytes}}) {
    if (argument.text == nullptr && argument.bytes > 0) return NullArgument(argument.name);
  }
  if (options.template_name != nullptr && options.template_text != nullptr) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "template_name and template_text exclude each other");
  }
  return Status();
}

// Whether tools has more than spaces and null.
bool HasTools(std::string_view json) {
  const size_t begin = json.find_first_not_of(" \t\r\n");
  return begin != json.npos && !json.substr(begin).starts_with("null");
}

Status ChooseTemplate(const OpenModel& model, const rondo_chat_options& options,
                      std::string_view* text) {
  if (options.template_text != nullptr) {
    *text = {options.template_text, options.template_bytes};
    return Status();
  }
  if (FindTemplate(model, nullptr) == nullptr) {
    return Status::Error(StatusCode::kUnsupported,
                         "the model has no chat template; give one as template_text");
  }
  const rondo::format::ChatTemplate* chosen = nullptr;
  if (options.template_name != nullptr) {
    chosen = FindTemplate(model, options.template_name);
    if (chosen == nullptr) {
      return Status::Error(StatusCode::kInvalidArgument, "the model has no chat template named %s",
                           options.template_name);
    }
  } else if (HasTools({options.tools, options.tools_bytes})) {
    chosen = FindTemplate(model, "tool_use");
  }
  if (chosen == nullptr) chosen = FindTemplate(model, nullptr);
  *text = GetStringView(chosen->text());
  return Status();
}

// Where the results of a rendering go.
struct Outputs {
  const OpenModel* model;
  char* text;
  size_t text_capacity;
  size_t* text_length;  // null: no text
  int32_t* ids;
  size_t ids_capacity;
  size_t* ids_count;  // null: no ids
};

Status Deliver(void* user, const rondo::ChatText& rendered) {
  const Outputs& out = *static_cast<const Outputs*>(user);
  bool fits = true;
  if (out.text_length != nullptr) {
    fits = PutText(rendered.text, out.text, out.text_capacity, out.text_length) == RONDO_STATUS_OK;
  }
  if (out.ids_count != nullptr) {
    const Status status =
        out.model->tokenizer->Encode(rendered.text, /*add_special=*/false,
                                     {out.ids, out.ids_capacity}, out.ids_count, rendered.outside);
    if (!status.ok() && status.code() != StatusCode::kBufferTooSmall) return status;
    fits = fits && status.ok();
  }
  if (fits) return Status();
  return Status::Error(StatusCode::kBufferTooSmall, "a buffer is too small for the conversation");
}

Status Render(const rondo_chat_options* theirs, Outputs out) {
  rondo::HeapArray<rondo::ChatToken> tokens;
  rondo::ChatRequest request;
  RONDO_RETURN_IF_ERROR(ReadChatOptions(*out.model, theirs, &tokens, &request));
  if (request.messages.data() == nullptr) return NullArgument("messages");
  if (out.ids_count != nullptr && out.model->tokenizer == nullptr) {
    return Status::Error(StatusCode::kUnsupported,
                         "the model has no tokenizer, so only the text can be had");
  }
  if (out.ids_count == nullptr) request.mark_outside = false;
  return rondo::RenderChat(request, {Deliver, &out});
}

}  // namespace

namespace rondo::c_api {

Status ReadChatOptions(const OpenModel& model, const rondo_chat_options* theirs,
                       HeapArray<ChatToken>* tokens, ChatRequest* request) {
  rondo_chat_options options;
  RONDO_RETURN_IF_ERROR(ReadOptions(theirs, "rondo_chat_options", &options));
  RONDO_RETURN_IF_ERROR(CheckOptions(options));
  if (!HasChat()) return CheckChatTemplate({});  // says so
  RONDO_RETURN_IF_ERROR(ChooseTemplate(model, options, &request->template_text));
  const format::Chat* chat = model.file.model().chat();
  const size_t n_tokens = chat == nullptr || chat->tokens() == nullptr ? 0 : chat->tokens()->size();
  RONDO_ASSIGN(*tokens, HeapArray<ChatToken>::Create(n_tokens));
  for (size_t i = 0; i < n_tokens; ++i) {
    const format::ChatToken* token = chat->tokens()->Get(static_cast<uint32_t>(i));
    (*tokens)[i] = {GetStringView(token->name()), GetStringView(token->text())};
  }
  request->tokens = tokens->span();
  request->messages = {options.messages, options.messages_bytes};
  request->tools = {options.tools, options.tools_bytes};
  request->variables = {options.variables, options.variables_bytes};
  request->add_generation_prompt = (options.flags & RONDO_CHAT_ADD_GENERATION_PROMPT) != 0;
  request->continue_final_message = (options.flags & RONDO_CHAT_CONTINUE_FINAL) != 0;
  request->mark_outside = (options.flags & RONDO_CHAT_PLAIN_CONTENT) != 0;
  if (options.local_time != RONDO_CHAT_NO_CLOCK) request->local_time = options.local_time;
  return Status();
}

}  // namespace rondo::c_api

extern "C" {

int32_t rondo_model_chat_template_name(const rondo_model* handle, uint32_t index, char* buffer,
                                       size_t capacity, size_t* length) {
  if (length != nullptr) *length = 0;
  const Held model(handle);
  if (!model) return model.code();
  if (length == nullptr) return RONDO_STATUS_INVALID_ARGUMENT;
  const rondo::format::ChatTemplate* entry = TemplateAt(*model, index);
  if (entry == nullptr) return RONDO_STATUS_INVALID_ARGUMENT;
  return PutText(GetStringView(entry->name()), buffer, capacity, length);
}

int32_t rondo_model_chat_template(const rondo_model* handle, const char* name, char* buffer,
                                  size_t capacity, size_t* length) {
  if (length != nullptr) *length = 0;
  const Held model(handle);
  if (!model) return model.code();
  if (length == nullptr) return RONDO_STATUS_INVALID_ARGUMENT;
  const rondo::format::ChatTemplate* found = FindTemplate(*model, name);
  if (found == nullptr) return RONDO_STATUS_INVALID_ARGUMENT;
  return PutText(GetStringView(found->text()), buffer, capacity, length);
}

int32_t rondo_chat_options_init(rondo_chat_options* options, size_t struct_size) {
  const int32_t status = rondo::c_api::ClearOptions(options, struct_size);
  if (status != RONDO_STATUS_OK) return status;
  options->flags = RONDO_CHAT_ADD_GENERATION_PROMPT;
  options->local_time = RONDO_CHAT_NO_CLOCK;
  return RONDO_STATUS_OK;
}

int32_t rondo_chat_render(const rondo_model* handle, const rondo_chat_options* options, char* text,
                          size_t text_capacity, size_t* text_length, int32_t* ids,
                          size_t ids_capacity, size_t* ids_count, char* message,
                          size_t message_bytes) {
  if (text_length != nullptr) *text_length = 0;
  if (ids_count != nullptr) *ids_count = 0;
  if (text != nullptr && text_capacity > 0) text[0] = '\0';
  const Held model(handle);
  if (!model) return Report(model.Why("model"), message, message_bytes);
  if ((text == nullptr && text_capacity > 0) || (ids == nullptr && ids_capacity > 0)) {
    return Report(NullArgument(text == nullptr && text_capacity > 0 ? "text" : "ids"), message,
                  message_bytes);
  }
  if (text_length == nullptr && ids_count == nullptr) {
    return Report(NullArgument("text_length and ids_count; one is needed: it"), message,
                  message_bytes);
  }
  const Outputs out = {model.get(), text, text_capacity, text_length, ids, ids_capacity, ids_count};
  const Status status = Render(options, out);
  if (!status.ok() && status.code() != StatusCode::kBufferTooSmall) {
    if (text_length != nullptr) *text_length = 0;
    if (ids_count != nullptr) *ids_count = 0;
    if (text != nullptr && text_capacity > 0) text[0] = '\0';
  }
  return Report(status, message, message_bytes);
}

}  // extern "C"
