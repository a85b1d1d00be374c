#include "tools/dialogue/call_grammar.h"

#include <string>

#include <nlohmann/json.hpp>

#include "tools/common/numbers.h"
#include "tools/dialogue/json_text.h"

namespace rondo::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kOption = "--tools";

Grammar ReadRules(const Model& model, const std::string& text, int32_t kind,
                  const std::string& name) {
  GrammarOptions options;
  options.kind = kind;
  options.flags = SchemaFlags(false);
  return MakeGrammar(model, &options, text, name);
}

// The schema of a function, which chat templates have in its "function".
Json SchemaOf(const Json& function) {
  const Json none = Json::object();
  return function.value("function", function).value("parameters", none);
}

std::string NameOf(const Json& function) {
  return function.value("function", function).value("name", "");
}

bool Fits(const Model& model, Chat chat, const Json& functions, size_t count) {
  const Json first(functions.begin(), functions.begin() + static_cast<std::ptrdiff_t>(count));
  chat.tools = first.dump();
  try {
    ReadRules(model, model.ChatGrammar(chat), RONDO_GRAMMAR_GBNF, kOption);
  } catch (const std::runtime_error&) {
    return false;
  }
  return true;
}

// Says of rules that are refused what of the user's own file it is.
[[noreturn]] void Refuse(const Model& model, const Chat& chat, const std::string& why) {
  const Json functions = ParseJson(chat.tools);
  for (const Json& function : functions) {
    ReadRules(model, SchemaOf(function).dump(), RONDO_GRAMMAR_JSON_SCHEMA,
              std::string(kOption) + ": " + NameOf(function));
  }
  size_t fits = 0, too_many = functions.size();
  while (too_many - fits > 1) {
    const size_t middle = (fits + too_many) / 2;
    (Fits(model, chat, functions, middle) ? fits : too_many) = middle;
  }
  if (functions.size() < 2) throw Error(why);
  Fail(kOption, ": the schemas of ", FormatCount(functions.size(), "function"),
       " are too large for one grammar: the first ", fits, " of them fit");
}

}  // namespace

Grammar CallGrammar(const Model& model, const Chat& chat) {
  const std::string rules = model.ChatGrammar(chat);
  try {
    return ReadRules(model, rules, RONDO_GRAMMAR_GBNF, kOption);
  } catch (const Error& error) {
    Refuse(model, chat, error.what());
  }
}

}  // namespace rondo::tools
