// Texts and lists share memory, and loops give theirs back: whatever a template does with them, it
// sees what copies would show, and who wrote each byte.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "runtime/chat/jinja/unicode_text.h"
#include "tests/runtime/chat/render.h"

namespace rondo::jinja::sharing_test {
namespace {

// A text, and for each byte whether it is outside; all of them are ASCII.
struct Styled {
  std::string text, marks;

  static Styled Of(std::string text, char mark) {
    const size_t size = text.size();
    return {std::move(text), std::string(size, mark)};
  }
  Styled operator+(const Styled& other) const { return {text + other.text, marks + other.marks}; }
  Styled Slice(size_t begin, size_t count) const {
    begin = std::min(begin, text.size());
    return {text.substr(begin, count), marks.substr(begin, count)};
  }
  Styled Last(size_t count) const {
    return Slice(text.size() - std::min(count, text.size()), count);
  }
  Styled Trimmed() const {
    const size_t begin = std::min(text.find_first_not_of(' '), text.size());
    const size_t end = text.find_last_not_of(' ') + 1;
    return Slice(begin, begin < end ? end - begin : 0);
  }
  Styled Reversed() const { return {{text.rbegin(), text.rend()}, {marks.rbegin(), marks.rend()}}; }
};

using Texts = std::vector<Styled>;

Styled Joined(const Texts& list) {
  Styled out;
  for (const Styled& item : list) out = out + item;
  return out;
}

// What a template has: texts n.a, n.b, n.c and lists n.l, n.k of a namespace, more texts of it that
// are not there before they are set, variables of the pass of the loop that runs, and m, what this
// goes through.
struct State {
  Styled a, b, c, d, e, f, g, h, t, u, v, m, out;
  Texts l, k;
};

// A piece of a template and what it does.
struct Piece {
  std::string text;
  std::function<void(State&)> run;
};

using Random = std::mt19937;

struct Expression {
  std::string text;
  std::function<Styled(const State&)> value;
};

struct Name {
  const char* text;
  Styled State::*value;
  bool later = false;
};
constexpr Name kNames[] = {
    {"n.a", &State::a},       {"n.b", &State::b},       {"n.c", &State::c},
    {"n.a", &State::a},       {"n.d", &State::d, true}, {"n.e", &State::e, true},
    {"n.f", &State::f, true}, {"n.g", &State::g, true}, {"n.h", &State::h, true},
    {"t", &State::t},         {"u", &State::u},         {"v", &State::v},
    {"m", &State::m}};
constexpr size_t kOfNamespace = 9, kSettable = 12;  // of them
struct ListName {
  const char* text;
  Texts State::*value;
};
constexpr ListName kLists[] = {{"n.l", &State::l}, {"n.k", &State::k}};

Expression AnyLeaf(Random& random) {
  if (random() % 4 == 0) {
    const std::string text(random() % 3 == 0 ? 300 : random() % 5, "<> "[random() % 3]);
    return {"'" + text + "'", [text](const State&) { return Styled::Of(text, '0'); }};
  }
  const Name name = kNames[random() % std::size(kNames)];
  const std::string text = name.text;
  return {name.later ? "(" + text + "|default(''))" : text,
          [name](const State& state) { return state.*name.value; }};
}

Expression AnyExpression(Random& random, int depth) {
  if (depth == 0 || random() % 5 == 0) return AnyLeaf(random);
  const Expression a = AnyExpression(random, depth - 1), b = AnyExpression(random, depth - 1);
  const std::string x = "(" + a.text + ")", y = "(" + b.text + ")";
  const size_t i = random() % 400, j = random() % 400;
  const ListName list = kLists[random() % 2];
  switch (random() % 13) {
    case 0:
      return {x + " + " + y, [=](const State& s) { return a.value(s) + b.value(s); }};
    case 1:
      return {x + " ~ " + y, [=](const State& s) { return a.value(s) + b.value(s); }};
    case 2: {
      const Expression c = AnyLeaf(random);
      return {x + " ~ " + y + " ~ " + c.text,
              [=](const State& s) { return a.value(s) + b.value(s) + c.value(s); }};
    }
    case 3:
      return {x + "[" + std::to_string(i) + ":]",
              [=](const State& s) { return a.value(s).Slice(i, std::string::npos); }};
    case 4:
      return {x + "[:" + std::to_string(i) + "]",
              [=](const State& s) { return a.value(s).Slice(0, i); }};
    case 5:
      return {x + "[" + std::to_string(i) + ":" + std::to_string(i + j) + "]",
              [=](const State& s) { return a.value(s).Slice(i, j); }};
    case 6:
      return {x + "[-" + std::to_string(i + 1) + ":]",
              [=](const State& s) { return a.value(s).Last(i + 1); }};
    case 7:
      return {x + "|trim", [=](const State& s) { return a.value(s).Trimmed(); }};
    case 8:
      return {"[" + x + ", " + y + "]|join",
              [=](const State& s) { return a.value(s) + b.value(s); }};
    case 9:
      return {"f(" + a.text + ", " + b.text + ")",
              [=](const State& s) { return a.value(s) + Styled::Of("-", '0') + b.value(s); }};
    case 10:
      return {std::string(list.text) + "|join",
              [=](const State& s) { return Joined(s.*list.value); }};
    case 11:
      return {x + "[::-1]", [=](const State& s) { return a.value(s).Reversed(); }};
    default:
      return {x + " if " + y + "|length > 300 else " + y, [=](const State& s) {
                const Styled other = b.value(s);
                return other.text.size() > 300 ? a.value(s) : other;
              }};
  }
}

Piece AnySet(Random& random, bool in_loop) {
  const Expression value = AnyExpression(random, 3);
  const Name name = kNames[random() % (in_loop ? kSettable : kOfNamespace)];
  const auto set = [=](State& s) { s.*name.value = value.value(s).Slice(0, 3000); };
  if (random() % 3 == 0) {
    const std::string cut = std::string("{% set ") + name.text + " = " + name.text + "[:3000] %}";
    return {std::string("{% set ") + name.text + " %}{{ " + value.text + " }}{% endset %}" + cut,
            set};
  }
  return {std::string("{% set ") + name.text + " = (" + value.text + ")[:3000] %}", set};
}

Piece AnyListSet(Random& random) {
  const ListName to = kLists[random() % 2], from = kLists[random() % 2],
                 other = kLists[random() % 2];
  const Expression value = AnyExpression(random, 1);
  const std::string begin = std::string("{% set ") + to.text + " = (",
                    item = "[(" + value.text + ")[:400]]";
  const auto set = [to](State& s, Texts list) {
    if (list.size() > 60) list.resize(60);
    s.*to.value = std::move(list);
  };
  const auto with = [](const Texts& a, const Texts& b) {
    Texts list = a;
    list.insert(list.end(), b.begin(), b.end());
    return list;
  };
  const size_t i = random() % 4;
  switch (random() % 4) {
    case 0:
      return {begin + from.text + " + " + item + ")[:60] %}",
              [=](State& s) { set(s, with(s.*from.value, {value.value(s).Slice(0, 400)})); }};
    case 1:
      return {begin + item + " + " + from.text + ")[:60] %}",
              [=](State& s) { set(s, with({value.value(s).Slice(0, 400)}, s.*from.value)); }};
    case 2:
      return {begin + from.text + " + " + other.text + ")[:60] %}",
              [=](State& s) { set(s, with(s.*from.value, s.*other.value)); }};
    default:
      return {
          begin + from.text + "[" + std::to_string(i) + ":])[:60] %}", [=](State& s) {
            const Texts& list = s.*from.value;
            set(s, {list.begin() + static_cast<ptrdiff_t>(std::min(i, list.size())), list.end()});
          }};
  }
}

Piece AnyPieces(Random& random, int depth, bool in_loop);

// A loop over the items of a list as they are when it begins.
Piece AnyLoop(Random& random, int depth) {
  const ListName list = kLists[random() % 2];
  const Piece body = AnyPieces(random, depth - 1, true);
  const bool breaks = random() % 4 == 0;
  const std::string end = breaks ? "{% if loop.index == 2 %}{% break %}{% endif %}" : "";
  return {std::string("{% for m in ") + list.text + "[:5] %}" + body.text + end + "{% endfor %}",
          [=](State& s) {
            const Texts items = s.*list.value;
            const Styled t = s.t, u = s.u, v = s.v, m = s.m;
            for (size_t i = 0; i < items.size() && i < (breaks ? 2 : 5); ++i) {
              s.t = t, s.u = u, s.v = v, s.m = items[i];
              body.run(s);
            }
            s.t = t, s.u = u, s.v = v, s.m = m;
          }};
}

Piece AnyPieces(Random& random, int depth, bool in_loop) {
  std::vector<Piece> pieces;
  Piece all;
  for (size_t i = 0, count = 1 + random() % 4; i < count; ++i) {
    const size_t kind = random() % 8;
    if (kind < 4) {
      pieces.push_back(AnySet(random, in_loop));
    } else if (kind < 5) {
      pieces.push_back(AnyListSet(random));
    } else if (kind < 7 && depth > 0) {
      pieces.push_back(AnyLoop(random, depth));
    } else {
      const Expression shown = AnyExpression(random, 2);
      pieces.push_back({"{{ (" + shown.text + ")[:400] }}",
                        [=](State& s) { s.out = s.out + shown.value(s).Slice(0, 400); }});
    }
    all.text += pieces.back().text;
  }
  all.run = [pieces](State& s) {
    for (const Piece& piece : pieces) piece.run(s);
  };
  return all;
}

TEST(JinjaSharing, ShowsWhatCopiesWouldShow) {
  if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  const std::string x = " abc" + std::string(400, 'x') + "  ",
                    y = "(" + std::string(260, 'y') + ")";
  const std::string variables = "{\"x\": \"" + x + "\", \"y\": \"" + y + "\", \"z\": \" zz \"}";
  const std::string begin =
      "{% macro f(p, q) %}{{ p }}-{{ q }}{% endmacro %}{% set t = '' %}{% set u = z %}{% set v = "
      "'' %}"
      "{% set m = 'm' %}{% set n = namespace(a=x, b='', c='<' ~ y, l=[x, 'l', z], k=[]) %}";
  size_t bytes = 0;
  for (uint32_t seed = 0; seed < 20000; ++seed) {
    Random random(seed);
    const Piece pieces = AnyPieces(random, 3, false);
    State state = {.a = Styled::Of(x, '1'),
                   .b = {},
                   .c = Styled::Of("<", '0') + Styled::Of(y, '1'),
                   .d = {},
                   .e = {},
                   .f = {},
                   .g = {},
                   .h = {},
                   .t = {},
                   .u = Styled::Of(" zz ", '1'),
                   .v = {},
                   .m = Styled::Of("m", '0'),
                   .out = {},
                   .l = {Styled::Of(x, '1'), Styled::Of("l", '0'), Styled::Of(" zz ", '1')},
                   .k = {}};
    pieces.run(state);
    const Styled expected =
        state.out + state.a + state.b + state.c + state.d + Joined(state.l) + Joined(state.k);
    const std::string text =
        begin + pieces.text + "{{ n.a }}{{ n.b }}{{ n.c }}{{ n.d }}{{ n.l|join }}{{ n.k|join }}";
    ChatRequest request;
    request.template_text = text;
    request.messages = "[]";
    request.variables = variables;
    for (const bool mark : {false, true}) {
      request.mark_outside = mark;
      const test::Rendered rendered = test::Render(request);
      ASSERT_TRUE(rendered.status.ok()) << rendered.status.message() << "\n" << text;
      ASSERT_EQ(rendered.text, expected.text) << "seed " << seed << ": " << text;
      if (!mark || expected.marks.find('1') == std::string::npos) continue;
      std::string marks;
      for (const uint8_t byte : rendered.outside) marks += byte != 0 ? '1' : '0';
      ASSERT_EQ(marks, expected.marks) << "seed " << seed << ": " << text;
    }
    bytes += expected.text.size();
  }
  EXPECT_GT(bytes, 1'000'000u);
}

// A length that is known goes on to texts that are made of it.
TEST(JinjaSharing, LengthsOfGrowingTexts) {
  const std::string loop =
      "{% set n = namespace(s='\u00e9' * 300) %}{{ n.s|length }}"
      "{% for i in range(3) %}{% set n.s = '\u00e0b' ~ n.s ~ '\u00e8' %} "
      "{{ n.s|length }} {{ n.s[1:]|length }} {{ n.s[-1] }}{% endfor %}";
  EXPECT_EQ(test::RenderText(loop), "300 303 302 \u00e8 306 305 \u00e8 309 308 \u00e8");
}

// A part of a list lies anywhere in its room.
TEST(JinjaSharing, NothingAddedToPartsOfLists) {
  EXPECT_EQ(test::RenderText("{% set l = [1, 2, 3] + [4] %}{{ l[1:3] + [] }}{{ [] + l[1:3] }}"
                             "{{ l[:2] + [] }}{{ [] + l[2:] }}{{ ([] + l[1:2]) + [5] }}{{ l }}"),
            "[2, 3][2, 3][1, 2][3, 4][2, 5][1, 2, 3, 4]");
}

// Whitespace is looked for a piece at a time.
TEST(JinjaSharing, WhitespaceOfAnyLength) {
  for (const std::string_view space : {" ", "\u00a0", "\u3000", " \u2003"}) {
    for (const std::string_view middle : {"a", "\u00e9", "\U0001F600 \u3042", ""}) {
      for (size_t before = 0; before < 20; ++before) {
        for (const size_t behind : {before, size_t{7}}) {
          std::string text;
          for (size_t i = 0; i < before; ++i) text += space;
          text += middle;
          for (size_t i = 0; i < behind; ++i) text += space;
          const size_t leading = LeadingSpace(text);
          const std::string rest = text.substr(leading);
          const std::string both = rest.substr(0, rest.size() - TrailingSpace(rest));
          const std::string variables = "{\"x\": \"" + text + "\"}";
          EXPECT_EQ(test::RenderText("{{ x|trim }}", variables), both);
          EXPECT_EQ(test::RenderText("{{ x.lstrip() }}", variables), rest);
          EXPECT_EQ(test::RenderText("{{ x.rstrip() }}", variables),
                    text.substr(0, text.size() - TrailingSpace(text)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace rondo::jinja::sharing_test
