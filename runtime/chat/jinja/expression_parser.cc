#include "runtime/chat/jinja/expression_parser.h"

#include "runtime/chat/jinja/builtins.h"

namespace rondo::jinja {
namespace {

const Expr kNothing = {};

// Binding strengths, weakest first.
enum Level : int {
  kNoOperator = 0,
  kLevelOr,
  kLevelAnd,
  kLevelNot,
  kLevelCompare,
  kLevelAdd,
  kLevelConcatenate,
  kLevelMultiply,
  kLevelHighest,
};

struct Operator {
  Level level;
  ExprKind kind;
};

Operator BinaryOperator(const Token& token) {
  if (token.IsName("or")) return {kLevelOr, ExprKind::kOr};
  if (token.IsName("and")) return {kLevelAnd, ExprKind::kAnd};
  if (token.IsOperator("+")) return {kLevelAdd, ExprKind::kAdd};
  if (token.IsOperator("-")) return {kLevelAdd, ExprKind::kSubtract};
  if (token.IsOperator("~")) return {kLevelConcatenate, ExprKind::kConcatenate};
  if (token.IsOperator("*")) return {kLevelMultiply, ExprKind::kMultiply};
  if (token.IsOperator("/")) return {kLevelMultiply, ExprKind::kDivide};
  if (token.IsOperator("//")) return {kLevelMultiply, ExprKind::kFloorDivide};
  if (token.IsOperator("%")) return {kLevelMultiply, ExprKind::kModulo};
  return {kNoOperator, ExprKind::kConstant};
}

// Whether a comparison stands at `token`; `not in` is two tokens.
bool IsComparison(const Token& token, const Token& next, Comparison* op) {
  struct Name {
    std::string_view text;
    Comparison op;
  };
  static constexpr Name kNames[] = {{"==", Comparison::kEqual}, {"!=", Comparison::kNotEqual},
                                    {"<", Comparison::kLess},   {"<=", Comparison::kLessEqual},
                                    {">", Comparison::kMore},   {">=", Comparison::kMoreEqual}};
  for (const Name& name : kNames) {
    if (!token.IsOperator(name.text)) continue;
    *op = name.op;
    return true;
  }
  *op = token.IsName("in") ? Comparison::kIn : Comparison::kNotIn;
  return token.IsName("in") || (token.IsName("not") && next.IsName("in"));
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
  if (!deeper.ok()) return &kNothing;
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
  if (!deeper.ok()) return &kNothing;
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
  if (!deeper.ok()) return &kNothing;
  const Expr* left;
  if (lowest <= kLevelNot && tokens_.SkipName("not")) {
    left = Unary(ExprKind::kNot, ParseOperators(kLevelNot));
    lowest = lowest < kLevelNot ? lowest : kLevelHighest;
  } else {
    left = ParseUnary(true);
  }
  while (!machine_.failed()) {
    Comparison comparison;
    if (IsComparison(tokens_.current(), tokens_.next(), &comparison)) {
      if (lowest > kLevelCompare) break;
      left = ParseComparisons(left);
      continue;
    }
    const Operator op = BinaryOperator(tokens_.current());
    if (op.level == kNoOperator || op.level < lowest) break;
    if (op.level == kLevelConcatenate) {
      left = ParseConcatenation(left);
      continue;
    }
    tokens_.Advance();
    if (check_names_ && op.kind == ExprKind::kModulo && left->kind == ExprKind::kConstant &&
        left->value.is_string()) {
      machine_.Fail("%% does not format texts here");
    }
    Expr* expr = Unary(op.kind, left);
    expr->b = ParseOperators(op.level + 1);
    left = expr;
  }
  return left;
}

const Expr* ExpressionParser::ParseComparisons(const Expr* left) {
  Expr* expr = Unary(ExprKind::kCompare, left);
  ListBuilder<ComparisonStep> steps(machine_);
  Comparison op;
  while (!machine_.failed() && IsComparison(tokens_.current(), tokens_.next(), &op)) {
    tokens_.Advance();
    if (op == Comparison::kNotIn) tokens_.Advance();
    steps.Add({op, ParseOperators(kLevelAdd)});
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
  if (!deeper.ok()) return &kNothing;
  const Expr* expr;
  if (tokens_.SkipOperator("-")) {
    expr = Unary(ExprKind::kNegative, ParseUnary(false));
  } else if (tokens_.SkipOperator("+")) {
    expr = Unary(ExprKind::kPositive, ParseUnary(false));
  } else {
    expr = ParsePrimary();
  }
  expr = ParsePostfix(expr);
  return with_filters ? ParseFiltersAndTests(expr) : expr;
}

const Expr* ExpressionParser::ParsePrimary() {
  const Token token = tokens_.current();
  switch (token.kind) {
    case TokenKind::kName:
      return ParseName();
    case TokenKind::kString:
      return ParseStrings();
    case TokenKind::kInteger:
      tokens_.Advance();
      return Constant(Value::Int(token.integer));
    case TokenKind::kFloat:
      tokens_.Advance();
      return Constant(Value::Float(token.number));
    default:
      break;
  }
  if (token.IsOperator("(")) return ParseParentheses();
  if (token.IsOperator("[")) return ParseListUntil(ExprKind::kList, "]", "',' or ']'");
  if (token.IsOperator("{")) return ParseListUntil(ExprKind::kDict, "}", "',' or '}'");
  tokens_.Unexpected("an expression");
  return &kNothing;
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
  const Expr* expr;
  if (tokens_.current().IsOperator(")")) {
    expr = New(ExprKind::kTuple);
  } else {
    expr = ParseTuple();
  }
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

// A method's name, where all names are checked; of which type it will be is not known here.
void ExpressionParser::CheckMethod(const Expr& callee) {
  if (!check_names_ || callee.kind != ExprKind::kAttribute) return;
  for (const Kind kind : {Kind::kString, Kind::kList, Kind::kDict, Kind::kLoop}) {
    if (!IsUnknownMethod(kind, callee.name)) continue;
    machine_.Fail("unknown method '%s'", machine_.Clip(callee.name));
  }
}

const Expr* ExpressionParser::ParseCall(const Expr* callee) {
  CheckMethod(*callee);
  Expr* call = Unary(ExprKind::kCall, callee);
  call->arguments = ParseArguments();
  return call;
}

const Expr* ExpressionParser::ParsePostfix(const Expr* left) {
  while (!machine_.failed()) {
    const Token& token = tokens_.current();
    if (token.IsOperator(".")) {
      left = ParseAttribute(left);
    } else if (token.IsOperator("[")) {
      left = ParseSubscript(left);
    } else if (token.IsOperator("(")) {
      left = ParseCall(left);
    } else {
      break;
    }
  }
  return left;
}

const Expr* ExpressionParser::ParseFiltersAndTests(const Expr* left) {
  while (!machine_.failed()) {
    const Token& token = tokens_.current();
    if (token.IsOperator("|")) {
      left = ParseFilters(left, false);
    } else if (token.IsName("is")) {
      left = ParseTest(left);
    } else if (token.IsOperator("(")) {
      left = ParseCall(left);
    } else {
      break;
    }
  }
  return left;
}

const Expr* ExpressionParser::ParseFilters(const Expr* subject, bool starts_inline) {
  while (!machine_.failed() && (starts_inline || tokens_.SkipOperator("|"))) {
    starts_inline = false;
    Expr* filter = Unary(ExprKind::kFilter, subject);
    filter->name = ParseDottedName("the name of a filter");
    if (check_names_ && !machine_.failed() && FindFilter(filter->name) == nullptr) {
      machine_.Fail("unknown filter '%s'", machine_.Clip(filter->name));
    }
    if (tokens_.current().IsOperator("(")) filter->arguments = ParseArguments();
    subject = filter;
  }
  return subject;
}

const Expr* ExpressionParser::ParseTest(const Expr* left) {
  tokens_.Advance();
  const bool negated = tokens_.SkipName("not");
  Expr* test = Unary(ExprKind::kTest, left);
  test->name = ParseDottedName("the name of a test");
  if (check_names_ && !machine_.failed() && FindTest(test->name) == nullptr) {
    machine_.Fail("unknown test '%s'", machine_.Clip(test->name));
  }
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
    argument.Add(ParsePostfix(ParsePrimary()));
    test->arguments.positional = argument.list();
  }
  return negated ? Unary(ExprKind::kNot, test) : test;
}

const Expr* ExpressionParser::ParseAttribute(const Expr* left) {
  tokens_.Advance();
  const Token token = tokens_.current();
  if (token.kind == TokenKind::kInteger) {
    tokens_.Advance();
    Expr* item = Unary(ExprKind::kItem, left);
    item->b = Constant(Value::Int(token.integer));
    return item;
  }
  Expr* attribute = Unary(ExprKind::kAttribute, left);
  attribute->name = tokens_.ExpectName("a name or number after '.'");
  attribute->value = ViewString(machine_, attribute->name);
  return attribute;
}

const Expr* ExpressionParser::ParseSubscriptPart() {
  const Token& token = tokens_.current();
  if (token.IsOperator(":") || token.IsOperator("]") || token.IsOperator(",")) return nullptr;
  return Parse();
}

const Expr* ExpressionParser::ParseSubscript(const Expr* left) {
  tokens_.Advance();
  Expr* expr = Unary(ExprKind::kItem, left);
  expr->b = ParseSubscriptPart();
  if (tokens_.SkipOperator(":")) {
    expr->kind = ExprKind::kSlice;
    expr->c = ParseSubscriptPart();
    if (tokens_.SkipOperator(":")) expr->d = ParseSubscriptPart();
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

// Dots are a part of the name.
std::string_view ExpressionParser::ParseDottedName(const char* expected) {
  std::string_view name = tokens_.ExpectName(expected);
  while (!machine_.failed() && tokens_.SkipOperator(".")) {
    const std::string_view part = tokens_.ExpectName(expected);
    name = {name.data(), static_cast<size_t>(part.data() + part.size() - name.data())};
  }
  return name;
}

}  // namespace rondo::jinja
