#include "runtime/chat/calls/parser.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace rondo {
namespace calls {
namespace {

// Of the form's and the tools' texts, and of what reading the tools takes meanwhile.
constexpr size_t kFormMemory = size_t{2} << 20;
constexpr size_t kReadingMemory = size_t{12} << 20;
constexpr size_t kOutBytes = size_t{32} << 10;
constexpr size_t kPiece = 4096;  // of a text that is escaped
constexpr size_t kFirstText = 4096;
constexpr size_t kMaxName = 128;
// White space that an answer may begin with before a thought or a call.
constexpr size_t kMaxLead = 64;

jinja::Limits WithMemory(size_t bytes) {
  jinja::Limits limits;
  limits.memory = bytes;
  return limits;
}

// What a template's space and a text's have in common, from behind.
size_t SharedSpace(std::string_view space, std::string_view text) {
  size_t size = 0;
  while (size < std::min(space.size(), text.size()) &&
         space[space.size() - 1 - size] == text[text.size() - 1 - size]) {
    ++size;
  }
  return size;
}

// White space at the end of the text, of which the template's may be a part.
size_t TrailingSpace(std::string_view text, size_t most) {
  return std::min(most, SpaceBehind(text.substr(text.size() - std::min(text.size(), most))).size());
}

constexpr bool IsNameByte(char c) {
  return static_cast<uint8_t>(c) > 0x20 && c != '"' && c != '<' && c != '>' && c != '{' &&
         c != '}' && c != '[' && c != ']' && c != '\\';
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
  begin_ = end_ = 0;
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
  last_ = last;
  return Status();
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
    if (begin_ == end_) {
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

// ---- What begins and ends a call ----

// Whether a call's arguments begin here; a size is of no use.
Match Parser::ArgumentsAt(size_t at) const {
  const CallForm& call = form_.call;
  Match best;
  if (call.kind == ArgumentsKind::kTagged) {
    for (const std::string_view pattern :
         {TrimLeft(call.open), Trim(call.end), TrimLeft(call.between)}) {
      if (!pattern.empty()) best.kind = std::max(best.kind, At(pattern, at).kind);
    }
    return best;
  }
  const std::string_view rest = Rest();
  best.kind = at == rest.size() ? Match::kPartial : rest[at] == '{' ? Match::kYes : Match::kNo;
  return best;
}

// A name from `at` on, what ends it, and the arguments' beginning.
Parser::Head Parser::FindName(size_t at) const {
  const CallForm& call = form_.call;
  const std::string_view rest = Rest();
  const std::string_view name_end = TrimRight(call.name_end);
  Head head;
  head.name = at;
  for (size_t i = at; i - at <= kMaxName; ++i) {
    if (i > at) {
      const Match match = At(name_end, i);
      if (Waits(match.kind)) {
        head.kind = Match::kPartial;
        return head;
      }
      if (match.kind == Match::kYes) {
        size_t arguments = i + match.size;
        arguments += SpaceBefore(rest.substr(arguments)).size();
        head.kind = ArgumentsAt(arguments).kind;
        if (head.kind == Match::kPartial) return head;
        if (head.kind == Match::kYes) {
          head.name_end = i;
          head.arguments = arguments;
          head.id = i + match.slot_begin;
          head.id_size = match.slot_size;
          return head;
        }
      }
    }
    if (i == rest.size()) {
      head.kind = Match::kPartial;
      return head;
    }
    if (!IsNameByte(rest[i])) break;
  }
  head.kind = Match::kNo;
  return head;
}

Parser::Head Parser::FindHead(std::string_view begin, size_t at) const {
  const CallForm& call = form_.call;
  Head head;
  const Match match = At(begin, at);
  head.kind = match.kind;
  if (match.kind != Match::kYes) return head;
  head = FindName(at + match.size);
  if (head.kind != Match::kYes) return head;
  const std::string_view rest = Rest();
  if (call.bare && tools_.Find(rest.substr(head.name, head.name_end - head.name)) == nullptr) {
    head.kind = Match::kNo;  // JSON that happens to look so
    return head;
  }
  if (call.id_is_run) {
    head.id_size = head.id + head.id_size - head.name + call.id_prefix.size();
    head.id = head.name - call.id_prefix.size();
  } else if (match.slot_size > 0) {
    head.id = at + match.slot_begin;
    head.id_size = match.slot_size;
  }
  return head;
}

void Parser::BeginCall(const Head& head) {
  const std::string_view rest = Rest();
  const std::string_view name = rest.substr(head.name, head.name_end - head.name);
  tool_ = tools_.Find(name);
  seen_ = 0;
  json_ = JsonScanner();
  if (id_behind_) {
    // Content before it was emitted; the call itself waits for its id.
    head_ = head;
    state_ = State::kHeld;
    return;
  }
  EmitCall(name, rest.substr(head.id, head.id_size));
  Consume(head.arguments);
  BeginArguments();
}

void Parser::BeginArguments() {
  has_arguments_ = false;
  switch (form_.call.kind) {
    case ArgumentsKind::kJson:
      state_ = State::kJson;
      return;
    case ArgumentsKind::kNotation:
      notation_ = NotationScanner(form_.call.quote);
      state_ = State::kNotation;
      return;
    case ArgumentsKind::kTagged:
      state_ = State::kNextArgument;
      return;
  }
}

// What follows is no part of a call any more.
void Parser::BreakCall() {
  seen_ = 0;
  state_ = State::kContent;
}

// True where it is clear what comes: *ended tells whether a call's end was there, at once or before
// another call, which then begins.
bool Parser::TakeEnd(bool* ended) {
  const CallForm& call = form_.call;
  const std::string_view rest = Rest();
  const size_t lead = SpaceBefore(rest.substr(0, kMaxLead)).size();
  *ended = false;
  if (call.several && !TrimLeft(call.between).empty()) {
    const Head head = FindHead(TrimLeft(call.between), lead);
    if (Waits(head.kind)) return false;
    if (head.kind == Match::kYes) {
      *ended = true;
      if (call.kind == ArgumentsKind::kTagged) {
        const size_t from = out_.size();
        out_.Append(has_arguments_ ? "}" : "{}");
        EmitOutput(from);
      }
      Emit(ChatPartKind::kCallEnd, {});
      BeginCall(head);
      return true;
    }
  }
  const std::string_view end = Trim(call.end);
  const Match match = At(end, lead);
  if (Waits(match.kind)) return false;
  size_t size = match.kind == Match::kYes && !end.empty() ? lead + match.size : 0;
  if (match.kind != Match::kYes) {
    size = MatchBeginning(end, rest.substr(lead));
    if (size > 0) size += lead;
    // The text ends within what ends a call.
    if (match.kind == Match::kPartial && last_) size = rest.size();
  }
  if (call.kind == ArgumentsKind::kTagged) {
    if (size == 0 && !end.empty()) return true;
    const size_t from = out_.size();
    out_.Append(has_arguments_ ? "}" : "{}");
    EmitOutput(from);
  }
  *ended = true;
  Emit(ChatPartKind::kCallEnd, {});
  Consume(size);
  if (match.kind == Match::kYes) dropped_space_ = SpaceBehind(call.end);
  seen_ = 0;
  state_ = State::kStart;
  return true;
}

bool Parser::StepCallEnd() {
  bool ended;
  return TakeEnd(&ended);
}

// ---- Arguments as JSON, or in a notation ----

bool Parser::StepJson() {
  const std::string_view rest = Rest();
  const size_t taken = json_.Scan(rest);
  Emit(ChatPartKind::kArguments, rest.substr(0, taken));
  Consume(taken);
  if (json_.state() == JsonScanner::State::kDone) {
    state_ = State::kCallEnd;
  } else if (json_.state() == JsonScanner::State::kError) {
    BreakCall();
  } else {
    return taken > 0;
  }
  return true;
}

bool Parser::StepHeld() {
  const std::string_view rest = Rest();
  const size_t from = head_.arguments + seen_;
  if (json_.state() == JsonScanner::State::kMore) seen_ += json_.Scan(rest.substr(from));
  if (json_.state() == JsonScanner::State::kMore && !last_) return false;
  const size_t arguments_end = head_.arguments + seen_;
  if (json_.state() == JsonScanner::State::kDone) {
    const CallForm& call = form_.call;
    const std::string_view name = rest.substr(head_.name, head_.name_end - head_.name);
    const std::string_view arguments = rest.substr(head_.arguments, seen_);
    const auto tell = [&](const Match& match) {
      EmitCall(name, rest.substr(arguments_end + match.slot_begin, match.slot_size));
      Emit(ChatPartKind::kArguments, arguments);
      Emit(ChatPartKind::kCallEnd, {});
    };
    if (call.several) {
      const Match match = At(call.between, arguments_end);
      if (Waits(match.kind)) return false;
      if (match.kind == Match::kYes) {
        const Head next = FindName(arguments_end + match.size);
        if (Waits(next.kind)) return false;
        if (next.kind == Match::kYes) {
          tell(match);
          Consume(next.name);
          BeginCall(next.From(next.name));
          return true;
        }
      }
    }
    const Match match = At(TrimRight(call.end), arguments_end);
    if (Waits(match.kind)) return false;
    if (match.kind == Match::kYes) {
      tell(match);
      Consume(arguments_end + match.size);
      dropped_space_ = SpaceBehind(call.end);
      seen_ = 0;
      state_ = State::kStart;
      return true;
    }
  }
  // No call: all of it is content, and nothing begins at its first byte.
  state_ = State::kContent;
  seen_ = head_.arguments;
  return true;
}

bool Parser::StepNotation() {
  const std::string_view rest = Rest();
  const size_t from = out_.size();
  const size_t taken =
      notation_.Scan(rest.substr(0, kPiece), last_ && rest.size() <= kPiece, &out_);
  EmitOutput(from);
  Consume(taken);
  if (notation_.state() == NotationScanner::State::kDone) {
    state_ = State::kCallEnd;
  } else if (notation_.state() == NotationScanner::State::kError ||
             (taken == 0 && last_ && !rest.empty())) {
    BreakCall();
  } else {
    return taken > 0;
  }
  return true;
}

// ---- Arguments in tags ----

bool Parser::StepNextArgument() {
  const CallForm& call = form_.call;
  const std::string_view rest = Rest();
  const size_t lead = SpaceBefore(rest.substr(0, kMaxLead)).size();
  const Match open = At(TrimLeft(call.open), lead);
  if (Waits(open.kind)) return false;
  if (open.kind == Match::kYes) {
    const size_t key = lead + open.size;
    for (size_t i = key + 1; i - key <= kMaxName; ++i) {
      if (i > rest.size()) {
        if (!last_) return false;
        break;
      }
      bool waits = false;
      for (const std::string_view pattern : {call.string_value, call.other_value}) {
        const Match match = At(TrimRight(pattern), i);
        waits = waits || Waits(match.kind);
        if (match.kind != Match::kYes) continue;
        const std::string_view name = rest.substr(key, i - key);
        const size_t from = out_.size();
        out_.Append(has_arguments_ ? ", \"" : "{\"");
        out_.AppendEscaped(name);
        out_.Append("\": ");
        EmitOutput(from);
        has_arguments_ = true;
        type_ = ArgumentType(tool_, name);
        // Where the form tells strings from the rest it is believed.
        if (call.string_value != call.other_value) {
          type_ = pattern == call.string_value ? ValueType::kString : ValueType::kOther;
        }
        Consume(i + match.size);
        dropped_space_ = SpaceBehind(pattern);
        seen_ = 0;
        state_ = type_ == ValueType::kString ? State::kStringValue : State::kOtherValue;
        value_is_string_ = false;
        return true;
      }
      if (waits) return false;
    }
  }
  bool ended;
  if (!TakeEnd(&ended)) return false;
  if (!ended) BreakCall();
  return true;
}

// Where the value ends: what closes it, with another argument or the call's end behind. npos where
// there is none; no value ends before `*certain`.
size_t Parser::FindValueEnd(size_t from, size_t* certain) const {
  const CallForm& call = form_.call;
  const std::string_view rest = Rest();
  const std::string_view close = Trim(call.close);
  for (size_t i = from; i < rest.size(); ++i) {
    if (rest[i] != close[0]) continue;
    const Match match = At(close, i);
    Match::Kind kind = match.kind;
    if (kind == Match::kYes) {
      size_t next = i + match.size;
      next += SpaceBefore(rest.substr(next)).size();
      kind = Match::kNo;
      const std::string_view call_end = Trim(call.end);
      for (const std::string_view pattern :
           {TrimLeft(call.open), TrimLeft(call.between), call_end}) {
        if (pattern.empty()) continue;
        kind = std::max(kind, At(pattern, next).kind);
      }
      if (kind == Match::kNo && MatchBeginning(call_end, rest.substr(next)) > 0) kind = Match::kYes;
      if (call_end.empty()) kind = Match::kYes;
    }
    *certain = i;
    if (kind == Match::kYes || (kind == Match::kPartial && last_ && match.kind == Match::kYes)) {
      return i;
    }
    if (Waits(kind)) return rest.npos;
  }
  *certain = rest.size();
  return rest.npos;
}

// Takes what closes the value, which begins the rest.
void Parser::EndValue(size_t end) {
  Consume(end);
  const Match match = At(Trim(form_.call.close), 0);
  Consume(match.size);
  seen_ = 0;
  state_ = State::kNextArgument;
}

bool Parser::StepStringValue() {
  const std::string_view space = SpaceBefore(form_.call.close);
  const std::string_view rest = Rest();
  size_t certain = seen_;
  const size_t end = FindValueEnd(seen_, &certain);
  const bool found = end != rest.npos;
  size_t size = found
                    ? end - SharedSpace(space, rest.substr(0, end))
                    : certain - (last_ ? 0 : TrailingSpace(rest.substr(0, certain), space.size()));
  if (!found && last_) size = rest.size();
  seen_ = found ? end : last_ ? rest.size() : certain;
  const size_t from = out_.size();
  if (!value_is_string_) out_.Append('"');
  value_is_string_ = true;
  const size_t piece = std::min(size, kPiece);
  out_.AppendEscaped(rest.substr(0, piece));
  if (piece < size) {  // the rest of it with the next step
    EmitOutput(from);
    Consume(piece);
    seen_ -= piece;
    return true;
  }
  if (found) out_.Append('"');
  EmitOutput(from);
  if (found) {
    EndValue(end);
    return true;
  }
  Consume(piece);
  seen_ -= piece;
  return piece > 0;
}

bool Parser::StepOtherValue() {
  const std::string_view rest = Rest();
  size_t certain = seen_;
  const size_t end = FindValueEnd(seen_, &certain);
  if (end == rest.npos) {
    seen_ = certain;
    if (!last_ || rest.empty()) return false;
    // The text ends within the value: nothing of it is lost.
    state_ = State::kStringValue;
    return true;
  }
  const std::string_view whole =
      rest.substr(0, end - SharedSpace(SpaceBefore(form_.call.close), rest.substr(0, end)));
  const std::string_view value = Trim(whole);
  JsonScanner json;
  const size_t size = json.Scan(value);
  json.Finish();
  if (json.state() == JsonScanner::State::kDone && Trim(value.substr(size)).empty()) {
    Emit(ChatPartKind::kArguments, value);
    EndValue(end);
    return true;
  }
  notation_ = NotationScanner("'");
  value_left_ = end;
  state_ = State::kWholeValue;
  if (type_ == ValueType::kOther && !value.empty()) {
    // Python's? A look at all of it first, without a word written.
    char scratch[2048];
    NotationScanner trial("'");
    size_t at = 0;
    while (trial.state() == NotationScanner::State::kMore && at < value.size()) {
      Output none{std::span<char>(scratch)};
      const std::string_view piece = value.substr(at, 256);
      const size_t taken = trial.Scan(piece, at + piece.size() == value.size(), &none);
      if (taken == 0) break;
      at += taken;
    }
    if (trial.state() == NotationScanner::State::kDone && at == value.size()) {
      Consume(static_cast<size_t>(value.data() - rest.data()));
      value_left_ -= static_cast<size_t>(value.data() - rest.data());
      value_size_ = value.size();
      value_is_string_ = false;
      return true;
    }
  }
  value_size_ = whole.size();
  value_is_string_ = true;
  const size_t from = out_.size();
  out_.Append('"');
  EmitOutput(from);
  return true;
}

bool Parser::StepWholeValue() {
  const std::string_view value = Rest().substr(0, value_size_);
  const std::string_view piece = value.substr(0, kPiece / 8);
  const size_t from = out_.size();
  size_t taken = piece.size();
  if (value_is_string_) {
    out_.AppendEscaped(piece);
    if (piece.size() == value.size()) out_.Append('"');
  } else {
    taken = notation_.Scan(piece, piece.size() == value.size(), &out_);
  }
  EmitOutput(from);
  Consume(taken);
  value_size_ -= taken;
  value_left_ -= taken;
  if (value_size_ == 0) EndValue(value_left_);
  return true;
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
