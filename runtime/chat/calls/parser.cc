#include "runtime/chat/calls/parser.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "runtime/base/utf8.h"

namespace rondo {
namespace calls {
namespace {

// Of the form's and the tools' texts, and of what reading the tools takes meanwhile.
constexpr size_t kFormMemory = size_t{2} << 20;
constexpr size_t kReadingMemory = size_t{12} << 20;
constexpr size_t kOutBytes = size_t{32} << 10;
constexpr size_t kFirstText = 4096;

jinja::Limits WithMemory(size_t bytes) {
  jinja::Limits limits;
  limits.memory = bytes;
  return limits;
}

// Where the text's last character begins, if it has only begun; else where the text ends.
size_t WholeCharacters(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<uint8_t>(text[text.size() - back]);
    if (IsUtf8Continuation(byte)) continue;
    const size_t needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return needed > back ? text.size() - back : text.size();
  }
  return text.size();
}

bool HasSlot(std::string_view pattern) { return pattern.find(kIdSlot) != pattern.npos; }

}  // namespace

Parser::Parser() : memory_(WithMemory(kFormMemory)) {}

Status Parser::Prepare(const ChatRequest& request) {
  RONDO_RETURN_IF_ERROR(ReadAnswerForm(request, memory_, &form_));
  {
    jinja::Machine reading(WithMemory(kReadingMemory));
    tools_.Read(reading, request.tools, memory_);
    RONDO_RETURN_IF_ERROR(reading.status());
    RONDO_RETURN_IF_ERROR(memory_.status());
  }
  if (tools_.size() == 0) {
    form_.has_calls = false;
  } else if (!form_.has_calls) {
    return form_.no_calls;
  }
  const CallForm& call = form_.call;
  id_behind_ = call.kind == ArgumentsKind::kJson && !HasSlot(call.begin) &&
               !HasSlot(call.name_end) && HasSlot(call.end);
  RONDO_ASSIGN(out_memory_, HeapArray<char>::CreateForOverwrite(kOutBytes));
  RONDO_ASSIGN(text_, HeapArray<char>::CreateForOverwrite(kFirstText));
  out_ = Output(out_memory_.span());
  Reset();
  return Status();
}

void Parser::Reset() {
  begin_ = whole_ = end_ = 0;
  last_ = false;
  next_part_ = n_parts_ = 0;
  state_ = form_.in_thought ? State::kThinking : State::kStart;
  const bool only_space = Trim(form_.content_begin).empty();
  dropped_space_ = form_.in_thought || !only_space ? std::string_view() : form_.content_begin;
  seen_ = 0;
  n_calls_ = 0;
  tool_ = nullptr;
}

Status Parser::Push(std::string_view bytes, bool last) {
  if (last_) {
    return Status::Error(StatusCode::kInvalidArgument, "the answer's last bytes were given before");
  }
  const size_t waiting = end_ - begin_;
  if (bytes.size() > kMaxHeldBytes - waiting) {
    return Status::Error(StatusCode::kOutOfMemory,
                         "%zu bytes wait and %zu are added, expected at most %zu together", waiting,
                         bytes.size(), kMaxHeldBytes);
  }
  if (bytes.size() > text_.size() - end_) {
    const size_t needed = waiting + bytes.size();
    if (needed > text_.size() / 2) {
      RONDO_ASSIGN(auto larger, HeapArray<char>::CreateForOverwrite(
                                    std::min(kMaxHeldBytes, std::max(text_.size(), needed) * 2)));
      std::memcpy(larger.data(), text_.data() + begin_, waiting);
      text_ = std::move(larger);
    } else {
      std::memmove(text_.data(), text_.data() + begin_, waiting);
    }
    begin_ = 0;
    end_ = waiting;
  }
  if (!bytes.empty()) std::memcpy(text_.data() + end_, bytes.data(), bytes.size());
  end_ += bytes.size();
  whole_ = last ? end_ : begin_ + WholeCharacters({text_.data() + begin_, end_ - begin_});
  last_ = last;
  return Status();
}

std::string_view Parser::Piece(std::string_view text, size_t limit) {
  if (text.size() <= limit) return text;
  const std::string_view cut = text.substr(0, limit);
  return cut.substr(0, WholeCharacters(cut));
}

ChatPart Parser::Next() {
  if (next_part_ == n_parts_) {
    next_part_ = n_parts_ = 0;
    out_.Clear();
    while (n_parts_ == 0 && Step()) {
    }
  }
  return next_part_ < n_parts_ ? parts_[next_part_++] : ChatPart();
}

// A step emits four parts at most.
void Parser::Emit(ChatPartKind kind, std::string_view text) {
  if (text.empty() && kind != ChatPartKind::kCallEnd) return;
  ChatPart& part = parts_[n_parts_++];
  part = ChatPart();
  part.kind = kind;
  part.text = text;
  part.call =
      n_calls_ - (kind == ChatPartKind::kArguments || kind == ChatPartKind::kCallEnd ? 1 : 0);
  if (kind == ChatPartKind::kContent || kind == ChatPartKind::kThinking) part.call = 0;
}

void Parser::EmitCall(std::string_view name, std::string_view id) {
  ChatPart& part = parts_[n_parts_++];
  part = ChatPart();
  part.kind = ChatPartKind::kCall;
  part.call = n_calls_++;
  part.name = name;
  part.id = id;
}

bool Parser::Step() {
  while (!dropped_space_.empty()) {
    if (begin_ == whole_) {
      if (!last_) return false;
      dropped_space_ = {};
    } else if (text_[begin_] == dropped_space_[0]) {
      dropped_space_.remove_prefix(1);
      Consume(1);
    } else {
      dropped_space_ = {};
    }
  }
  switch (state_) {
    case State::kStart:
      return StepStart();
    case State::kContent:
      return StepContent();
    case State::kThinking:
      return StepThinking();
    case State::kJson:
      return StepJson();
    case State::kNotation:
      return StepNotation();
    case State::kNextArgument:
      return StepNextArgument();
    case State::kStringValue:
      return StepStringValue();
    case State::kOtherValue:
      return StepOtherValue();
    case State::kWholeValue:
      return StepWholeValue();
    case State::kCallEnd:
      return StepCallEnd();
    case State::kHeld:
      return StepHeld();
  }
  return false;
}

// ---- Content and thoughts ----

bool Parser::StepStart() {
  const std::string_view rest = Rest();
  const size_t lead = SpaceBefore(rest.substr(0, kMaxLead)).size();
  if (lead == rest.size() && !last_) return false;
  seen_ = 0;
  if (lead < kMaxLead) {
    const auto space_behind = [](std::string_view text) { return SpaceBehind(text); };
    Match::Kind waits = Match::kNo;
    if (const std::string_view begin = Trim(form_.thinking_begin); !begin.empty()) {
      const Match match = At(begin, lead);
      if (match.kind == Match::kYes) {
        Consume(lead + match.size);
        dropped_space_ = space_behind(form_.thinking_begin);
        state_ = State::kThinking;
        return true;
      }
      waits = std::max(waits, match.kind);
    }
    if (const std::string_view begin = Trim(form_.content_begin); !begin.empty()) {
      const Match match = At(begin, lead);
      if (match.kind == Match::kYes) {
        Consume(lead + match.size);
        dropped_space_ = space_behind(form_.content_begin);
        state_ = State::kContent;
        return true;
      }
      waits = std::max(waits, match.kind);
    }
    if (form_.has_calls) {
      const Head head = FindHead(form_.call.begin, lead);
      if (head.kind == Match::kYes) {
        BeginCall(head);
        return true;
      }
      waits = std::max(waits, head.kind);
    }
    if (Waits(waits)) return false;
  }
  if (rest.empty()) return false;
  state_ = State::kContent;
  return true;
}

// Whether the rest may become what ends the turn; `whole`: it is that, or a beginning of it that
// has a marker.
bool Parser::HasTurnEnd(std::string_view rest, bool whole) const {
  for (const std::string_view end : {form_.turn_end, form_.turn_end_with_calls}) {
    if (end.empty() || end[0] != rest[0] || !end.starts_with(rest)) continue;
    if (!whole || rest.size() == end.size() || FirstMarkerEnd(rest) > 0) return true;
  }
  return false;
}

bool Parser::StepContent() {
  const std::string_view rest = Rest();
  const CallForm& call = form_.call;
  const auto begins = [](std::string_view text, char c) { return !text.empty() && text[0] == c; };
  const bool calls = form_.has_calls && !call.bare;
  size_t i = seen_;
  for (; i < rest.size(); ++i) {
    const char c = rest[i];
    if (calls && call.begin[0] == c) {
      const Head head = FindHead(call.begin, i);
      if (Waits(head.kind)) break;
      if (head.kind == Match::kYes) {
        const size_t space = SharedSpace(call.space_before, rest.substr(0, i));
        Emit(ChatPartKind::kContent, rest.substr(0, i - space));
        Consume(i - space);
        BeginCall(head.From(i - space));
        return true;
      }
    }
    if (begins(form_.content_end, c)) {
      const Match match = At(form_.content_end, i);
      if (Waits(match.kind)) break;
      if (match.kind == Match::kYes) {
        Emit(ChatPartKind::kContent, rest.substr(0, i));
        Consume(i + match.size);
        seen_ = 0;
        state_ = State::kStart;
        return true;
      }
    }
    if (HasTurnEnd(rest.substr(i), /*whole=*/last_)) {
      if (!last_) break;
      Emit(ChatPartKind::kContent, rest.substr(0, i));
      Consume(rest.size());
      seen_ = 0;
      return true;
    }
  }
  // The space before a call is the template's, if one comes.
  const size_t kept =
      last_ || !calls ? 0 : TrailingSpace(rest.substr(0, i), call.space_before.size());
  Emit(ChatPartKind::kContent, rest.substr(0, i - kept));
  Consume(i - kept);
  seen_ = kept;
  return i > kept;
}

bool Parser::StepThinking() {
  const std::string_view rest = Rest();
  const std::string_view end = Trim(form_.thinking_end);
  const std::string_view space = SpaceBefore(form_.thinking_end);
  size_t i = seen_;
  for (; i < rest.size(); ++i) {
    if (rest[i] != end[0]) continue;
    const Match match = At(end, i);
    if (Waits(match.kind)) break;
    if (match.kind != Match::kYes) continue;
    Emit(ChatPartKind::kThinking, rest.substr(0, i - SharedSpace(space, rest.substr(0, i))));
    Consume(i + match.size);
    dropped_space_ = SpaceBehind(form_.thinking_end);
    seen_ = 0;
    state_ = State::kStart;
    return true;
  }
  const size_t kept = last_ ? 0 : TrailingSpace(rest.substr(0, i), space.size());
  Emit(ChatPartKind::kThinking, rest.substr(0, i - kept));
  Consume(i - kept);
  seen_ = kept;
  return i > kept;
}

}  // namespace calls

Result<std::unique_ptr<ChatParser>> ChatParser::Create(const ChatRequest& request) {
  std::unique_ptr<calls::Parser> parser(new (std::nothrow) calls::Parser);
  if (parser == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "the system refused %zu bytes",
                         sizeof(calls::Parser));
  }
  RONDO_RETURN_IF_ERROR(parser->Prepare(request));
  return std::unique_ptr<ChatParser>(std::move(parser));
}

}  // namespace rondo
