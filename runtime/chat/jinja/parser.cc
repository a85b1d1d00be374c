#include "runtime/chat/jinja/parser.h"

#include <initializer_list>

#include "runtime/chat/jinja/expression_parser.h"

namespace rondo::jinja {
namespace {

class Parser {
 public:
  Parser(Machine& machine, std::string_view source, bool check_names)
      : machine_(machine), tokens_(machine, source), expressions_(machine, tokens_, check_names) {}

  const Statement* Run() { return ParseBody({}, "the end of the template"); }

 private:
  // Statements up to a tag whose name is one of `ends`; stands at that name then. With no ends: up
  // to the end of the template.
  const Statement* ParseBody(std::initializer_list<std::string_view> ends, const char* expected) {
    const Deeper deeper(machine_);
    Statement* first = nullptr;
    Statement** last = &first;
    while (!machine_.failed()) {
      const Token token = tokens_.current();
      Statement* statement = nullptr;
      switch (token.kind) {
        case TokenKind::kEnd:
          if (ends.size() > 0) tokens_.Unexpected(expected);
          return first;
        case TokenKind::kData:
          statement = New(StatementKind::kText);
          tokens_.Advance();
          break;
        case TokenKind::kVariableBegin:
          statement = ParseOutput();
          break;
        default:  // a block: nothing else follows text
          tokens_.Advance();
          for (std::string_view end : ends) {
            if (tokens_.current().IsName(end)) return first;
          }
          statement = ParseBlock(expected);
      }
      if (statement == nullptr || machine_.failed()) return nullptr;
      if (token.kind == TokenKind::kData) statement->text = token.text;
      *last = statement;
      last = &statement->next;
    }
    return nullptr;
  }

  Statement* New(StatementKind kind) {
    return machine_.New<Statement>(kind, tokens_.current().line);
  }

  void EndBlock() {
    if (!tokens_.Skip(TokenKind::kBlockEnd)) tokens_.Unexpected("the end of the tag");
  }
  // Stands at the name of the end tag.
  void EndBlockNamed() {
    tokens_.Advance();
    EndBlock();
  }

  Statement* ParseOutput() {
    Statement* output = New(StatementKind::kOutput);
    tokens_.Advance();
    if (output == nullptr) return nullptr;
    output->value = expressions_.ParseTuple();
    if (!tokens_.Skip(TokenKind::kVariableEnd)) tokens_.Unexpected("}}");
    return output;
  }

  // Behind "{%".
  Statement* ParseBlock(const char* expected) {
    const std::string_view name = tokens_.current().text;
    if (tokens_.current().kind != TokenKind::kName) {
      tokens_.Unexpected("the name of a tag");
      return nullptr;
    }
    if (name == "for") return ParseFor();
    if (name == "if") return ParseIf();
    if (name == "set") return ParseSet();
    if (name == "macro") return ParseMacro();
    if (name == "call") return ParseCall();
    if (name == "filter") return ParseFilter();
    if (name == "generation") return ParseGeneration();
    if (name == "break") return ParseJump(StatementKind::kBreak);
    if (name == "continue") return ParseJump(StatementKind::kContinue);
    machine_.Fail("unknown tag '%s', expected a statement or %s", machine_.Clip(name), expected);
    return nullptr;
  }

  Statement* ParseFor() {
    Statement* loop = New(StatementKind::kFor);
    tokens_.Advance();
    if (loop == nullptr) return nullptr;
    loop->target = expressions_.ParseTarget(false);
    if (!tokens_.SkipName("in")) tokens_.Unexpected("'in'");
    loop->value = expressions_.ParseTuple(false);
    if (tokens_.SkipName("if")) loop->condition = expressions_.Parse();
    EndBlock();
    ++loops_;
    loop->body = ParseBody({"endfor", "else"}, "endfor");
    --loops_;
    if (tokens_.current().IsName("else")) {
      EndBlockNamed();
      loop->otherwise = ParseBody({"endfor"}, "endfor");
    }
    EndBlockNamed();
    return loop;
  }

  Statement* ParseIf() {
    Statement* first = New(StatementKind::kIf);
    for (Statement* branch = first; branch != nullptr && !machine_.failed();) {
      tokens_.Advance();
      branch->value = expressions_.ParseTuple(false);
      EndBlock();
      branch->body = ParseBody({"elif", "else", "endif"}, "elif, else or endif");
      Statement* next = nullptr;
      if (tokens_.current().IsName("elif")) {
        next = New(StatementKind::kIf);
        branch->otherwise = next;
      } else {
        if (tokens_.current().IsName("else")) {
          EndBlockNamed();
          branch->otherwise = ParseBody({"endif"}, "endif");
        }
        EndBlockNamed();
      }
      branch = next;
    }
    return first;
  }

  Statement* ParseSet() {
    Statement* set = New(StatementKind::kSet);
    tokens_.Advance();
    if (set == nullptr) return nullptr;
    set->target = expressions_.ParseTarget(true);
    if (tokens_.SkipOperator("=")) {
      set->value = expressions_.ParseTuple();
      EndBlock();
      return set;
    }
    set->kind = StatementKind::kSetBlock;
    if (tokens_.SkipOperator("|")) set->value = expressions_.ParseFilters(nullptr);
    EndBlock();
    set->body = ParseBody({"endset"}, "endset");
    EndBlockNamed();
    return set;
  }

  std::span<const Parameter> ParseParameters() {
    ListBuilder<Parameter> parameters(machine_);
    tokens_.ExpectOperator("(", "'('");
    while (!machine_.failed() && !tokens_.current().IsOperator(")")) {
      Parameter parameter = {tokens_.ExpectName("the name of a parameter"), nullptr};
      if (tokens_.SkipOperator("=")) {
        parameter.fallback = expressions_.Parse();
      } else if (!parameters.list().empty() && parameters.list().back().fallback != nullptr) {
        machine_.Fail("a parameter without a default follows one with a default");
      }
      parameters.Add(parameter);
      if (!tokens_.SkipOperator(",")) break;
    }
    tokens_.ExpectOperator(")", "',' or ')'");
    return parameters.list();
  }

  // A body that no loop around it is for.
  const Statement* ParseBodyOutsideOfLoops(std::string_view end, const char* expected) {
    const int loops = loops_;
    loops_ = 0;
    const Statement* body = ParseBody({end}, expected);
    loops_ = loops;
    EndBlockNamed();
    return body;
  }

  Statement* ParseMacro() {
    Statement* statement = New(StatementKind::kMacro);
    auto* macro = machine_.New<MacroDefinition>(std::string_view());
    tokens_.Advance();
    if (statement == nullptr || macro == nullptr) return nullptr;
    macro->name = tokens_.ExpectName("the macro's name");
    macro->parameters = ParseParameters();
    EndBlock();
    macro->body = ParseBodyOutsideOfLoops("endmacro", "endmacro");
    statement->macro = macro;
    return statement;
  }

  Statement* ParseCall() {
    Statement* statement = New(StatementKind::kCall);
    auto* macro = machine_.New<MacroDefinition>("caller");
    tokens_.Advance();
    if (statement == nullptr || macro == nullptr) return nullptr;
    if (tokens_.current().IsOperator("(")) macro->parameters = ParseParameters();
    statement->value = expressions_.Parse();
    if (!machine_.failed() && statement->value->kind != ExprKind::kCall) {
      tokens_.Unexpected("a call");
    }
    EndBlock();
    macro->body = ParseBodyOutsideOfLoops("endcall", "endcall");
    statement->macro = macro;
    return statement;
  }

  Statement* ParseFilter() {
    Statement* filter = New(StatementKind::kFilter);
    tokens_.Advance();
    if (filter == nullptr) return nullptr;
    filter->value = expressions_.ParseFilters(nullptr);
    EndBlock();
    filter->body = ParseBody({"endfilter"}, "endfilter");
    EndBlockNamed();
    return filter;
  }

  // Marks what an assistant says, for those who train on it: its text, here.
  Statement* ParseGeneration() {
    Statement* scope = New(StatementKind::kScope);
    EndBlockNamed();
    if (scope == nullptr) return nullptr;
    scope->body = ParseBodyOutsideOfLoops("endgeneration", "endgeneration");
    return scope;
  }

  Statement* ParseJump(StatementKind kind) {
    Statement* jump = New(kind);
    if (loops_ == 0) machine_.Fail("break and continue stand outside of a loop");
    EndBlockNamed();
    return jump;
  }

  Machine& machine_;
  TokenStream tokens_;
  ExpressionParser expressions_;
  int loops_ = 0;  // around the statement, up to the macro's beginning
};

}  // namespace

const Statement* ParseTemplate(Machine& machine, std::string_view source, bool check_names) {
  const Statement* first = Parser(machine, source, check_names).Run();
  machine.line = 0;
  return machine.failed() ? nullptr : first;
}

}  // namespace rondo::jinja
