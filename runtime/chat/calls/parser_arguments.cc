// The parser: arguments in tags.
#include <algorithm>

#include "runtime/chat/calls/parser.h"

namespace rondo::calls {

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
  const size_t piece = Piece(rest.substr(0, size), kPiece).size();
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
  const size_t size = json.Scan(value, true);
  if (json.done() && Trim(value.substr(size)).empty()) {
    Emit(ChatPartKind::kArguments, value);
    EndValue(end);
    return true;
  }
  notation_ = NotationScanner("'");
  value_left_ = end;
  state_ = State::kWholeValue;
  if (type_ == ValueType::kOther && !value.empty()) {
    // Python's? A look at all of it first: nothing was written in this step.
    NotationScanner trial("'");
    size_t at = 0;
    while (trial.state() == NotationScanner::State::kMore && at < value.size()) {
      Output none(out_memory_.span());
      const std::string_view piece = value.substr(at, kPiece);
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
  const std::string_view piece = Piece(value, kPiece);
  const size_t from = out_.size();
  size_t taken = piece.size();
  if (value_is_string_) {
    out_.AppendEscaped(piece);
    if (piece.size() == value.size()) out_.Append('"');
  } else {
    taken = notation_.Scan(piece, piece.size() == value.size(), &out_);
  }
  EmitOutput(from);
  if (taken == 0 && !piece.empty()) {
    BreakCall();  // though the whole was seen to be readable
    return true;
  }
  Consume(taken);
  value_size_ -= taken;
  value_left_ -= taken;
  if (value_size_ == 0) EndValue(value_left_);
  return true;
}

}  // namespace rondo::calls
