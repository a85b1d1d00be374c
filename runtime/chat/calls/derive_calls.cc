// The form of calls, read off conversations with one, two and three of them.
#include <algorithm>

#include "runtime/base/json_scanner.h"
#include "runtime/chat/calls/derive.h"
#include "runtime/chat/calls/marked_text.h"

namespace rondo::calls {
namespace {

// Longer texts between the parts of a call are no form.
constexpr size_t kMaxPattern = 512;

// Where a call's parts are in a rendering.
struct Place {
  size_t name = 0, name_end = 0, arguments = 0, arguments_end = 0;
};

// The first JSON object from `from` on that has the first key; false for none.
bool FindJson(std::string_view text, size_t from, Place* place) {
  const size_t key = text.find(kKeys[0], from);
  if (key == text.npos || key == 0 || text[key - 1] != '"') return false;
  const std::string_view before = TrimRight(text.substr(0, key - 1));
  if (before.size() <= from || before.back() != '{') return false;
  // An object in another's place is the text of one, which the template takes for a notation's.
  if (TrimRight(before.substr(from, before.size() - 1 - from)).ends_with('{')) return false;
  place->arguments = before.size() - 1;
  JsonScanner scanner;
  const size_t size = scanner.Scan(text.substr(place->arguments));
  place->arguments_end = place->arguments + size;
  return scanner.done();
}

// From the first key to the last value.
bool FindArguments(std::string_view text, size_t from, Values values, Place* place) {
  place->arguments = text.find(kKeys[0], from);
  if (place->arguments == text.npos) return false;
  const std::string_view last = values == Values::kStrings ? kTexts[1] : kNumbers[1];
  const size_t value = text.find(last, place->arguments);
  place->arguments_end = value + last.size();
  return value != text.npos;
}

bool FindCalls(std::string_view text, ArgumentsKind kind, Values values, std::span<Place> places) {
  size_t from = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    places[i].name = text.find(kNames[i], from);
    if (places[i].name == text.npos) return false;
    places[i].name_end = places[i].name + kNames[i].size();
    if (kind == ArgumentsKind::kJson
            ? !FindJson(text, places[i].name_end, &places[i])
            : !FindArguments(text, places[i].name_end, values, &places[i])) {
      return false;
    }
    from = places[i].arguments_end;
  }
  return true;
}

class CallReader {
 public:
  CallReader(Probe& probe, jinja::Machine& machine, Shown* shown, AnswerForm* form)
      : probe_(probe), machine_(machine), shown_(*shown), form_(*form), call_(form->call) {}

  void Run() {
    if (!ChooseSpelling() || !ReadOne() || !ReadMore()) return;
    if (call_.kind != ArgumentsKind::kJson && !ReadArguments()) return;
    for (const std::string_view text :
         {call_.begin, call_.name_end, call_.between, call_.end, call_.open, call_.close,
          call_.string_value, call_.other_value, call_.quote}) {
      if (text.size() > kMaxPattern) return Refuse("writes more than 512 bytes around a call");
    }
    form_.has_calls = true;
  }

 private:
  void Refuse(const char* what) {
    form_.no_calls = Status::Error(StatusCode::kUnsupported, "the chat template %s", what);
  }

  // One call is written so that its name and arguments are found; the reason otherwise.
  bool ChooseSpelling() {
    constexpr CallSpelling kSpellings[] = {{false, false, false}, {false, false, true},
                                           {true, false, false},  {true, false, true},
                                           {false, true, false},  {true, true, false}};
    Status first_error;
    bool rendered = false, named = false;
    for (const ArgumentsKind kind : {ArgumentsKind::kJson, ArgumentsKind::kTagged}) {
      for (const CallSpelling& spelling : kSpellings) {
        if (kind != ArgumentsKind::kJson && spelling.as_text) continue;
        probe_.spelling = spelling;
        const std::string_view text = Answer(1, Values::kStrings);
        if (!probe_.last_error().ok() && first_error.ok()) first_error = probe_.last_error();
        rendered = rendered || probe_.last_error().ok();
        named = named || text.find(kNames[0]) != text.npos;
        if (!FindCalls(text, kind, Values::kStrings, {&one_, 1})) continue;
        call_.kind = kind;
        shown_.call = text;
        return true;
      }
    }
    if (!rendered) {
      form_.no_calls =
          Status::Error(StatusCode::kUnsupported, "no form for calls: %s", first_error.message());
    } else {
      Refuse(named ? "does not show a call's arguments behind its name"
                   : "shows no form for calls: it leaves an assistant's tool_calls out");
    }
    return false;
  }

  std::string_view Answer(size_t calls, Values values, std::string_view content = {}) {
    AssistantMessage message;
    message.content = content;
    message.calls = calls;
    message.values = values;
    return probe_.Answer(message);
  }

  // The text with `word` replaced by the slot, where it has it.
  std::string_view WithSlot(std::string_view text, std::string_view word, char slot) {
    const size_t at = word.empty() ? text.npos : text.find(word);
    if (at == text.npos) return text;
    TextBuilder pattern(machine_);
    pattern.Append(text.substr(0, at));
    pattern.Append(slot);
    pattern.Append(text.substr(at + word.size()));
    return pattern.view();
  }

  bool ReadOne() {
    const std::string_view text = shown_.call;
    // What begins the call: all of it that is in no answer without one.
    const std::string_view head = text.substr(0, one_.name);
    std::string_view begin = head.substr(CommonPrefix(head, shown_.prompt));
    if (const size_t other = CommonPrefix(head, shown_.plain); head.size() - other < begin.size()) {
      begin = head.substr(other);
    }
    const std::string_view both = Answer(1, Values::kStrings, kContent);
    const size_t content = both.find(kContent), name = both.find(kNames[0]);
    std::string_view gap;
    if (content != both.npos && name != both.npos && content < name) {
      gap = both.substr(content + kContent.size(), name - content - kContent.size());
      begin = begin.substr(begin.size() - CommonSuffix(begin, gap));
    }
    Place place;
    if (FindCalls(both, call_.kind, Values::kStrings, {&place, 1}) && content != both.npos &&
        content > place.arguments_end) {
      before_content_ = both.substr(place.arguments_end, content - place.arguments_end);
    }
    if (head.size() - begin.size() < probe_.closing().size()) {
      Refuse("ends a user's message before a call otherwise than before content");
      return false;
    }
    if (Trim(begin).empty()) {
      Refuse("writes nothing before a call that tells it from content");
      return false;
    }
    call_.space_before = SpaceBefore(begin);
    begin = TrimLeft(begin);
    shown_.before_name = begin;
    if (gap.ends_with(begin)) {
      const std::string_view rest = gap.substr(0, gap.size() - begin.size());
      call_.space_before = SpaceBehind(rest);
    }
    call_.bare = (begin[0] == '{' || begin[0] == '[') && MarkerSize(begin) == 0;
    call_.begin = WithSlot(begin, kIds[0], kIdSlot);
    call_.name_end =
        WithSlot(text.substr(one_.name_end, one_.arguments - one_.name_end), kIds[0], kIdSlot);
    call_.end = WithSlot(UpToTurnEnd(text.substr(one_.arguments_end)), kIds[0], kIdSlot);
    return true;
  }

  // Without what stands behind an answer of content, too.
  std::string_view UpToTurnEnd(std::string_view text) {
    const size_t content = shown_.plain.find(kContent);
    if (content == shown_.plain.npos) return text;
    const std::string_view turn = shown_.plain.substr(content + kContent.size());
    std::string_view end = text.substr(0, text.size() - CommonSuffix(text, turn));
    const std::string_view first = Trim(turn.substr(0, FirstMarkerEnd(turn)));
    if (!first.empty()) end = end.substr(0, end.find(first));
    // Content may stand between a call's end and the turn's.
    if (const size_t size = CommonPrefix(end, before_content_);
        !before_content_.empty() && size < end.size()) {
      form_.turn_end_with_calls = end.substr(size);
      end = end.substr(0, size);
    }
    return end;
  }

  // The digits by which two texts differ, in `text`; empty where they are equal or differ by more.
  std::string_view NumberIn(std::string_view text, std::string_view other) {
    const size_t most = std::min(text.size(), other.size());
    size_t begin = 0, end = 0;
    while (begin < most && text[begin] == other[begin]) ++begin;
    while (end < most - begin && text[text.size() - 1 - end] == other[other.size() - 1 - end])
      ++end;
    const std::string_view digits = text.substr(begin, text.size() - begin - end);
    const bool number =
        std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    return number ? digits : std::string_view();
  }
  std::string_view WithNumber(std::string_view text, std::string_view number) {
    if (number.empty()) return text;
    TextBuilder pattern(machine_);
    pattern.Append(text.substr(0, static_cast<size_t>(number.data() - text.data())));
    pattern.Append(kIndexSlot);
    pattern.Append(
        number.data() + number.size() < text.data() + text.size()
            ? text.substr(static_cast<size_t>(number.data() + number.size() - text.data()))
            : std::string_view());
    return pattern.view();
  }

  // A second call and a third, where the template shows them.
  bool ReadMore() {
    Place two[2], three[3];
    const std::string_view second = Answer(2, Values::kStrings);
    if (!FindCalls(second, call_.kind, Values::kStrings, two)) return true;
    const std::string_view third = Answer(3, Values::kStrings);
    if (!FindCalls(third, call_.kind, Values::kStrings, three)) return true;
    const std::string_view one = shown_.call;
    if (second.substr(0, two[0].name) != one.substr(0, one_.name) ||
        WithSlot(third.substr(three[2].arguments_end), kIds[2], kIdSlot) !=
            WithSlot(second.substr(two[1].arguments_end), kIds[1], kIdSlot)) {
      Refuse("writes something else around two calls than around one");
      return false;
    }
    const auto behind_name = [](std::string_view text, const Place& place) {
      return text.substr(place.name_end, place.arguments - place.name_end);
    };
    const auto gap = [](std::string_view text, const Place& a, const Place& b) {
      return text.substr(a.arguments_end, b.name - a.arguments_end);
    };
    call_.several = true;
    // Some write more behind several calls than behind one; a model that made one may go on.
    const std::string_view end =
        WithSlot(UpToTurnEnd(second.substr(two[1].arguments_end)), kIds[1], kIdSlot);
    if (end.starts_with(call_.end)) call_.end = end;
    // A number may stand before the names, or behind them.
    const std::string_view between = gap(second, two[0], two[1]);
    const std::string_view number = NumberIn(between, gap(third, three[1], three[2]));
    call_.between = WithNumber(between, number);
    if (!number.empty()) {
      const auto behind = static_cast<size_t>(between.data() + between.size() - number.data());
      const std::string_view tail = between.substr(between.size() - behind + number.size());
      const std::string_view begin = shown_.before_name;
      if (begin.ends_with(tail)) {
        size_t digits = begin.size() - tail.size();
        while (digits > 0 && begin[digits - 1] >= '0' && begin[digits - 1] <= '9') --digits;
        call_.begin = WithNumber(begin, begin.substr(digits, begin.size() - tail.size() - digits));
      }
    } else {
      call_.between = WithSlot(WithSlot(between, kIds[0], kIdSlot), kIds[1], kIdSlot);
    }
    const std::string_view name_end = behind_name(second, two[0]);
    const std::string_view counted = NumberIn(name_end, behind_name(second, two[1]));
    if (!counted.empty()) {
      call_.name_end = WithNumber(name_end, counted);
      ReadRun(name_end.substr(0, static_cast<size_t>(counted.data() - name_end.data())));
    }
    return true;
  }

  // An id that is written in one run with the name: `middle` is between name and number.
  void ReadRun(std::string_view middle) {
    constexpr std::string_view kStops = "<>[]\"{} \n\t\r";
    if (middle.find_first_of(kStops) != middle.npos) return;
    const size_t stop = call_.begin.find_last_of(kStops);
    call_.id_prefix = stop == call_.begin.npos ? call_.begin : call_.begin.substr(stop + 1);
    call_.id_is_run = true;
  }

  // Arguments that are no JSON: what is around keys, strings and numbers.
  bool ReadArguments() {
    Around strings, numbers;
    if (!ReadAround(shown_.call, Values::kStrings, &strings) ||
        !ReadAround(Answer(1, Values::kNumbers), Values::kNumbers, &numbers)) {
      Refuse("does not show a call's arguments one by one");
      return false;
    }
    if (strings.between == numbers.between && strings.behind == numbers.behind) {
      return ReadTags(strings, numbers);
    }
    return ReadNotation(strings, numbers);
  }

  struct Around {
    std::string_view before, to_value, between,
        behind;  // the first key, a value, the next key, all
  };

  static bool ReadAround(std::string_view text, Values values, Around* around) {
    Place place;
    if (!FindCalls(text, ArgumentsKind::kTagged, values, {&place, 1})) return false;
    const std::string_view first = values == Values::kStrings ? kTexts[0] : kNumbers[0];
    const size_t key_end = place.arguments + kKeys[0].size();
    const size_t value = text.find(first, key_end);
    const size_t next = value == text.npos ? value : text.find(kKeys[1], value);
    if (next == text.npos) return false;
    around->before = text.substr(place.name_end, place.arguments - place.name_end);
    around->to_value = text.substr(key_end, value - key_end);
    around->between = text.substr(value + first.size(), next - value - first.size());
    around->behind = text.substr(place.arguments_end);
    return true;
  }

  bool ReadTags(const Around& strings, const Around& numbers) {
    const size_t shared = CommonPrefix(strings.between, strings.behind);
    call_.close = strings.between.substr(0, shared);
    call_.open = strings.between.substr(shared);
    call_.string_value = strings.to_value;
    call_.other_value = numbers.to_value;
    if (Trim(call_.close).empty() || Trim(call_.open).empty() || Trim(strings.to_value).empty() ||
        !strings.before.ends_with(call_.open) || !call_.end.starts_with(TrimRight(call_.close)) ||
        (call_.several && !call_.between.starts_with(call_.close))) {
      Refuse("does not write all arguments of a call in one form");
      return false;
    }
    call_.name_end.remove_suffix(call_.open.size());
    call_.end.remove_prefix(std::min(call_.end.size(), call_.close.size()));
    if (call_.several) call_.between.remove_prefix(call_.close.size());
    return true;
  }

  bool ReadNotation(const Around& strings, const Around& numbers) {
    const std::string_view colon = numbers.to_value, comma = numbers.between;
    const std::string_view quote =
        strings.to_value.substr(std::min(strings.to_value.size(), numbers.to_value.size()));
    const std::string_view object = TrimRight(strings.before);
    call_.keys_quoted = !quote.empty() && object.ends_with(quote);
    const std::string_view brace =
        call_.keys_quoted ? TrimRight(object.substr(0, object.size() - quote.size())) : object;
    const std::string_view key_end =
        call_.keys_quoted && colon.starts_with(quote) ? colon.substr(quote.size()) : colon;
    if (quote.empty() || !strings.to_value.starts_with(colon) ||
        !strings.between.starts_with(quote) || !strings.behind.starts_with(quote) ||
        !brace.ends_with('{') || Trim(key_end) != ":" || !TrimLeft(comma).starts_with(',') ||
        !TrimLeft(numbers.behind).starts_with('}') || !call_.end.starts_with(quote)) {
      Refuse("writes a call's arguments in a notation that is not understood");
      return false;
    }
    call_.kind = ArgumentsKind::kNotation;
    call_.quote = quote;
    call_.colon = key_end;
    call_.comma = call_.keys_quoted && comma.ends_with(quote)
                      ? comma.substr(0, comma.size() - quote.size())
                      : comma;
    call_.name_end.remove_suffix(strings.before.size() - (brace.size() - 1));
    // The patterns begin behind the object.
    const auto behind_object = [&quote](std::string_view text) {
      const std::string_view rest = TrimLeft(text.substr(std::min(text.size(), quote.size())));
      return rest.starts_with('}') ? rest.substr(1) : rest;
    };
    call_.end = behind_object(call_.end);
    if (call_.several) call_.between = behind_object(call_.between);
    return true;
  }

  Probe& probe_;
  jinja::Machine& machine_;
  Shown& shown_;
  AnswerForm& form_;
  CallForm& call_;
  Place one_;
  std::string_view before_content_;  // where a call stands before content: from its arguments on
};

}  // namespace

void ReadCalls(Probe& probe, jinja::Machine& machine, Shown* shown, AnswerForm* form) {
  CallReader(probe, machine, shown, form).Run();
}

}  // namespace rondo::calls
