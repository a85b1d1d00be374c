#include "tools/common/constraint.h"

#include <algorithm>

#include "tools/common/flags.h"
#include "tools/common/options.h"
#include "tools/common/text_io.h"

namespace rondo::tools {

void AddConstraintFlags(CLI::App* command, ConstraintWish* wish) {
  CLI::Option* schema =
      AddFile(command, "--json-schema", &wish->json_schema,
              "The text is JSON that is valid by the schema in FILE; default: any text")
          ->group(kTextGroup);
  CLI::Option* regex =
      command
          ->add_option("--regex", wish->regex,
                       "The text is what this regular expression matches whole; default: any text")
          ->type_name("REGEX")
          ->check([](const std::string& text) {
            return text.empty() ? std::string("it is empty") : std::string();
          })
          ->excludes(schema)
          ->group(kTextGroup);
  AddFile(command, "--grammar", &wish->grammar,
          "The text is one of the rules in FILE, in GBNF; default: any text")
      ->excludes(schema)
      ->excludes(regex)
      ->group(kTextGroup);
  AddAnyJsonFlag(command, &wish->any_json);
}

void AddAnyJsonFlag(CLI::App* command, bool* any_json) {
  command
      ->add_flag(
          "--any-json", *any_json,
          "Write all JSON that is valid by a schema, also with other spaces than one behind : "
          "and , with line ends, and with members that the schema does not name")
      ->group(kTextGroup);
}

uint32_t SchemaFlags(bool any_json) {
  return any_json ? 0 : RONDO_SCHEMA_ONE_SPACE | RONDO_SCHEMA_NAMED_ONLY;
}

Grammar MakeGrammar(const Model& model, GrammarOptions* options, const std::string& text,
                    const std::string& name) {
  constexpr uint64_t kLeast = uint64_t{32} << 20, kMost = uint64_t{1} << 30;
  for (;;) {
    try {
      return Grammar(model, text, *options);
    } catch (const rondo::Error& error) {
      if (error.status() != RONDO_STATUS_OUT_OF_MEMORY || options->memory_bytes == kMost) {
        throw Error(name + ": " + error.what());
      }
      options->memory_bytes = std::clamp(4 * options->memory_bytes, kLeast, kMost);
    }
  }
}

std::optional<Grammar> OpenConstraint(const ConstraintWish& wish, const Model& model) {
  GrammarOptions options;
  options.flags = SchemaFlags(wish.any_json);
  if (!wish.json_schema.empty()) {
    options.kind = RONDO_GRAMMAR_JSON_SCHEMA;
    return MakeGrammar(model, &options, ReadTextFile("the schema", wish.json_schema),
                       wish.json_schema);
  }
  if (!wish.grammar.empty()) {
    options.kind = RONDO_GRAMMAR_GBNF;
    return MakeGrammar(model, &options, ReadTextFile("the grammar", wish.grammar), wish.grammar);
  }
  if (wish.regex.empty()) return std::nullopt;
  options.kind = RONDO_GRAMMAR_PATTERN;
  options.flags = 0;
  return MakeGrammar(model, &options, wish.regex, "--regex");
}

}  // namespace rondo::tools
