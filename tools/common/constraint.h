// What the text must be: a grammar that a command's options name.
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "tools/common/library.h"

namespace rondo::tools {

struct ConstraintWish {
  std::string json_schema;  // a file; empty: none
  std::string regex;        // empty: none
  std::string grammar;      // a file of GBNF; empty: none
  bool any_json = false;    // of a schema: SchemaFlags
};

// In as much memory as it takes, which the options then tell. Throws Error with the library's
// sentence, behind `name`.
Grammar MakeGrammar(const Model& model, GrammarOptions* options, const std::string& text,
                    const std::string& name);

// --json-schema, --regex, --grammar and --any-json.
void AddConstraintFlags(CLI::App* command, ConstraintWish* wish);

// --any-json.
void AddAnyJsonFlag(CLI::App* command, bool* any_json);

// As people write JSON, or all that is valid.
uint32_t SchemaFlags(bool any_json);

// The grammar that is wished for; nothing where there is none. Throws Error with the library's
// sentence.
std::optional<Grammar> OpenConstraint(const ConstraintWish& wish, const Model& model);

}  // namespace rondo::tools
