// What the text must be: a grammar that a command's options name.
#pragma once

#include <memory>
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

struct GrammarCloser {
  void operator()(rondo_grammar* grammar) const { rondo_grammar_close(grammar); }
};
using Grammar = std::unique_ptr<rondo_grammar, GrammarCloser>;

// In as much memory as it takes, which the options then tell. Throws Error with the library's
// sentence, behind `name`.
Grammar MakeGrammar(rondo_model* model, rondo_grammar_options* options, const std::string& text,
                    const std::string& name);

// --json-schema, --regex, --grammar and --any-json.
void AddConstraintFlags(CLI::App* command, ConstraintWish* wish);

// --any-json.
void AddAnyJsonFlag(CLI::App* command, bool* any_json);

// As people write JSON, or all that is valid.
uint32_t SchemaFlags(bool any_json);

// The grammar, which `setup` then names; null where there is none. Throws Error with the library's
// sentence.
Grammar OpenConstraint(const ConstraintWish& wish, rondo_model* model, SessionSetup* setup);

}  // namespace rondo::tools
