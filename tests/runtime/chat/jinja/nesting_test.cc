// Every way in which the language calls itself is counted as nesting, and stays within the stack
// that rondo.h promises.
#include <gtest/gtest.h>

#include "runtime/chat/jinja/builtins.h"
#include "tests/runtime/chat/jinja/painted_stack.h"
#include "tests/runtime/chat/render.h"
#include "tests/support/sanitized.h"

namespace rondo::nesting_test {
namespace {

constexpr size_t kPromised = 512 << 10;  // rondo_chat_render in rondo.h
// The system has its own things at the top of a thread's stack; what is left over is for compilers
// that make larger frames.
constexpr size_t kMost = 448 << 10;

std::string Repeat(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

// The template's text or failure, out of a thread with the promised stack.
std::string RenderWithin(const std::string& text, const std::string& variables = "{}") {
  std::string out;
  const auto render = [&] { out = test::RenderText(text, variables); };
  if (RONDO_SANITIZED) {  // makes frames larger
    render();
    return out;
  }
  const size_t used = test::StackUsedBy(kPromised, render);
  EXPECT_GT(used, 0u) << "no thread";
  EXPECT_LE(used, kMost) << text.substr(0, 200);
  return out;
}

void ExpectTooDeep(const std::string& text, const std::string& variables = "{}") {
  const std::string out = RenderWithin(text, variables);
  EXPECT_TRUE(out.starts_with("!")) << text.substr(0, 200);
  EXPECT_NE(out.find("levels deep"), std::string::npos) << text.substr(0, 200) << ": " << out;
}

// ---- The parser ----

struct Wrapping {
  const char* before;
  const char* behind = "";
};

// Around an expression. The lexer allows 200 open brackets, each of which is several levels.
constexpr Wrapping kBrackets[] = {
    {"(", ")"},        {"[", "]"},         {"{1: ", "}"},          {"{", ": 1}"},
    {"(1, ", ")"},     {"x[", "]"},        {"x[:", "]"},           {"x[::", "]"},
    {"x(", ")"},       {"x(a=", ")"},      {"x(*", ")"},           {"x|default(", ")"},
    {"x is eq(", ")"}, {"x is in (", ")"}, {"x is in [", "]"},     {"1 + (", ")"},
    {"1 < (", ")"},    {"1 ~ (", ")"},     {"1 and (", ")"},       {"1 if (", ") else 2"},
    {"-(", ")"},       {"not (", ")"},     {"(1 if 0 else ", ")"},
};
constexpr Wrapping kPrefixes[] = {{"-"}, {"+"}, {"not "}, {"- +"}, {"1 + - "}, {"1 if 0 else "}};
constexpr Wrapping kBlocks[] = {
    {"{% if 1 %}", "{% endif %}"},
    {"{% if 0 %}{% else %}", "{% endif %}"},
    {"{% if 0 %}{% elif 1 %}", "{% endif %}"},
    {"{% for x in [1] %}", "{% endfor %}"},
    {"{% for x in [] %}{% else %}", "{% endfor %}"},
    {"{% macro m() %}", "{% endmacro %}"},
    {"{% call m() %}", "{% endcall %}"},
    {"{% filter upper %}", "{% endfilter %}"},
    {"{% set x %}", "{% endset %}"},
    {"{% set x|upper %}", "{% endset %}"},
    {"{% generation %}", "{% endgeneration %}"},
};

std::string Nest(const Wrapping& wrapping, const std::string& inner, size_t times) {
  return Repeat(wrapping.before, times) + inner + Repeat(wrapping.behind, times);
}

TEST(JinjaNesting, OfWhatIsParsed) {
  for (const Wrapping& brackets : kBrackets) {
    ExpectTooDeep("{{ " + Nest(brackets, "1", 190) + " }}");
    ExpectTooDeep("{% macro m(a=" + Nest(brackets, "1", 190) + ") %}{% endmacro %}");
    ExpectTooDeep("{% for a in b if " + Nest(brackets, "1", 190) + " %}{% endfor %}");
  }
  for (const Wrapping& prefix : kPrefixes) ExpectTooDeep("{{ " + Nest(prefix, "1", 20000) + " }}");
  for (const Wrapping& block : kBlocks) ExpectTooDeep(Nest(block, "x", 5000));
  // Targets: the lexer's limit of open brackets comes first.
  RenderWithin("{% set " + Nest({"(b,", ")"}, "a", 200) + " = 1 %}");
  RenderWithin("{% for " + Nest({"(b,", ")"}, "a", 200) + " in x %}{% endfor %}");
  // Blocks and expressions together.
  ExpectTooDeep(Nest({"{% if 1 %}{% for x in [1] %}"}, "{{ " + Nest({"("}, "1", 190), 90));
}

// Chains are parsed in a row and run one inside of the other.
TEST(JinjaNesting, OfChains) {
  for (const char* link : {"+1", "-1", "*1", "/1", "//1", "%1", " and 1", "|abs", "|default(1)",
                           ".a", "[0]", "[0:]", "()", " if 1", "|abs|list"}) {
    ExpectTooDeep("{% set x = 1 %}{{ x" + Repeat(link, 20000) + " }}");
  }
  ExpectTooDeep("{{ 0" + Repeat(" or 0", 20000) + " }}");
  ExpectTooDeep("{% filter upper" + Repeat("|upper", 20000) + " %}{% endfilter %}");
  ExpectTooDeep("{% set x|upper" + Repeat("|upper", 20000) + " %}{% endset %}");
  ExpectTooDeep("{% call x" + Repeat("()", 20000) + " %}{% endcall %}");
}

// ---- Macros ----

// Every place of a template that runs an expression; "@" is one that comes here again.
constexpr const char* kPlaces[] = {
    "{{ @ }}",
    "{{ [@] }}",
    "{{ (@, 1) }}",
    "{{ {@: 1} }}",
    "{{ {1: @} }}",
    "{{ (@).a }}",
    "{{ (@)[0] }}",
    "{{ [1][@] }}",
    "{{ [1][@:] }}",
    "{{ [1][:@] }}",
    "{{ [1][::@] }}",
    "{{ @ ~ 1 }}",
    "{{ @ + 'a' }}",
    "{{ 'a' * @ }}",
    "{{ -@ }}",
    "{{ not @ }}",
    "{{ @ < 'a' }}",
    "{{ 'a' in @ }}",
    "{{ @ and 1 }}",
    "{{ 0 or @ }}",
    "{{ @ if 1 }}",
    "{{ 1 if @ }}",
    "{{ 1 if 0 else @ }}",
    "{{ @|upper }}",
    "{{ none|default(@) }}",
    "{{ none|default(default_value=@) }}",
    "{{ range(*@) }}",
    "{{ @ is string }}",
    "{{ 1 is eq(@) }}",
    "{{ dict(a=@) }}",
    "{{ (@)() }}",
    "{% if @ %}{% endif %}",
    "{% if 0 %}{% elif @ %}{% endif %}",
    "{% for x in @ %}{% endfor %}",
    "{% for x in [1] if @ %}{% endfor %}",
    "{% for x in [1] %}{{ @ }}{% endfor %}",
    "{% for x in [] %}{% else %}{{ @ }}{% endfor %}",
    "{% set x = @ %}",
    "{% set x %}{{ @ }}{% endset %}",
    "{% set x|default(@) %}{% endset %}",
    "{% set n = namespace() %}{% set n.x = @ %}",
    "{% filter upper %}{{ @ }}{% endfilter %}",
    "{% filter default(@) %}{% endfilter %}",
    "{% generation %}{{ @ }}{% endgeneration %}",
    "{% macro i() %}{{ @ }}{% endmacro %}{{ i() }}",
    "{% macro i(a=@) %}{% endmacro %}{{ i() }}",
    "{% macro i() %}{{ caller() }}{% endmacro %}{% call i() %}{{ @ }}{% endcall %}",
    "{% macro i(a) %}{{ caller(a) }}{% endmacro %}{% call(x) i(@) %}{{ x }}{% endcall %}",
    "{% macro i() %}{{ caller() }}{% endmacro %}{% call(x=@) i() %}{% endcall %}",
};

TEST(JinjaNesting, OfMacros) {
  for (std::string place : kPlaces) {
    const size_t at = place.find('@');
    ExpectTooDeep("{% macro m() %}" + place.replace(at, 1, "m()") + "{% endmacro %}{{ m() }}");
  }
  ExpectTooDeep("{% macro m(a=m()) %}{% endmacro %}{{ m() }}");
  ExpectTooDeep("{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{% endmacro %}{{ m() }}");
  ExpectTooDeep(
      "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}");
}

// ---- Filters that apply filters and tests ----

std::vector<std::string> NamesOfFilters() {
  std::vector<std::string> names;
  for (const auto table : {jinja::TextFilters(), jinja::SequenceFilters(), jinja::ValueFilters()}) {
    for (const jinja::Builtin& filter : table) names.emplace_back(filter.name);
  }
  return names;
}

std::vector<std::string> NamesOfTests() {
  std::vector<std::string> names;
  for (const jinja::Builtin& test : jinja::Tests()) names.emplace_back(test.name);
  return names;
}

std::string Filtered(const std::string& filter, const std::string& arguments) {
  return "'a'|" + filter + "(*" + arguments + ")";
}

// A character is a text of one character: it can be gone through for ever.
TEST(JinjaNesting, OfFiltersInFilters) {
  ExpectTooDeep("{{ 'a'|map(*(['map'] * 100000))|list }}");
  ExpectTooDeep("{{ [['a']]|map(" + Repeat("'map', ", 50000) + "'upper')|list }}");
  for (const std::string& filter : NamesOfFilters()) {
    const std::string names = "(['" + filter + "'] * 20000)";
    RenderWithin("{{ " + Filtered(filter, names) + " }}");
    RenderWithin("{{ " + Filtered(filter, "([0] + " + names + ")") + "|list }}");
    RenderWithin("{{ 'a'|map(*" + names + ")|list }}");
    RenderWithin("{{ 'a'|map(*(['map', '" + filter + "'] * 20000))|list }}");
    for (const char* chooser : {"select", "reject", "selectattr", "rejectattr"}) {
      RenderWithin("{{ 'a'|" + std::string(chooser) + "(*" + names + ")|list }}");
    }
  }
  for (const std::string& test : NamesOfTests()) {
    const std::string names = "(['" + test + "'] * 20000)";
    for (const char* chooser : {"select", "reject", "selectattr", "rejectattr"}) {
      RenderWithin("{{ 'a'|" + std::string(chooser) + "(*" + names + ")|list }}");
    }
  }
}

// ---- Values ----

// How a value comes to lie in another; n.x is what is nested so far.
constexpr const char* kNestings[] = {
    "[n.x]",
    "(n.x,)",
    "{'a': n.x}",
    "{(n.x,): 1}",
    "namespace(a=n.x)",
    "{'a': n.x}.items()",
    "{'a': n.x}.values()",
    "[n.x]|map('default')",
    "[n.x, n]",
};

std::string Deep(const std::string& nesting) {
  return "{% set n = namespace(x=1, y=1) %}{% for i in range(1500) %}{% set n.x = " + nesting +
         " %}{% endfor %}{% set n.y = n.x %}{% set n.x = 1 %}{% for i in range(1500) %}{% set n.x "
         "= " +
         nesting + " %}{% endfor %}";
}

TEST(JinjaNesting, OfValues) {
  for (const char* nesting : {"[n.x]", "(n.x,)", "{'a': n.x}", "namespace(a=n.x)",
                              "{'a': n.x}.items()", "{'a': n.x}.values()"}) {
    ExpectTooDeep(Deep(nesting) + "{{ n.x }}");
    ExpectTooDeep(Deep(nesting) + "{{ n.x ~ 'a' }}");
    ExpectTooDeep(Deep(nesting) + "{{ [n.x]|join }}");
    ExpectTooDeep(Deep(nesting) + "{{ raise_exception(n.x) }}");
  }
  for (const char* nesting : {"[n.x]", "(n.x,)", "{'a': n.x}"}) {
    ExpectTooDeep(Deep(nesting) + "{{ n.x|tojson }}");
    ExpectTooDeep(Deep(nesting) + "{{ n.x|tojson(indent=1) }}");
    ExpectTooDeep(Deep(nesting) + "{{ n.x == n.y }}");
    ExpectTooDeep(Deep(nesting) + "{{ n.x in [n.y] }}");
    ExpectTooDeep(Deep(nesting) + "{{ [n.y]|select('in', [n.x])|list }}");
  }
  for (const char* nesting : {"[n.x]", "(n.x,)"}) {
    ExpectTooDeep(Deep(nesting) + "{{ n.x < n.y }}");
    ExpectTooDeep(Deep(nesting) + "{{ [n.x, n.y]|sort }}");
  }
  ExpectTooDeep(Deep("(n.x,)") + "{{ {n.x: 1} }}");
  ExpectTooDeep(Deep("(n.x,)") + "{{ {}[n.x] }}");
  ExpectTooDeep(Deep("(n.x,)") + "{{ [n.x]|unique|list }}");
  ExpectTooDeep(Deep("[n.x]") + "{{ [][n.x].a }}");  // the message shows the value
}

TEST(JinjaNesting, OfValuesThatContainThemselves) {
  for (const char* use : {"{{ n }}", "{{ n.me }}", "{{ [n]|join }}", "{{ n ~ 1 }}"}) {
    ExpectTooDeep("{% set n = namespace() %}{% set n.me = [n, n] %}" + std::string(use));
    ExpectTooDeep("{% set n = namespace() %}{% set n.me = {'a': n} %}" + std::string(use));
    ExpectTooDeep("{% set n = namespace() %}{% set n.me = (n,) %}" + std::string(use));
  }
}

// Any value for every builtin and operator, as its subject and as its argument.
TEST(JinjaNesting, OfValuesGivenToEverything) {
  std::vector<std::string> uses;
  for (const std::string& filter : NamesOfFilters()) {
    for (const char* arguments : {"", "(n.y)", "(n.y, n.y)", "(0, n.y)", "('eq', n.y)"}) {
      uses.push_back("n.x|" + filter + arguments);
      uses.push_back("[n.x, n.y]|" + filter + arguments);
    }
    uses.push_back("[n.x]|map('" + filter + "')|list");
  }
  for (const std::string& test : NamesOfTests()) {
    uses.push_back("[n.x]|select('" + test + "')|list");
    uses.push_back("[n.x]|select('" + test + "', n.y)|list");
  }
  for (const jinja::Builtin& method : jinja::StringMethods()) {
    uses.push_back("'a'." + std::string(method.name) + "(n.x)");
  }
  for (const jinja::Builtin& method : jinja::DictMethods()) {
    uses.push_back("{'a': n.x}." + std::string(method.name) + "(n.x)");
    uses.push_back("n.x." + std::string(method.name) + "()|list");
  }
  for (const jinja::Builtin& function : jinja::Functions()) {
    uses.push_back(std::string(function.name) + "(n.x)");
    uses.push_back(std::string(function.name) + "(a=n.x)");
  }
  for (const char* op : {"+", "-", "*", "/", "//", "%", "~", "==", "!=", "<", "<=", ">", ">=", "in",
                         "not in", "and", "or"}) {
    uses.push_back("n.x " + std::string(op) + " n.y");
    uses.push_back("[n.x] " + std::string(op) + " [n.y]");
  }
  for (const char* use : {"-n.x", "not n.x", "n.x[0]", "n.x[n.y]", "n.x[n.y:]", "n.x[::-1]",
                          "n.x(n.y)", "strftime_now(n.x)", "zz[n.x].a", "n.x.a.b"}) {
    uses.emplace_back(use);
  }
  for (const char* nesting : kNestings) {
    for (const std::string& use : uses) RenderWithin(Deep(nesting) + "{{ " + use + " }}");
  }
}

// What the host gives.
TEST(JinjaNesting, OfJson) {
  for (const char* open : {"[", "{\"a\":", "[{\"a\":[", " [ "}) {
    ExpectTooDeep("x", "{\"a\": " + Repeat(open, 20000));
  }
  const std::string variables = "{\"a\": " + Repeat("[", 390) + Repeat("]", 390) + "}";
  EXPECT_EQ(RenderWithin("{{ a|tojson|length }}", variables), "780");
  ExpectTooDeep("{{ [[[[[[[[[[[[a]]]]]]]]]]]]|tojson }}", variables);
}

}  // namespace
}  // namespace rondo::nesting_test
