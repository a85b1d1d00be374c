#include "runtime/chat/jinja/expression_parser.h"

#include "runtime/chat/jinja/access.h"

namespace rondo::jinja {
namespace {

// Binding strengths, weakest first.
enum Level : int {
  kLevelOr = 1,
  kLevelAnd,
  kLevelNot,
  kLevelCompare,
  kLevelAdd,
  kLevelConcatenate,
  kLevelMultiply,
  kLevelHighest,
};

struct Operator {
  std::string_view text;
  Level level;
  ExprKind kind;
  Comparison comparison = {};  // of kCompare
};

constexpr Operator kOperators[] = {
    {"or", kLevelOr, ExprKind::kOr},
    {"and", kLevelAnd, ExprKind::kAnd},
    {"==", kLevelCompare, ExprKind::kCompare, Comparison::kEqual},
    {"!=", kLevelCompare, ExprKind::kCompare, Comparison::kNotEqual},
    {"<", kLevelCompare, ExprKind::kCompare, Comparison::kLess},
    {"<=", kLevelCompare, ExprKind::kCompare, Comparison::kLessEqual},
    {">", kLevelCompare, ExprKind::kCompare, Comparison::kMore},
    {">=", kLevelCompare, ExprKind::kCompare, Comparison::kMoreEqual},
    {"in", kLevelCompare, ExprKind::kCompare, Comparison::kIn},
    {"not", kLevelCompare, ExprKind::kCompare, Comparison::kNotIn},  // with `in` behind it
    {"+", kLevelAdd, ExprKind::kAdd},
    {"-", kLevelAdd, ExprKind::kSubtract},
    {"~", kLevelConcatenate, ExprKind::kConcatenate},
    {"*", kLevelMultiply, ExprKind::kMultiply},
    {"/", kLevelMultiply, ExprKind::kDivide},
    {"//", kLevelMultiply, ExprKind::kFloorDivide},
    {"%", kLevelMultiply, ExprKind::kModulo},
};

// The operator that stands between two operands at `token`; nullptr where there is none.
const Operator* FindOperator(const Token& token, const Token& next) {
  if (token.kind != TokenKind::kName && token.kind != TokenKind::kOperator) return nullptr;
  if (token.text == "not" && !next.IsName("in")) return nullptr;
  for (const Operator& op : kOperators) {
    if (token.text == op.text) return &op;
  }
  return nullptr;
}

}  // namespace

Expr* ExpressionParser::New(ExprKind kind) {
  Expr* expr = machine_.New<Expr>(kind, tokens_.current().line);
  return expr == nullptr ? &unused_ : expr;
}

const Expr* ExpressionParser::Constant(Value value) {
  Expr* expr = New(ExprKind::kConstant);
  expr->value = value;
  return expr;
}

Expr* ExpressionParser::Unary(ExprKind kind, const Expr* a) {
  Expr* expr = New(kind);
  expr->a = a;
  return expr;
}

const Expr* ExpressionParser::Parse(bool choice) {
  const Deeper deeper(machine_);
  if (!deeper.ok()) return &unused_;
  const Expr* left = ParseOperators(kLevelOr);
  while (choice && tokens_.SkipName("if")) {
    Expr* expr = Unary(ExprKind::kChoice, left);
    expr->b = ParseOperators(kLevelOr);
    if (tokens_.SkipName("else")) expr->c = Parse();
    left = expr;
  }
  return left;
}

const Expr* ExpressionParser::ParseTuple(bool choice) {
  const Expr* first = Parse(choice);
  if (!tokens_.current().IsOperator(",")) return first;
  Expr* tuple = New(ExprKind::kTuple);
  ListBuilder<const Expr*> items(machine_);
  items.Add(first);
  while (!machine_.failed() && tokens_.SkipOperator(",")) {
    const Token& token = tokens_.current();
    if (token.kind == TokenKind::kBlockEnd || token.kind == TokenKind::kVariableEnd ||
        token.IsOperator(")")) {
      break;  // a comma may end it
    }
    items.Add(Parse(choice));
  }
  tuple->list = items.list();
  return tuple;
}

const Expr* ExpressionParser::ParseTarget(bool attribute) {
  const Deeper deeper(machine_);
  if (!deeper.ok()) return &unused_;
  ListBuilder<const Expr*> items(machine_);
  bool comma = false;
  do {
    if (tokens_.SkipOperator("(")) {
      items.Add(ParseTarget(false));
      tokens_.ExpectOperator(")", "')'");
    } else {
      Expr* name = New(ExprKind::kName);
      name->name = tokens_.ExpectName("a name to assign to");
      const Expr* target = name;
      if (attribute && tokens_.SkipOperator(".")) {
        Expr* member = Unary(ExprKind::kAttribute, name);
        member->name = tokens_.ExpectName("the name of an attribute");
        target = member;
      }
      items.Add(target);
    }
    if (!tokens_.SkipOperator(",")) break;
    comma = true;
  } while (!machine_.failed() &&
           (tokens_.current().kind == TokenKind::kName || tokens_.current().IsOperator("(")) &&
           !tokens_.current().IsName("in"));
  if (!comma && items.list().size() == 1) return items.list().front();
  Expr* tuple = New(ExprKind::kTuple);
  tuple->list = items.list();
  return tuple;
}

const Expr* ExpressionParser::ParseOperators(int lowest) {
  const Deeper deeper(machine_);
  if (!deeper.ok()) return &unused_;
  const Expr* left;
  if (lowest <= kLevelNot && tokens_.SkipName("not")) {
    left = Unary(ExprKind::kNot, ParseOperators(kLevelNot));
    lowest = lowest < kLevelNot ? lowest : kLevelHighest;
  } else {
    left = ParseUnary(true);
  }
  while (!machine_.failed()) {
    const Operator* op = FindOperator(tokens_.current(), tokens_.next());
    if (op == nullptr || op->level < lowest) break;
    if (op->kind == ExprKind::kCompare) {
      left = ParseComparisons(left);
    } else if (op->kind == ExprKind::kConcatenate) {
      left = ParseConcatenation(left);
    } else {
      if (check_names_ && op->kind == ExprKind::kModulo && left->kind == ExprKind::kConstant &&
          left->value.is_string()) {
        machine_.Fail("%% does not format texts here");
      }
      tokens_.Advance();
      Expr* expr = Unary(op->kind, left);
      expr->b = ParseOperators(op->level + 1);
      left = expr;
    }
  }
  return left;
}

const Expr* ExpressionParser::ParseComparisons(const Expr* left) {
  Expr* expr = Unary(ExprKind::kCompare, left);
  ListBuilder<ComparisonStep> steps(machine_);
  while (!machine_.failed()) {
    const Operator* op = FindOperator(tokens_.current(), tokens_.next());
    if (op == nullptr || op->kind != ExprKind::kCompare) break;
    tokens_.Advance();
    if (op->comparison == Comparison::kNotIn) tokens_.Advance();
    steps.Add({op->comparison, ParseOperators(kLevelAdd)});
  }
  expr->comparisons = steps.list();
  return expr;
}

const Expr* ExpressionParser::ParseConcatenation(const Expr* left) {
  Expr* expr = New(ExprKind::kConcatenate);
  ListBuilder<const Expr*> parts(machine_);
  parts.Add(left);
  while (!machine_.failed() && tokens_.SkipOperator("~")) {
    parts.Add(ParseOperators(kLevelConcatenate + 1));
  }
  expr->list = parts.list();
  return expr;
}

const Expr* ExpressionParser::ParseUnary(bool with_filters) {
  const Deeper deeper(machine_);
  if (!deeper.ok()) return &unused_;
  const Expr* expr;
  if (tokens_.SkipOperator("-")) {
    expr = Unary(ExprKind::kNegative, ParseUnary(false));
  } else if (tokens_.SkipOperator("+")) {
    expr = Unary(ExprKind::kPositive, ParseUnary(false));
  } else {
    expr = ParsePrimary();
  }
  return ParsePostfix(expr, with_filters);
}

const Expr* ExpressionParser::ParsePrimary() {
  const Token token = tokens_.current();
  if (token.kind == TokenKind::kName) return ParseName();
  if (token.kind == TokenKind::kString) return ParseStrings();
  if (token.IsOperator("(")) return ParseParentheses();
  if (token.IsOperator("[")) return ParseListUntil(ExprKind::kList, "]", "',' or ']'");
  if (token.IsOperator("{")) return ParseListUntil(ExprKind::kDict, "}", "',' or '}'");
  const bool integral = token.kind == TokenKind::kInteger;
  if (!integral && token.kind != TokenKind::kFloat) tokens_.Unexpected("an expression");
  tokens_.Advance();
  return Constant(integral ? Value::Int(token.integer) : Value::Float(token.number));
}

const Expr* ExpressionParser::ParseName() {
  const std::string_view name = tokens_.current().text;
  tokens_.Advance();
  if (name == "true" || name == "True") return Constant(Value::Bool(true));
  if (name == "false" || name == "False") return Constant(Value::Bool(false));
  if (name == "none" || name == "None") return Constant(Value::None());
  Expr* expr = New(ExprKind::kName);
  expr->name = name;
  return expr;
}

// Strings that follow each other are one.
const Expr* ExpressionParser::ParseStrings() {
  Value value = ViewString(machine_, tokens_.current().text);
  tokens_.Advance();
  while (!machine_.failed() && tokens_.current().kind == TokenKind::kString) {
    value = Concatenate(machine_, *value.text, tokens_.current().text);
    tokens_.Advance();
  }
  return Constant(value);
}

const Expr* ExpressionParser::ParseParentheses() {
  tokens_.Advance();
  const bool empty = tokens_.current().IsOperator(")");
  const Expr* expr = empty ? New(ExprKind::kTuple) : ParseTuple();
  tokens_.ExpectOperator(")", "')'");
  return expr;
}

// The items of a list, or the keys and values of a dict.
const Expr* ExpressionParser::ParseListUntil(ExprKind kind, std::string_view close,
                                             const char* expected) {
  Expr* expr = New(kind);
  tokens_.Advance();
  ListBuilder<const Expr*> items(machine_);
  while (!machine_.failed() && !tokens_.current().IsOperator(close)) {
    items.Add(Parse());
    if (kind == ExprKind::kDict) {
      tokens_.ExpectOperator(":", "':' after a key");
      items.Add(Parse());
    }
    if (!tokens_.SkipOperator(",")) break;
  }
  tokens_.ExpectOperator(close, expected);
  expr->list = items.list();
  return expr;
}

const Expr* ExpressionParser::ParseCall(const Expr* callee) {
  if (check_names_ && callee->kind == ExprKind::kAttribute) {  // of which type is not known here
    for (const Kind kind : {Kind::kString, Kind::kList, Kind::kDict, Kind::kLoop}) {
      if (!IsUnknownMethod(kind, callee->name)) continue;
      machine_.Fail("unknown method '%s'", machine_.Clip(callee->name));
    }
  }
  Expr* call = Unary(ExprKind::kCall, callee);
  call->arguments = ParseArguments();
  return call;
}

// Behind a filter or a test, attributes and items need parentheses.
const Expr* ExpressionParser::ParsePostfix(const Expr* left, bool with_filters) {
  for (bool filtered = false; !machine_.failed();) {
    const Token& token = tokens_.current();
    if (token.IsOperator("(")) {
      left = ParseCall(left);
    } else if (!filtered && token.IsOperator(".")) {
      left = ParseAttribute(left);
    } else if (!filtered && token.IsOperator("[")) {
      left = ParseSubscript(left);
    } else if (with_filters && tokens_.SkipOperator("|")) {
      left = ParseFilters(left);
      filtered = true;
    } else if (with_filters && tokens_.SkipName("is")) {
      left = ParseTest(left);
      filtered = true;
    } else {
      break;
    }
  }
  return left;
}

const Expr* ExpressionParser::ParseFilters(const Expr* subject) {
  do {
    Expr* filter = Unary(ExprKind::kFilter, subject);
    filter->name = ParseBuiltinName("filter", FindFilter);
    if (tokens_.current().IsOperator("(")) filter->arguments = ParseArguments();
    subject = filter;
  } while (!machine_.failed() && tokens_.SkipOperator("|"));
  return subject;
}

const Expr* ExpressionParser::ParseTest(const Expr* left) {
  const bool negated = tokens_.SkipName("not");
  Expr* test = Unary(ExprKind::kTest, left);
  test->name = ParseBuiltinName("test", FindTest);
  const Token& token = tokens_.current();
  if (token.IsOperator("(")) {
    test->arguments = ParseArguments();
  } else if (token.IsName("is")) {
    machine_.Fail("tests cannot be chained with is");
  } else if ((token.kind == TokenKind::kName && token.text != "else" && token.text != "or" &&
              token.text != "and") ||
             token.kind == TokenKind::kString || token.kind == TokenKind::kInteger ||
             token.kind == TokenKind::kFloat || token.IsOperator("[") || token.IsOperator("{")) {
    ListBuilder<const Expr*> argument(machine_);
    argument.Add(ParsePostfix(ParsePrimary(), false));
    test->arguments.positional = argument.list();
  }
  return negated ? Unary(ExprKind::kNot, test) : test;
}

const Expr* ExpressionParser::ParseAttribute(const Expr* left) {
  tokens_.Advance();
  if (tokens_.current().kind == TokenKind::kInteger) {
    Expr* item = Unary(ExprKind::kItem, left);
    item->b = ParsePrimary();
    return item;
  }
  Expr* attribute = Unary(ExprKind::kAttribute, left);
  attribute->name = tokens_.ExpectName("a name or number after '.'");
  attribute->value = ViewString(machine_, attribute->name);
  attribute->is_key = !DictHasAttribute(attribute->name);
  return attribute;
}

const Expr* ExpressionParser::ParseSubscript(const Expr* left) {
  const auto parse_part = [this]() -> const Expr* {
    const Token& token = tokens_.current();
    return token.IsOperator(":") || token.IsOperator("]") ? nullptr : Parse();
  };
  tokens_.Advance();
  Expr* expr = Unary(ExprKind::kItem, left);
  expr->b = parse_part();
  if (tokens_.SkipOperator(":")) {
    expr->kind = ExprKind::kSlice;
    expr->c = parse_part();
    if (tokens_.SkipOperator(":")) expr->d = parse_part();
  } else if (expr->b == nullptr) {
    tokens_.Unexpected("an index");
  }
  tokens_.ExpectOperator("]", "']'");
  return expr;
}

CallArguments ExpressionParser::ParseArguments() {
  CallArguments arguments;
  ListBuilder<const Expr*> positional(machine_);
  ListBuilder<KeywordArgument> named(machine_);
  tokens_.Advance();
  while (!machine_.failed() && !tokens_.current().IsOperator(")")) {
    if (tokens_.SkipOperator("*")) {
      arguments.rest = Parse();
    } else if (tokens_.current().kind == TokenKind::kName && tokens_.next().IsOperator("=")) {
      const std::string_view name = tokens_.current().text;
      tokens_.Advance();
      tokens_.Advance();
      named.Add({name, Parse()});
    } else if (!named.list().empty()) {
      tokens_.Unexpected("no positional argument after one with a name");
    } else {
      positional.Add(Parse());
    }
    if (!tokens_.SkipOperator(",")) break;
  }
  tokens_.ExpectOperator(")", "',' or ')'");
  arguments.positional = positional.list();
  arguments.named = named.list();
  return arguments;
}

std::string_view ExpressionParser::ParseBuiltinName(const char* what, FindBuiltin find) {
  const std::string_view name = tokens_.ExpectName("the name of a filter or test");
  if (check_names_ && find(name) == nullptr) {
    machine_.Fail("unknown %s '%s'", what, machine_.Clip(name));
  }
  return name;
}

}  // namespace rondo::jinja
