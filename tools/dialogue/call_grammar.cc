#include "tools/dialogue/call_grammar.h"

#include <string>

#include <nlohmann/json.hpp>

#include "tools/common/numbers.h"
#include "tools/dialogue/json_text.h"

namespace rondo::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kOption = "--tools";

// The rules, in GBNF.
std::string CallRules(const rondo_model* model, const rondo_chat_options& options) {
  char why[256] = "";
  size_t length = 0;
  const auto write = [&](char* buffer, size_t capacity) {
    return rondo_chat_grammar(model, &options, RONDO_CALLS_AUTO, nullptr, buffer, capacity, &length,
                              why, sizeof why);
  };
  const int32_t asked = write(nullptr, 0);
  if (asked != RONDO_STATUS_BUFFER_TOO_SMALL) throw Error(why);
  std::string text(length + 1, '\0');
  if (write(text.data(), text.size()) != RONDO_STATUS_OK) throw Error(why);
  text.resize(length);
  return text;
}

Grammar ReadRules(rondo_model* model, const std::string& text, int32_t kind,
                  const std::string& name) {
  rondo_grammar_options options;
  rondo_grammar_options_init(&options, sizeof options);
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

bool Fits(rondo_model* model, rondo_chat_options options, const Json& functions, size_t count) {
  const Json first(functions.begin(), functions.begin() + static_cast<std::ptrdiff_t>(count));
  const std::string json = first.dump();
  options.tools = json.data();
  options.tools_bytes = json.size();
  try {
    ReadRules(model, CallRules(model, options), RONDO_GRAMMAR_GBNF, kOption);
  } catch (const Error&) {
    return false;
  }
  return true;
}

// Says of rules that are refused what of the user's own file it is.
[[noreturn]] void Refuse(rondo_model* model, const rondo_chat_options& options,
                         const std::string& why) {
  const Json functions = ParseJson({options.tools, options.tools_bytes});
  for (const Json& function : functions) {
    ReadRules(model, SchemaOf(function).dump(), RONDO_GRAMMAR_JSON_SCHEMA,
              std::string(kOption) + ": " + NameOf(function));
  }
  size_t fits = 0, too_many = functions.size();
  while (too_many - fits > 1) {
    const size_t middle = (fits + too_many) / 2;
    (Fits(model, options, functions, middle) ? fits : too_many) = middle;
  }
  if (functions.size() < 2) throw Error(why);
  Fail(kOption, ": the schemas of ", FormatCount(functions.size(), "function"),
       " are too large for one grammar: the first ", fits, " of them fit");
}

}  // namespace

Grammar CallGrammar(rondo_model* model, const rondo_chat_options& options) {
  const std::string rules = CallRules(model, options);
  try {
    return ReadRules(model, rules, RONDO_GRAMMAR_GBNF, kOption);
  } catch (const Error& error) {
    Refuse(model, options, error.what());
  }
}

}  // namespace rondo::tools
