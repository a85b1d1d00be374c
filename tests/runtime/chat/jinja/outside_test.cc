// Which bytes of a rendering are outside (TextView), through everything that a template can do.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>

#include "runtime/chat/jinja/builtins.h"
#include "tests/runtime/chat/render.h"

namespace rondo::jinja::outside_test {
namespace {

// `x` and `y` are words from outside, among other variables.
constexpr std::string_view kVariables =
    R"({"x": "one", "y": "Two", "up": "ONE", "blank": " ", "lines": "a\nb\r\nc", "q": "<'\"",
        "n": 7, "f": -2.5, "t": true, "nothing": null, "digits": "42", "e": "\u00e9\u00df",
        "l": ["b", "a", "b"], "k": [3, 1], "d": {"k": "v", "m": 1}, "s": [{"a": 2}, {"a": "z"}]})";

// The text of the template; what is outside stands between `s.
std::string Shown(const std::string& template_text, std::string_view variables = kVariables) {
  ChatRequest request;
  request.template_text = template_text;
  request.messages = R"([{"role": "user", "content": "hi"}, {"role": "odd", "content": "ho"}])";
  request.variables = variables;
  request.mark_outside = true;
  request.local_time = test::kTestClock;
  const test::Rendered rendered = test::Render(request);
  if (!rendered.status.ok()) return std::string("!") + rendered.status.message();
  EXPECT_TRUE(rendered.outside.empty() || rendered.outside.size() == rendered.text.size());
  std::string shown;
  bool outside = false;
  for (size_t i = 0; i < rendered.text.size(); ++i) {
    if (const bool here = !rendered.outside.empty() && rendered.outside[i] != 0; here != outside) {
      outside = here;
      shown += '`';
    }
    shown += rendered.text[i];
  }
  return outside ? shown + '`' : shown;
}

struct Use {
  std::string text;  // an expression, or a template
  std::string shown;
};

struct Row {
  std::string what;
  std::vector<Use> uses;
};

void Expect(const Use& use) {
  const bool whole = use.text.find("{%") != std::string::npos;
  EXPECT_EQ(Shown(whole ? use.text : "{{ " + use.text + " }}"), use.shown) << use.text;
}

// The names that the interpreter has, each with a row.
void ExpectRowsFor(std::initializer_list<std::span<const Builtin>> tables,
                   const std::vector<Row>& rows) {
  std::set<std::string> names, have;
  for (const auto table : tables) {
    for (const Builtin& builtin : table) names.insert(builtin.name);
  }
  for (const Row& row : rows) {
    have.insert(row.what);
    for (const Use& use : row.uses) Expect(use);
  }
  EXPECT_EQ(have, names);
}

class Outside : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  }
};

TEST_F(Outside, ThroughFilters) {
  ExpectRowsFor(
      {TextFilters(), SequenceFilters(), ValueFilters()},
      {
          {"trim",
           {{"(' ' ~ blank ~ x ~ '!' ~ blank)|trim", "`one`!"},
            {"('-' ~ x ~ '-')|trim('-o')", "`ne`"},
            {"n|trim", "`7`"}}},
          {"lower", {{"('A' ~ y ~ 'B')|lower", "a`two`b"}, {"'AB'|lower", "ab"}}},
          {"upper", {{"('a' ~ e ~ 'b')|upper", "A`\u00c9SS`B"}}},
          {"capitalize", {{"('' ~ x ~ 'B')|capitalize", "`One`b"}}},
          {"title", {{"('a ' ~ x ~ ' b' ~ x)|title", "A `One` B`one`"}}},
          {"replace",
           {{"x|replace('n', '-')", "`o`-`e`"},
            {"'a-b'|replace('-', x)", "a`one`b"},
            {"('a' ~ x)|replace(x, y)", "a`Two`"},
            {"'aXb'|replace('X', n)", "a`7`b"},
            {"x|replace('', '.')", ".`o`.`n`.`e`."},
            {"'aonea'|replace(x, 'b')", "aba"}}},
          {"indent",
           {{"lines|indent(1)", "`a\n` `b\n` `c`"},
            {"('a\nb' ~ lines)|indent(blank)", "a\n` `b`a\n b\n c`"},
            {"x|indent(2, true)", "  `one`"}}},
          {"safe", {{"('a' ~ x)|safe", "a`one`"}, {"(x|safe) + '<'", "`one`&lt;"}}},
          {"string", {{"n|string", "`7`"}, {"('a' ~ x)|string", "a`one`"}, {"7|string", "7"}}},
          {"length", {{"x|length", "`3`"}, {"'abc'|length", "3"}, {"l|length", "`3`"}}},
          {"count", {{"x|count", "`3`"}}},
          {"list", {{"('a' ~ x)|list|join('-')", "a-`o`-`n`-`e`"}, {"k|list", "[`3`, `1`]"}}},
          {"first", {{"('' ~ x ~ 'b')|first", "`o`"}, {"('b' ~ x)|first", "b"}}},
          {"last", {{"('b' ~ x)|last", "`e`"}, {"k|last", "`1`"}}},
          {"reverse", {{"('ab' ~ x)|reverse", "`eno`ba"}, {"l|reverse|join", "`bab`"}}},
          {"join",
           {{"l|join('-')", "`b`-`a`-`b`"},
            {"['a', x]|join(y)", "a`Twoone`"},
            {"s|join(',', attribute='a')", "`2`,`z`"}}},
          {"items",
           {{"{% for k, v in d|items %}{{ k }}={{ v }};{% endfor %}", "`k`=`v`;`m`=`1`;"}}},
          {"sort", {{"[x, 'a']|sort|join", "a`one`"}, {"l|sort|join(' ')", "`a` `b` `b`"}}},
          {"dictsort", {{"{'b': x, 'a': 1}|dictsort|string", "[('a', 1), ('b', `'one'`)]"}}},
          {"unique", {{"[x, 'ONE', 'a']|unique|join(',')", "`one`,a"}}},
          {"map",
           {{"[x, 'b']|map('upper')|join(',')", "`ONE`,B"},
            {"s|map(attribute='a')|join(',')", "`2`,`z`"},
            {"[x]|map('length')|join", "`3`"},
            {"[{}]|map(attribute='a', default=x)|join", "`one`"}}},
          {"select", {{"[x, 'a']|select('eq', 'one')|join", "`one`"}}},
          {"reject", {{"[x, 'a']|reject('eq', 'a')|join", "`one`"}}},
          {"selectattr", {{"s|selectattr('a', 'eq', 2)|map(attribute='a')|join", "`2`"}}},
          {"rejectattr", {{"s|rejectattr('a', 'eq', 2)|map(attribute='a')|join", "`z`"}}},
          {"default",
           {{"x|default('a')", "`one`"}, {"zz|default('a')", "a"}, {"zz|default(x)", "`one`"}}},
          {"d", {{"zz|d(x)", "`one`"}, {"nothing|d('a', true)", "a"}}},
          {"tojson",
           {{"d|tojson", R"(`{"k": "v", "m": 1}`)"},
            {"{'a': x, 'b': n, 'c': 1}|tojson", R"({"a": `"one"`, "b": `7`, "c": 1})"},
            {"['a' ~ q]|tojson", R"([`"`a`<'\""`])"},
            {"[q, e]|tojson(ensure_ascii=true)", R"([`"<'\""`, `"\u00e9\u00df"`])"},
            {"[x, t, nothing]|tojson(indent=1)", "[\n `\"one\"`,\n `true`,\n `null`\n]"},
            {"[1, [2]]|tojson(indent=blank)", "[\n` `1,\n` `[\n`  `2\n` `]\n]"},
            {"[1, 2]|tojson(separators=(x, y))", "[1`one`2]"},
            {"{'a': 2}|tojson(separators=(x, y))", "{\"a\"`Two`2}"},
            {"l|tojson(separators=('<', '>'))", "`[\"b\"<\"a\"<\"b\"]`"}}},
          {"int",
           {{"digits|int", "`42`"}, {"f|int", "`-2`"}, {"'5'|int", "5"}, {"x|int(3)", "`3`"}}},
          {"float", {{"digits|float", "`42.0`"}, {"'5'|float", "5.0"}}},
          {"abs", {{"f|abs", "`2.5`"}, {"-3|abs", "3"}}},
      });
}

TEST_F(Outside, ThroughMethods) {
  ExpectRowsFor(
      {StringMethods(), DictMethods()},
      {
          {"strip", {{"(' ' ~ x ~ 'a ').strip()", "`one`a"}, {"('a' ~ x).strip('ae')", "`on`"}}},
          {"lstrip", {{"('a' ~ x).lstrip('ao')", "`ne`"}}},
          {"rstrip", {{"('a' ~ x).rstrip('en')", "a`o`"}}},
          {"lower", {{"('A' ~ up).lower()", "a`one`"}}},
          {"upper", {{"('a' ~ x).upper()", "A`ONE`"}}},
          {"title", {{"('a ' ~ x).title()", "A `One`"}}},
          {"capitalize", {{"('a' ~ up).capitalize()", "A`one`"}}},
          {"split",
           {{"('a-' ~ x ~ '-b').split('-')|join(',')", "a,`one`,b"},
            {"('a ' ~ x ~ blank ~ 'b').split()|join(',')", "a,`one`,b"},
            {"x.split('n')[1]", "`e`"},
            {"('a-' ~ x).split('-', 0)[0]", "a-`one`"}}},
          {"rsplit", {{"('a-' ~ x ~ '-b').rsplit('-', 1)|join(',')", "a-`one`,b"}}},
          {"replace",
           {{"('a' ~ x).replace('a', 'bc')", "bc`one`"},
            {"x.replace('n', 'N', 0)", "`one`"},
            {"(x ~ 'a').replace('ea', y)", "`onTwo`"}}},
          {"startswith", {{"'a' if x.startswith('o') else x", "a"}}},
          {"endswith", {{"'a' if x.endswith('e') else x", "a"}}},
          {"find", {{"x.find('e')", "`2`"}, {"'abc'.find('c')", "2"}}},
          {"get",
           {{"d.get('k')", "`v`"},
            {"d.get('zz', 'a')", "a"},
            {"{'one': '<s>'}.get(x)", "<s>"},
            {"{'one': '<s>'}[x]", "<s>"}}},
          {"items",
           {{"{% for k, v in {'a': x, y: 1}.items() %}{{ k }}{{ v }}{% endfor %}", "a`oneTwo`1"}}},
          {"keys", {{"d.keys()|join(',')", "`k`,`m`"}}},
          {"values", {{"d.values()|join(',')", "`v`,`1`"}}},
      });
}

TEST_F(Outside, ThroughFunctions) {
  ExpectRowsFor(
      {Functions()},
      {
          {"range", {{"range(2)|join", "01"}}},
          {"dict", {{"dict(a=x, b='c')|string", "{'a': `'one'`, 'b': 'c'}"}}},
          {"namespace",
           {{"{% set n = namespace(a=x) %}{% set n.b = n.a ~ 'c' %}{{ n.b }}", "`one`c"}}},
          {"raise_exception",
           {{"raise_exception(x)", "!chat template, line 1: TemplateError: one"}}},
      });
  Expect({"strftime_now('%Y')", "2026"});
  Expect({"strftime_now(x ~ '%Y')", "`one2026`"});
}

TEST_F(Outside, ThroughOperatorsAndStatements) {
  for (const Use& use : std::vector<Use>{
           {"'a' + x + 'b'", "a`one`b"},
           {"x + x", "`oneone`"},
           {"'' + x", "`one`"},
           {"x ~ 1 ~ n ~ t ~ nothing ~ zz", "`one`1`7TrueNone`"},
           {"('a' ~ x) * 2", "a`one`a`one`"},
           {"2 * x", "`oneone`"},
           {"'-' * 3", "---"},
           {"(['a', x] + l)|join", "a`onebab`"},
           {"n + 1", "`8`"},
           {"1 - n", "`-6`"},
           {"n * 2 / 4 // 1 % 5", "`3.0`"},
           {"-n", "`-7`"},
           {"+t", "`1`"},
           {"1 + 2", "3"},
           {"('ab' ~ x)[1]", "b"},
           {"('ab' ~ x)[3]", "`n`"},
           {"('ab' ~ e)[-1]", "`\u00df`"},
           {"('ab' ~ x)[1:4]", "b`on`"},
           {"('ab' ~ x)[::-2]", "`eo`a"},
           {"d.k ~ d['m'] ~ l[0] ~ s[1].a", "`v1bz`"},
           {"l[1:]|join(' ')", "`a` `b`"},
           {"x == 'one', x in 'one', not x, x is string", "(True, True, False, True)"},
           {"'a' if x else 'b'", "a"},
           {"x and 'a'", "a"},
           {"zz or x", "`one`"},
           {"l", "`['b', 'a', 'b']`"},
           {"d", "`{'k': 'v', 'm': 1}`"},
           {"[x, 'a' ~ y, 1]", "[`'one'`, `'`a`Two'`, 1]"},
           {"(q|list)", R"([`'<'`, `"'"`, `'"'`])"},
           {"['\x01' ~ '\u0001']", "['\\x01\\x01']"},
           {"{% for c in 'a' ~ x %}{{ c }}.{% endfor %}", "a.`o`.`n`.`e`."},
           {"{% for m in messages %}{{ loop.index }}{{ m.role }}{{ m.content }}{% endfor %}",
            "1user`hi`2`oddho`"},
           {"{% set z %}a{{ x }}{% endset %}{{ z }}{{ z|upper }}", "a`one`A`ONE`"},
           {"{% set z | upper %}a{{ x }}{% endset %}{{ z }}", "A`ONE`"},
           {"{% macro m(p, r='b') %}a{{ p }}{{ r }}{% endmacro %}{{ m(x) }}{{ m('c', x) }}",
            "a`one`bac`one`"},
           {"{% macro m() %}[{{ caller() }}]{% endmacro %}{% call m() %}a{{ x }}{% endcall %}",
            "[a`one`]"},
           {"{% filter upper %}a{{ x }}{% endfilter %}", "A`ONE`"},
           {"{% if x %}a{% endif %}{{ x }}{% raw %}{{ x }}{% endraw %}", "a`one`{{ x }}"},
           {"{% set a, b = [x, 'c'] %}{{ a }}{{ b }}", "`one`c"},
       }) {
    Expect(use);
  }
}

// The roles that templates know are theirs; nothing else of a message is, nor a role of a tool.
TEST_F(Outside, KnownRolesAreTheTemplates) {
  const auto roles = [](std::string_view messages) {
    ChatRequest request;
    request.template_text = "{% for m in messages %}{{ m.role }} {% endfor %}";
    request.messages = messages;
    request.mark_outside = true;
    const test::Rendered rendered = test::Render(request);
    return std::count(rendered.outside.begin(), rendered.outside.end(), 1);
  };
  EXPECT_EQ(roles(R"([{"role": "system"}, {"role": "developer"}, {"role": "user"},
                      {"role": "assistant"}, {"role": "tool"}, {"role": "function"}])"),
            0);
  EXPECT_EQ(roles(R"([{"role": "end"}, {"role": "user "}, {"role": "User"}, {"role": 7}])"), 13);
  EXPECT_EQ(Shown("{{ role }}{{ z.role }}", R"({"role": "user", "z": {"role": "user"}})"),
            "`useruser`");
}

TEST_F(Outside, MessagesToGoOnWith) {
  ChatRequest request;
  request.messages = R"([{"role": "user", "content": " Roses are "}])";
  request.continue_final_message = true;
  request.mark_outside = true;
  for (const auto& [text, marks] :
       {std::pair<std::string_view, std::string>("<{{ messages[0].content }}>", "011111111111"),
        {"<{{ messages[0].content|trim }}>", "0111111111"},
        {"{{ messages[0].content }}>", "11111111111"},
        {"{{ messages[0].content|trim }}", "111111111"}}) {
    request.template_text = text;
    const test::Rendered rendered = test::Render(request);
    ASSERT_TRUE(rendered.status.ok()) << rendered.status.message();
    std::string actual;
    for (const uint8_t mark : rendered.outside) actual += static_cast<char>('0' + mark);
    EXPECT_EQ(actual, marks) << text;
    EXPECT_EQ(rendered.text.size(), marks.size());
  }
}

TEST_F(Outside, NothingIsMarkedUnlessAsked) {
  ChatRequest request;
  request.template_text = "a{{ messages[0].content }}";
  request.messages = R"([{"content": "b"}])";
  EXPECT_TRUE(test::Render(request).outside.empty());
  request.mark_outside = true;
  EXPECT_EQ(test::Render(request).outside, (std::vector<uint8_t>{0, 1}));
  request.template_text = "a{{ messages|length > 0 }}{{ bos_token }}";
  const ChatToken bos = {"bos_token", "<s>"};
  request.tokens = {&bos, 1};
  EXPECT_EQ(test::Render(request).text, "aTrue<s>");
  EXPECT_TRUE(test::Render(request).outside.empty());
}

// Texts that grow bit by bit share their memory, and their marks.
TEST_F(Outside, TextsThatGrow) {
  const std::string grow =
      "{% set n = namespace(s='', p='') %}{% for i in range(300) %}"
      "{% set n.s = n.s + ('<' if i % 3 else x) %}{% if i == 200 %}{% set n.p = n.s %}{% endif %}"
      "{% endfor %}";
  std::string expected, before;
  for (int i = 0; i < 300; ++i) {
    expected += i % 3 != 0 ? "<" : "`one`";
    if (i == 200) before = expected;
  }
  EXPECT_EQ(Shown(grow + "{{ n.s }}"), expected);
  EXPECT_EQ(Shown(grow + "{{ n.p }}"), before);
  EXPECT_EQ(Shown(grow + "{{ n.p + '>' }}{{ n.p + x }}|{{ n.s[:4] }}"),
            before + ">" + before + "`one`|`one`<");
  // All of one kind up to a point, from which on two texts continue it.
  EXPECT_EQ(Shown("{% set a = 'a' * 400 + 'b' %}{% set b = a + x %}{% set c = a + 'c' %}"
                  "{{ b[-5:] }}{{ c[-3:] }}{{ (b + 'd')[-3:] }}{{ (a + y)[-5:] }}"),
            "ab`one`abc`ne`dab`Two`");
  // Put in front of a text, while what goes on behind it is of one kind yet.
  EXPECT_EQ(Shown("{% set t = 'p' ~ ('a' * 300 ~ 'b') %}{% set s %}{{ t }}y{% set v = x ~ t %}"
                  "{{ x }}{{ ('q' ~ v)[:5] }}{% endset %}{{ s[302:] }}"),
            "y`one`q`one`p");
}

// ---- Whatever is put together by chance ----

// Greek letters come from outside, and the template has none: wherever they are shown, they are
// marked. In other forms they would not be seen: no expression here makes escapes of them.
std::string Expression(std::mt19937& random, int depth) {
  const auto any = [&](auto&& list) {
    return std::string(*(list.begin() + random() % list.size()));
  };
  using List = std::initializer_list<const char*>;
  if (depth == 0 || random() % 5 == 0) {
    return any(List{"x", "y", "m.k", "m", "l", "messages", "'ab'", "'a b'", "['a', x]", "{'k': x}",
                    "(x, 'b')", "{x: 'a'}", "1", "2.5", "none", "zz"});
  }
  const auto sub = [&] { return "(" + Expression(random, depth - 1) + ")"; };
  switch (random() % 6) {
    case 0:
      return sub() + any(List{"+", "~", "*", " and ", " or ", "+"}) + sub();
    case 1:
      return sub() + any(List{"|tojson",
                              "|list",
                              "|sort",
                              "|join(', ')",
                              "|join",
                              "|string",
                              "|first",
                              "|last",
                              "|reverse",
                              "|map('upper')",
                              "|map('trim')|list",
                              "|unique",
                              "|dictsort",
                              "|items",
                              "|map(attribute='k')|list",
                              "|indent",
                              "|title",
                              "|replace('a', x)",
                              "|replace(x, 'bb')",
                              "|safe",
                              "|tojson(indent=2)",
                              "|upper",
                              "|lower",
                              "|capitalize",
                              "|trim",
                              "|trim(x)",
                              "|default(x)"});
    case 2:
      return sub() + any(List{".split()", ".split('a', 1)", ".rsplit('a', 1)", ".strip('a')",
                              ".upper()", ".title()", ".replace('', 'a')", ".replace('a', x)",
                              ".capitalize()", ".keys()", ".items()", ".values()", ".get('k')",
                              "[0]", "[-1]", "[1:]", "[::-2]", ".k"});
    case 3:
      return "(" + sub() + " if " + sub() + " else " + sub() + ")";
    case 4:
      return sub() + "[" + sub() + ":" + sub() + "]";
    default:
      return sub() + any(List{"|join(", "|replace('b', ", "|default("}) + sub() + ")";
  }
}

bool IsGreek(std::string_view text, size_t i) {
  const auto lead = static_cast<uint8_t>(text[i] & ~1);  // U+0380 to U+03FF: CE, CF
  return lead == 0xCE || (i > 0 && IsGreek(text.substr(0, i), i - 1) &&
                          (static_cast<uint8_t>(text[i]) & 0xC0) == 0x80);
}

TEST_F(Outside, ChanceShowsNothingUnmarked) {
  std::mt19937 random(4);
  size_t shown = 0;
  for (int round = 0; round < 30000; ++round) {
    ChatRequest request;
    const std::string a = Expression(random, 4), b = Expression(random, 2);
    std::string text = "{% set z %}{{ ";
    text.append(b).append(" }}a{% endset %}{{ z }}{{ ").append(a).append(" }}");
    request.template_text = text;
    request.messages = R"([{"role": "αβ", "content": "γ"}])";
    request.variables = R"({"x": "αβ γ", "y": "Σ", "m": {"k": "δε", "δ": "ζ"}, "l": ["η", "θ"]})";
    request.mark_outside = true;
    const test::Rendered rendered = test::Render(request);
    for (size_t i = 0; i < rendered.text.size(); ++i) {
      if (!IsGreek(rendered.text, i)) continue;
      ++shown;
      ASSERT_TRUE(!rendered.outside.empty() && rendered.outside[i] != 0)
          << text << "\n"
          << rendered.text << "\nbyte " << i;
    }
  }
  EXPECT_GT(shown, 20000u);
}

}  // namespace
}  // namespace rondo::jinja::outside_test
