// What a template puts around thoughts and content.
#include "runtime/chat/calls/derive.h"
#include "runtime/chat/calls/marked_text.h"

namespace rondo::calls {
namespace {

// Behind this a turn has ended, whatever a template writes there.
constexpr size_t kMaxTurnEnd = 256;

// What messages have a thought in: names of Hugging Face's and others' templates, and parts.
constexpr std::string_view kSpellings[] = {
    R"("reasoning_content": "Qthought0Q")", R"("reasoning": "Qthought0Q")",
    R"("thinking": "Qthought0Q")",
    R"("content": [{"type": "thinking", "thinking": "Qthought0Q"},
                   {"type": "text", "text": "Qcontent0Q"}])",
    R"("content": {"blocks": [{"type": "thoughts", "text": "Qthought0Q"},
                              {"type": "response", "text": "Qcontent0Q"}]})"};

constexpr std::string_view kThinkingOn = R"("enable_thinking": true, "thinking": true)";
constexpr std::string_view kThinkingOff = R"("enable_thinking": false, "thinking": false)";

// Whether `close` is the tag that closes `open`: </x> of <x>, [/X] of [X].
bool Closes(std::string_view open, std::string_view close) {
  return close.size() == open.size() + 1 && close[0] == open[0] && close[1] == '/' &&
         close.substr(2) == open.substr(1);
}

// The marker that the text ends with, or nothing.
std::string_view LastMarker(std::string_view text) {
  for (size_t i = text.size(); i > 0 && text.size() - i < 128; --i) {
    if (MarkerSize(text.substr(i - 1)) == text.size() - (i - 1)) return text.substr(i - 1);
  }
  return {};
}

// From a thought's word on: where what ends the thought ends, for a rendering with content or a
// call behind it. 0: not found.
size_t EndOfThought(std::string_view behind, const Shown& shown, std::string_view content_begin) {
  if (const size_t content = behind.find(kContent); content != behind.npos) {
    const std::string_view gap = behind.substr(0, content);
    return gap.ends_with(content_begin) ? content - content_begin.size() : content;
  }
  const size_t name = behind.find(kNames[0]);
  if (name == behind.npos || shown.before_name.empty()) return 0;
  const std::string_view gap = behind.substr(0, name);
  return gap.ends_with(shown.before_name) ? name - shown.before_name.size() : 0;
}

std::string_view BeforeContent(std::string_view plain) {
  const size_t content = plain.find(kContent);
  return plain.substr(0, content == plain.npos ? 0 : content);
}

// Sets the form from an answer with a thought in it.
bool ReadAround(std::string_view answer, const Shown& shown, AnswerForm* form) {
  const size_t at = answer.find(kThought);
  if (at == answer.npos) return false;
  const std::string_view before = answer.substr(0, at);
  const std::string_view behind = answer.substr(at + kThought.size());
  const std::string_view tag = LastMarker(TrimRight(before));
  const std::string_view tail = TrimLeft(behind);
  const size_t tag_size = MarkerSize(tail);
  if (!tag.empty() && tag_size > 0 && Closes(tag, tail.substr(0, tag_size))) {
    const auto begin = static_cast<size_t>(tag.data() - before.data());
    form->thinking_begin = before.substr(begin);
    const std::string_view next = tail.substr(tag_size);
    form->thinking_end = behind.substr(0, behind.size() - TrimLeft(next).size());
    // Space that belongs to the call is not the thought's.
    if (const std::string_view space = form->call.space_before;
        !space.empty() && behind.find(kContent) == behind.npos &&
        form->thinking_end.ends_with(space)) {
      form->thinking_end.remove_suffix(space.size());
    }
    return true;
  }
  // No pair of tags: what this answer has, and no other.
  size_t header = CommonPrefix(answer, shown.plain);
  for (const std::string_view other : {shown.prompt, shown.call}) {
    if (!other.empty()) header = std::min(header, CommonPrefix(answer, other));
  }
  if (header > at || FirstMarkerEnd(before.substr(header)) == 0) return false;
  std::string_view content_begin;
  if (shown.plain.starts_with(shown.prompt)) {
    content_begin = BeforeContent(shown.plain.substr(shown.prompt.size()));
  }
  const size_t end = EndOfThought(behind, shown, content_begin);
  if (end == 0 || FirstMarkerEnd(behind.substr(0, end)) == 0) return false;
  form->thinking_begin = before.substr(header);
  form->thinking_end = behind.substr(0, end);
  return true;
}

bool ReadSpelled(Probe& probe, const Shown& shown, AnswerForm* form) {
  for (const std::string_view spelling : kSpellings) {
    AssistantMessage message;
    message.content = kContent;
    message.thought = spelling;
    if (ReadAround(probe.Answer(message), shown, form)) return true;
    message.content = {};
    message.calls = 1;
    if (ReadAround(probe.Answer(message), shown, form)) return true;
  }
  return false;
}

// A prompt, or a history, that closes a thought where it begins.
bool ReadClosedPrompt(std::string_view prompt, AnswerForm* form) {
  for (size_t i = 0; i < prompt.size(); ++i) {
    const size_t open = MarkerSize(prompt.substr(i));
    if (open == 0) continue;
    const std::string_view rest = prompt.substr(i + open);
    const std::string_view tail = TrimLeft(rest);
    const size_t close = MarkerSize(tail);
    if (close == 0 || !Closes(prompt.substr(i, open), tail.substr(0, close))) continue;
    const std::string_view inside = SpaceBefore(rest);
    // Between the two are the space behind the one and the space before the other: the first line's
    // end is the one's.
    const size_t lead = inside.empty() ? 0 : 1;
    form->thinking_begin = prompt.substr(i, open + lead);
    const std::string_view end = rest.substr(lead);
    form->thinking_end =
        end.substr(0, inside.size() - lead + close + SpaceBefore(tail.substr(close)).size());
    return true;
  }
  return false;
}

// A history that leaves out what stands before the closing tag.
bool ReadLeftOut(Probe& probe, jinja::Machine& machine, std::string_view prompt, AnswerForm* form) {
  std::string_view begin = LastMarker(TrimRight(prompt));
  bool written = !begin.empty();
  for (int round = 0; round < 2; ++round, begin = "<think>", written = false) {
    if (begin.size() < 3 || begin[1] == '/' || begin[1] == '|') continue;
    TextBuilder close(machine), content(machine);
    close.Append({begin.substr(0, 1), "/", begin.substr(1)});
    content.Append({kThought, close.view(), kContent});
    for (const bool followed : {false, true}) {
      AssistantMessage message;
      message.content = content.view();
      message.followed = followed;
      const std::string_view answer = probe.Answer(message);
      if (answer.find(kContent) == answer.npos || answer.find(kThought) != answer.npos) continue;
      form->thinking_begin =
          written ? prompt.substr(static_cast<size_t>(begin.data() - prompt.data())) : begin;
      form->thinking_end = close.view();
      return true;
    }
  }
  return false;
}

}  // namespace

void ReadThinking(Probe& probe, jinja::Machine& machine, const Shown& shown, AnswerForm* form) {
  if (ReadSpelled(probe, shown, form)) return;
  const std::string_view on = probe.Variables(kThinkingOn), off = probe.Variables(kThinkingOff);
  probe.UseVariables(on);
  Shown thinking = shown;
  thinking.prompt = probe.Prompt();
  const bool found = ReadSpelled(probe, thinking, form) || ReadClosedPrompt(shown.prompt, form);
  probe.UseVariables({});
  if (found) return;
  probe.UseVariables(off);
  const bool closed = ReadClosedPrompt(probe.Prompt(), form);
  probe.UseVariables({});
  if (!closed && !ReadClosedPrompt(BeforeContent(shown.plain), form))
    ReadLeftOut(probe, machine, shown.prompt, form);
}

void ReadContent(const Shown& shown, AnswerForm* form) {
  const size_t content = shown.plain.find(kContent);
  if (content == shown.plain.npos) return;
  std::string_view before = shown.plain.substr(0, content);
  size_t header = CommonPrefix(shown.prompt, shown.plain);
  if (shown.plain.starts_with(shown.prompt)) {
    header = shown.prompt.size();
  } else if (const size_t same = CommonSuffix(shown.prompt, before);
             FirstMarkerEnd(before.substr(content - same)) > 0) {
    header = content;  // a prompt of another beginning, but it ends as what is before content
  }
  if (header > content) return;
  before.remove_prefix(header);
  if (const std::string_view end = Trim(form->thinking_end); !end.empty()) {
    if (const size_t at = before.rfind(end); at != before.npos) {
      before.remove_prefix(at + end.size());
      const std::string_view space = SpaceBehind(form->thinking_end);
      if (before.starts_with(space)) before.remove_prefix(space.size());
    }
  }
  form->content_begin = before;
  std::string_view behind = shown.plain.substr(content + kContent.size());
  if (FirstMarkerEnd(before) > 0) {
    const size_t end = FirstMarkerEnd(behind);
    form->content_end = behind.substr(0, end);
    behind.remove_prefix(end);
  }
  form->turn_end = behind.substr(0, kMaxTurnEnd);
}

}  // namespace rondo::calls
