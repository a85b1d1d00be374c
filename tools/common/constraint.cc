#include "tools/common/constraint.h"

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
}

Grammar MakeGrammar(rondo_model* model, const rondo_grammar_options& options,
                    const std::string& text, const std::string& name) {
  rondo_grammar* grammar = nullptr;
  char why[256];
  const int32_t status = rondo_grammar_create(model, &options, text.data(), text.size(), nullptr, 0,
                                              &grammar, why, sizeof why);
  if (status != RONDO_STATUS_OK) throw Error(name + ": " + why);
  return Grammar(grammar);
}

Grammar OpenConstraint(const ConstraintWish& wish, rondo_model* model, SessionSetup* setup) {
  rondo_grammar_options options;
  rondo_grammar_options_init(&options, sizeof options);
  Grammar grammar;
  if (!wish.json_schema.empty()) {
    options.kind = RONDO_GRAMMAR_JSON_SCHEMA;
    grammar =
        MakeGrammar(model, options, ReadFile("the schema", wish.json_schema), wish.json_schema);
  } else if (!wish.regex.empty()) {
    options.kind = RONDO_GRAMMAR_PATTERN;
    grammar = MakeGrammar(model, options, wish.regex, "--regex");
  } else if (!wish.grammar.empty()) {
    options.kind = RONDO_GRAMMAR_GBNF;
    grammar = MakeGrammar(model, options, ReadFile("the grammar", wish.grammar), wish.grammar);
  }
  setup->options.grammar = grammar.get();
  return grammar;
}

}  // namespace rondo::tools
