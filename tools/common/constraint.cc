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
  command
      ->add_option("--pattern", wish->pattern,
                   "The text is what this regular expression matches whole; default: any text")
      ->type_name("REGEX")
      ->excludes(schema)
      ->group(kTextGroup);
}

Grammar OpenConstraint(const ConstraintWish& wish, rondo_model* model, SessionSetup* setup) {
  if (wish.json_schema.empty() && wish.pattern.empty()) return nullptr;
  const bool is_pattern = wish.json_schema.empty();
  const std::string text = is_pattern ? wish.pattern : ReadFile("the schema", wish.json_schema);
  rondo_grammar_options options;
  rondo_grammar_options_init(&options, sizeof options);
  options.kind = is_pattern ? RONDO_GRAMMAR_PATTERN : RONDO_GRAMMAR_JSON_SCHEMA;
  rondo_grammar* grammar = nullptr;
  char why[256];
  const int32_t status = rondo_grammar_create(model, &options, text.data(), text.size(), nullptr, 0,
                                              &grammar, why, sizeof why);
  if (status != RONDO_STATUS_OK) {
    throw Error((is_pattern ? "--pattern: " : wish.json_schema + ": ") + std::string(why));
  }
  setup->options.grammar = grammar;
  return Grammar(grammar);
}

}  // namespace rondo::tools
