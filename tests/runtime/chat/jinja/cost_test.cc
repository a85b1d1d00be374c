// Everything that a template can do is paid for before it is done: on 5 MB, once or again and
// again, it comes to an end soon.
#include <gtest/gtest.h>
#include <time.h>

#include <set>

#include "runtime/chat/jinja/interpreter.h"
#include "runtime/chat/jinja/parser.h"
#include "tests/support/sanitized.h"

namespace rondo::jinja::cost_test {
namespace {

constexpr size_t kBytes = 5'000'000;
constexpr double kSeconds = RONDO_SANITIZED ? 30 : 1;
// What may be spent where something is done again and again, a twentieth of what a rendering has.
constexpr uint64_t kSteps = 1'000'000;
constexpr double kSecondsOfSteps = kSeconds / 4;

// Of this thread alone: the machine may be busy.
double Seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::string Repeated(std::string_view text) {
  std::string out;
  while (out.size() + text.size() <= kBytes) out += text;
  return out;
}

struct NamedText {
  const char* name;
  std::string text;
};

const std::vector<NamedText>& Texts() {
  static const std::vector<NamedText> texts = {
      {"a", Repeated("a")},
      {"ab", Repeated("a").substr(kBytes / 2) + "b"},  // nearly everywhere in a
      {"ba", "b" + Repeated("a").substr(kBytes / 2)},
      {"e", Repeated("\u00e9")},
      {"eg", Repeated("\u00e9") + "\u00e0"},
      {"g", Repeated("\u00e0")},
      {"s", Repeated(" ")},
      {"w", Repeated("a ")},
      {"nl", Repeated("\n")},
      {"n", Repeated("1")},
      {"z", Repeated("0") + ".0"},
      {"q", Repeated("<'\"")},
      {"dots", Repeated("a.")},
      {"pc", Repeated("%A")},
  };
  return texts;
}

// The variables: texts of 5 MB, and lists and dicts that take as much.
const Dict* Variables(Machine& machine) {
  Dict* names = NewDict(machine);
  for (const NamedText& text : Texts()) {
    Put(machine, names, text.name, ViewString(machine, std::string_view{text.text}));
  }
  // Every other byte of it is from outside.
  static const std::string mixed = Repeated("a\n"), marks = Repeated(std::string_view("\1\0", 2));
  Put(machine, names, "mixed",
      ViewString(machine, {mixed, reinterpret_cast<const uint8_t*>(marks.data())}));
  Sequence* numbers = NewSequence(machine);
  Sequence* same = NewSequence(machine);
  for (int64_t i = 0; i < 300'000; ++i) {
    Append(machine, numbers, Value::Int(i * 7919 % 300'007));
    Append(machine, same, *Find(machine, *names, "a"));
  }
  Dict* dict = NewDict(machine);
  Dict* colliding = NewDict(machine);
  for (int64_t i = 0; i < 50'000; ++i) Put(machine, dict, Value::Int(i), Value::Int(i));
  for (int64_t i = 0; i < 500; ++i) Put(machine, colliding, Value::Int(i << 32), Value::Int(i));
  Value deep = Value::Items(Kind::kList, numbers);
  for (int i = 0; i < 300; ++i) {
    Sequence* list = NewSequence(machine);
    Append(machine, list, deep);
    deep = Value::Items(Kind::kList, list);
  }
  Put(machine, names, "l", Value::Items(Kind::kList, numbers));
  Put(machine, names, "k", Value::Items(Kind::kTuple, numbers));
  Put(machine, names, "same", Value::Items(Kind::kList, same));
  Put(machine, names, "affixes", Value::Items(Kind::kTuple, same));
  Put(machine, names, "h", Value::Mapping(Kind::kDict, dict));
  Put(machine, names, "hh", Value::Mapping(Kind::kDict, colliding));
  Put(machine, names, "deep", deep);
  Put(machine, names, "strftime_now", MakeFunction(machine, &kStrftimeNow, Value::Int(0)));
  return names;
}

// CPU seconds of a template; `failure`: what it failed with.
double SecondsOf(const std::string& text, uint64_t steps, std::string* failure) {
  static Machine machine{Limits()};  // of what is made once, and not measured
  static const Dict* const variables = Variables(machine);
  EXPECT_FALSE(machine.failed()) << machine.status().message();
  Limits limits;
  limits.steps = steps;
  Machine measured(limits);
  const double begin = Seconds();
  const Statement* statements = ParseTemplate(measured, text);
  if (!measured.failed()) Interpreter(measured, *variables).Run(statements);
  *failure = measured.failed() ? measured.status().message() : "";
  return Seconds() - begin;
}

void ExpectCheap(const std::string& use) {
  const bool statement = use.starts_with("{%");
  const std::string once = statement ? use : "{% set r = " + use + " %}";
  SCOPED_TRACE(use.substr(0, 100));
  std::string failure;
  EXPECT_LE(SecondsOf(once, Limits().steps, &failure), kSeconds) << failure;
  // A mistake in the table would cost little, too.
  EXPECT_EQ(failure.find("unexpected"), std::string::npos) << failure;
  EXPECT_EQ(failure.find("nown"), std::string::npos) << failure;
  EXPECT_EQ(failure.find("argument"), std::string::npos) << failure;
  const std::string loop = "{% for i in range(100000) %}", end = "{% endfor %}";
  EXPECT_LE(SecondsOf(loop + loop + once + end + end, kSteps, &failure), kSecondsOfSteps)
      << "again and again: " << failure;
}

struct Row {
  std::string what;
  std::vector<const char*> uses;
};

// The names that the interpreter has, each with a row.
void ExpectRowsFor(std::initializer_list<std::span<const Builtin>> tables,
                   const std::vector<Row>& rows) {
  std::set<std::string> names, have;
  for (const auto table : tables) {
    for (const Builtin& builtin : table) names.insert(builtin.name);
  }
  for (const Row& row : rows) {
    have.insert(row.what);
    for (const char* use : row.uses) ExpectCheap(use);
  }
  EXPECT_EQ(have, names);
}

TEST(JinjaCost, OfFilters) {
  ExpectRowsFor(
      {TextFilters(), SequenceFilters(), ValueFilters()},
      {
          {"trim", {"s|trim", "a|trim", "a|trim('a')", "g|trim(eg)", "a|trim(ab)", "l|trim"}},
          {"lower", {"a|lower", "e|lower"}},
          {"upper", {"a|upper", "e|upper"}},
          {"capitalize", {"a|capitalize", "e|capitalize"}},
          {"title", {"a|title", "w|title", "s|title"}},
          {"replace",
           {"a|replace('a', 'b')", "a|replace(ab, '')", "a|replace(ba, '')", "a|replace('', '-')",
            "a|replace('a', a)", "e|replace('\u00e0', '')"}},
          {"indent", {"a|indent", "nl|indent", "nl|indent(4, true, true)", "w|indent(a, true)"}},
          {"safe", {"a|safe", "(q|safe) + q", "q + (q|safe)"}},
          {"string", {"l|string", "deep|string", "q|list|string", "h|string"}},
          {"length", {"a|length", "e|length", "l|length"}},
          {"count", {"e|count"}},
          {"list", {"a|list", "l|list", "h|list"}},
          {"first", {"a|first", "l|first", "h|first"}},
          {"last", {"a|last", "l|last", "h|last"}},
          {"reverse", {"a|reverse", "e|reverse", "l|reverse|list"}},
          {"join", {"l|join", "l|join(a)", "same|join", "a|join(',')", "l|join(attribute=dots)"}},
          {"items", {"h|items|list"}},
          {"sort",
           {"l|sort", "same|sort", "same|sort(case_sensitive=true)", "l|sort(attribute=n)"}},
          {"dictsort", {"h|dictsort", "h|dictsort(by='value')"}},
          {"unique", {"l|unique|list", "same|unique|list", "same|unique(true)|list"}},
          {"map",
           {"l|map('abs')|list", "l|map('string')|list", "l|map(attribute=n)|list",
            "l|map(attribute=dots)|list", "l|map(attribute=dots, default=l)|list",
            "same|map('float')|list", "same|map('length')|list", "same|map('trim')|list",
            "same|map(attribute='0')|list"}},
          {"select", {"l|select|list", "l|select('odd')|list", "same|select('eq', a)|list"}},
          {"reject", {"l|reject|list", "same|reject('in', same)|list"}},
          {"selectattr", {"l|selectattr(n)|list", "same|selectattr(dots, 'odd')|list"}},
          {"rejectattr", {"l|rejectattr(n)|list", "same|rejectattr('0', 'eq', 'b')|list"}},
          {"default", {"a|default('x', true)", "zz|default(a)"}},
          {"d", {"zz|d(a)"}},
          {"tojson",
           {"a|tojson", "e|tojson(ensure_ascii=true)", "q|tojson", "l|tojson", "h|tojson",
            "deep|tojson(indent='')", "deep|tojson(indent=1)", "l|tojson(indent=a)",
            "l|tojson(separators=(a, ':'))", "same|tojson"}},
          {"int", {"n|int", "z|int", "s|int", "a|int"}},
          {"float", {"n|float", "z|float", "s|float", "a|float"}},
          {"abs", {"l[1]|abs"}},
      });
}

TEST(JinjaCost, OfTests) {
  std::vector<Row> rows = {
      {"lower", {"a is lower", "e is lower"}},
      {"upper", {"a is upper", "e is upper"}},
      {"in", {"ab is in a", "ba is in a", "-1 is in l", "a is in same", "ab is in same"}},
      {"odd", {"l[1] is odd", "1e308 is odd"}},
      {"even", {"l[1] is even", "1e308 is even"}},
  };
  for (const char* name :
       {"defined", "undefined", "none", "string", "mapping", "sequence", "iterable", "number",
        "integer", "float", "boolean", "true", "false", "callable"}) {
    rows.push_back({name, {}});
    for (const char* subject : {"a", "l", "h"}) {
      ExpectCheap(subject + std::string(" is ") + name);
    }
  }
  for (const char* name :
       {"eq", "==", "equalto", "ne", "!=", "lt", "<", "le", "<=", "gt", ">", "ge", ">="}) {
    rows.push_back({name, {}});
    for (const char* pair :
         {"[a], '#', a ~ ''", "[l], '#', l|list", "[k], '#', l", "[same], '#', same"}) {
      std::string use = pair;
      use.replace(use.find('#'), 1, name);
      const size_t comma = use.find(',');
      ExpectCheap(use.substr(0, comma) + "|select(" + use.substr(comma + 1) + ")|list");
    }
  }
  ExpectRowsFor({Tests()}, rows);
}

TEST(JinjaCost, OfMethods) {
  ExpectRowsFor(
      {StringMethods(), DictMethods()},
      {
          {"strip", {"s.strip()", "a.strip('a')", "g.strip(eg)", "a.strip(ab)"}},
          {"lstrip", {"s.lstrip()", "a.lstrip('a')", "g.lstrip(eg)"}},
          {"rstrip", {"s.rstrip()", "a.rstrip('a')", "g.rstrip(eg)"}},
          {"lower", {"a.lower()", "e.lower()"}},
          {"upper", {"a.upper()", "e.upper()"}},
          {"title", {"a.title()", "e.title()"}},
          {"capitalize", {"a.capitalize()", "e.capitalize()"}},
          {"split",
           {"a.split('a')", "a.split(ab)", "a.split(ba)", "w.split()", "s.split()", "a.split()",
            "a.split('b')", "a.split(none, 0)", "a.split('a', 1)"}},
          {"rsplit",
           {"a.rsplit('a')", "a.rsplit(ab)", "a.rsplit(ba)", "a.rsplit('b')", "e.rsplit('\u00e0')",
            "a.rsplit('a', 1)", "w.rsplit(' ')"}},
          {"replace",
           {"a.replace('a', 'b')", "a.replace(ab, '')", "a.replace(ba, '')", "a.replace('', '-')",
            "a.replace('b', a)", "a.replace('a', a, 3)"}},
          {"startswith",
           {"a.startswith(ab)", "a.startswith(a)", "ab.startswith(affixes)",
            "(a ~ 'b').startswith(affixes)", "('b' ~ a).startswith(affixes)"}},
          {"endswith",
           {"a.endswith(ba)", "a.endswith(a)", "('b' ~ a).endswith(affixes)",
            "(a ~ 'b').endswith(affixes)"}},
          {"find",
           {"a.find('b')", "a.find(ab)", "a.find(ba)", "e.find('\u00e0')", "eg.find('\u00e0')"}},
          {"get", {"h.get(-1)", "h.get(a)", "hh.get(1099511627776000)", "{k: 1}.get(k)"}},
          {"items", {"h.items()", "h.items()|list"}},
          {"keys", {"h.keys()|list"}},
          {"values", {"h.values()|list"}},
      });
}

TEST(JinjaCost, OfFunctions) {
  ExpectRowsFor({Functions()},
                {
                    {"range", {"range(100000)", "range(0, 100000000, 1000)"}},
                    {"dict", {"dict(h)", "dict(hh)", "dict(a=1)"}},
                    {"namespace", {"namespace(h)", "namespace(a=a)"}},
                    {"raise_exception", {"raise_exception(a)", "raise_exception(l)"}},
                });
  for (const char* use : {"strftime_now(a)", "strftime_now(pc)", "strftime_now(pc[:-1])"}) {
    ExpectCheap(use);
  }
}

// Where it is known of each byte who wrote it.
TEST(JinjaCost, OfMarks) {
  for (const char* use : {"mixed ~ a",
                          "mixed + 'b'",
                          "mixed|upper",
                          "mixed|title",
                          "mixed|indent",
                          "mixed|tojson",
                          "mixed|replace('a', 'b')",
                          "mixed|replace('', mixed)",
                          "mixed|trim",
                          "mixed[1:]",
                          "mixed[::-1]",
                          "mixed|list|join(mixed)",
                          "mixed|join(',')",
                          "mixed.split('a')",
                          "mixed|length",
                          "mixed.find('b')",
                          "mixed * 10",
                          "mixed * 1000000000000",
                          "[mixed, 1]|string",
                          "(mixed|safe) + q",
                          "strftime_now(mixed)",
                          "{% set x %}{{ mixed }}b{{ mixed }}{% endset %}",
                          "{% for x in mixed %}{% endfor %}"}) {
    ExpectCheap(use);
  }
}

std::string Of(ExprKind kind) { return "expression " + std::to_string(static_cast<int>(kind)); }
std::string Of(Comparison op) { return "comparison " + std::to_string(static_cast<int>(op)); }
std::string Of(StatementKind kind) { return "statement " + std::to_string(static_cast<int>(kind)); }

TEST(JinjaCost, OfOperatorsAndStatements) {
  using E = ExprKind;
  using C = Comparison;
  using S = StatementKind;
  const std::string name(400'000, 'x'), a = name + 'a', b = name + 'b';
  const std::string names = "{% set " + a + " = 1 %}{% set " + b + " = 2 %}";
  std::string parameters = "a=1", arguments = "a=1";
  for (int i = 0; i < 60'000; ++i) parameters += ",a=1", arguments += ",a=1";
  const std::string macro =
      "{% macro m(" + parameters + ") %}{% endmacro %}{% set r = m(" + arguments + ") %}";
  const std::string lookups = names + "{% set r = " + b + " %}{% set r = " + b + " %}";
  const std::vector<Row> rows = {
      {Of(E::kConstant), {"1"}},
      {Of(E::kName), {"a", "zz", lookups.c_str()}},
      {Of(E::kTuple), {"(a, l)", "{% set x, y = a %}"}},
      {Of(E::kList), {"[a, l]"}},
      {Of(E::kDict), {"{a: l, ab: l}", "{k: 1}"}},
      {Of(E::kAttribute), {"a.b", "h.b", "l.b"}},
      {Of(E::kItem), {"a[4999999]", "e[2499999]", "e[-1]", "h[a]", "h[-1]", "l[a]", "h[k]"}},
      {Of(E::kSlice), {"a[1:]", "a[::-1]", "e[1:-1]", "e[2499990:]", "l[1:]", "l[::-1]", "k[:-1]"}},
      {Of(E::kCall), {macro.c_str(), "dict(*[h])", "namespace(*l)"}},
      {Of(E::kFilter), {"a|length"}},
      {Of(E::kTest), {"a is string"}},
      {Of(E::kNot), {"not a", "not l"}},
      {Of(E::kNegative), {"-l[1]"}},
      {Of(E::kPositive), {"+l[1]"}},
      {Of(E::kAnd), {"a and l"}},
      {Of(E::kOr), {"zz or l"}},
      {Of(E::kAdd), {"a + a", "a + 'b'", "'b' + a", "l + l", "k + k", "(q|safe) + q"}},
      {Of(E::kSubtract), {"2.5 - 1"}},
      {Of(E::kMultiply),
       {"a * 10", "a * 1000000000000", "'a' * 1000000000000", "l * 10", "l * 1000000000000",
        "[] * 1000000000000", "'' * 1000000000000"}},
      {Of(E::kDivide), {"1e308 / 1e-5"}},
      {Of(E::kFloorDivide), {"1e308 // 3e-5"}},
      {Of(E::kModulo), {"1e308 % 3e-308", "1.7e308 % 5e-324"}},
      {Of(E::kConcatenate), {"a ~ a", "l ~ a", "a ~ 1 ~ a"}},
      {Of(E::kCompare), {"1 < 2 < 3"}},
      {Of(E::kChoice), {"a if a else l"}},
      {Of(C::kEqual), {"a == a ~ ''", "l == l", "same == same", "h == h", "deep == deep"}},
      {Of(C::kNotEqual), {"a != a ~ ''", "l != l", "hh != hh"}},
      {Of(C::kLess), {"a < a ~ ''", "l < l", "same < same", "deep < deep"}},
      {Of(C::kLessEqual), {"a <= a ~ ''", "l <= l", "deep <= deep"}},
      {Of(C::kMore), {"a > a ~ ''", "l > l", "deep > deep"}},
      {Of(C::kMoreEqual), {"a >= a ~ ''", "l >= l", "deep >= deep"}},
      {Of(C::kIn), {"ab in a", "ba in a", "'b' in a", "-1 in l", "ab in same", "k in h"}},
      {Of(C::kNotIn), {"ab not in a", "ba not in a", "-1 not in l", "ab not in same"}},
      {Of(S::kText), {"{% if 1 %}text{% endif %}", "{% raw %}{{ text }}{% endraw %}"}},
      {Of(S::kOutput), {"{% if 1 %}{{ a }}{% endif %}", "{% if 1 %}{{ l }}{% endif %}"}},
      {Of(S::kIf), {"{% if a %}{% elif l %}{% endif %}"}},
      {Of(S::kFor),
       {"{% for x in a %}{% endfor %}", "{% for x in l %}{% endfor %}",
        "{% for x in l if x < 0 %}{% endfor %}", "{% for x, y in h.items() %}{% endfor %}"}},
      {Of(S::kSet), {"{% set x = a %}"}},
      {Of(S::kSetBlock),
       {"{% set x %}{{ a }}{% endset %}", "{% set x|upper %}{{ a }}{% endset %}"}},
      {Of(S::kMacro), {"{% macro m() %}{{ a }}{% endmacro %}{{ m() }}"}},
      {Of(S::kCall),
       {"{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}{{ a }}{% endcall %}"}},
      {Of(S::kFilter), {"{% filter upper %}{{ a }}{% endfilter %}"}},
      {Of(S::kScope), {"{% generation %}{{ a }}{% endgeneration %}"}},
      {Of(S::kBreak), {"{% for x in l %}{% break %}{% endfor %}"}},
      {Of(S::kContinue), {"{% for x in l %}{% continue %}{% endfor %}"}},
  };
  std::set<std::string> all, have;
  for (int i = 0; i <= static_cast<int>(E::kChoice); ++i) all.insert(Of(static_cast<E>(i)));
  for (int i = 0; i <= static_cast<int>(C::kNotIn); ++i) all.insert(Of(static_cast<C>(i)));
  for (int i = 0; i <= static_cast<int>(S::kContinue); ++i) all.insert(Of(static_cast<S>(i)));
  for (const Row& row : rows) {
    have.insert(row.what);
    for (const char* use : row.uses) ExpectCheap(use);
  }
  EXPECT_EQ(have, all);
}

}  // namespace
}  // namespace rondo::jinja::cost_test
