#include "runtime/chat/calls/answer_form.h"

#include "runtime/chat/calls/derive.h"
#include "runtime/chat/calls/marked_text.h"
#include "runtime/chat/calls/text_builder.h"

namespace rondo::calls {
namespace {

// Of the probe's renderings; their texts that the form keeps are copied out.
constexpr size_t kProbeMemory = size_t{6} << 20;

struct PromptEnd {
  const AnswerForm& form;
  bool continued;
  bool in_thought = false;
};

// A prompt for an answer ends with what begins a thought; a message that goes on may have more of
// the thought behind it.
Status LookAtEnd(void* user, const ChatText& rendered) {
  PromptEnd& prompt = *static_cast<PromptEnd*>(user);
  const std::string_view text = rendered.text;
  const std::string_view begin = Trim(prompt.form.thinking_begin);
  if (!prompt.continued) {
    prompt.in_thought = TrimRight(text).ends_with(begin);
    return Status();
  }
  const size_t at = text.rfind(begin);
  prompt.in_thought =
      at != text.npos && text.find(Trim(prompt.form.thinking_end), at + begin.size()) == text.npos;
  return Status();
}

}  // namespace

Status ReadAnswerForm(const ChatRequest& request, jinja::Machine& machine, AnswerForm* form) {
  jinja::Limits limits;
  limits.memory = kProbeMemory;
  jinja::Machine texts(limits);
  Probe probe(request, texts);
  Shown shown;
  probe.Prompt();
  RONDO_RETURN_IF_ERROR(probe.last_error());
  AssistantMessage plain;
  plain.content = kContent;
  shown.plain = probe.Answer(plain);
  RONDO_RETURN_IF_ERROR(probe.last_error());
  const bool fits = probe.FitPrompts(shown.plain);
  shown.prompt = probe.Prompt();

  AnswerForm found;
  if (fits) {
    ReadCalls(probe, texts, &shown, &found);
  } else {  // a template that shows no calls at all is told as such
    Shown unfit = shown;
    AnswerForm tried;
    ReadCalls(probe, texts, &unfit, &tried);
    found.no_calls = !tried.no_calls.ok()
                         ? tried.no_calls
                         : Status::Error(StatusCode::kUnsupported,
                                         "the chat template writes the last user's message "
                                         "otherwise than earlier ones, and does not show where it "
                                         "ends");
  }
  ReadThinking(probe, texts, shown, &found);
  ReadContent(shown, &found);
  RONDO_RETURN_IF_ERROR(texts.status());

  CallForm& call = found.call;
  for (std::string_view* text :
       {&found.thinking_begin, &found.thinking_end, &found.content_begin, &found.content_end,
        &found.turn_end, &found.turn_end_with_calls, &call.space_before, &call.begin,
        &call.name_end, &call.between, &call.end, &call.id_prefix, &call.open, &call.string_value,
        &call.other_value, &call.close, &call.quote, &call.colon, &call.comma}) {
    *text = KeepText(machine, *text);
  }
  RONDO_RETURN_IF_ERROR(machine.status());
  *form = found;
  PromptEnd prompt{*form, request.continue_final_message};
  RONDO_RETURN_IF_ERROR(RenderChat(request, {LookAtEnd, &prompt}));
  form->in_thought = prompt.in_thought && !form->thinking_begin.empty();
  return Status();
}

}  // namespace rondo::calls
