// The parser: where a call begins and ends, and arguments that are an object.
#include "runtime/chat/calls/parser.h"

namespace rondo::calls {

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
    // The text ends within what ends a call. In tags that may be another argument as well.
    if (match.kind == Match::kPartial && last_ &&
        (size > 0 || call.kind != ArgumentsKind::kTagged)) {
      size = rest.size();
    }
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
  if (json_.done()) {
    state_ = State::kCallEnd;
  } else if (json_.failed()) {
    BreakCall();
  } else {
    return taken > 0;
  }
  return true;
}

bool Parser::StepHeld() {
  const std::string_view rest = Rest();
  const size_t from = head_.arguments + seen_;
  seen_ += json_.Scan(rest.substr(from));
  if (!json_.done() && !json_.failed() && !last_) return false;
  const size_t arguments_end = head_.arguments + seen_;
  if (json_.done()) {
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
  const size_t taken = notation_.Scan(Piece(rest, kPiece), last_ && rest.size() <= kPiece, &out_);
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

}  // namespace rondo::calls
