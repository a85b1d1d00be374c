// What the text must be: a grammar that a command's options name.
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "tools/common/library.h"

namespace rondo::tools {

struct ConstraintWish {
  std::string json_schema;  // a file; empty: none
  std::string pattern;      // empty: none
};

struct GrammarCloser {
  void operator()(rondo_grammar* grammar) const { rondo_grammar_close(grammar); }
};
using Grammar = std::unique_ptr<rondo_grammar, GrammarCloser>;

// --json-schema and --pattern.
void AddConstraintFlags(CLI::App* command, ConstraintWish* wish);

// The grammar, which `setup` then names; null where there is none. Throws Error with the library's
// sentence.
Grammar OpenConstraint(const ConstraintWish& wish, rondo_model* model, SessionSetup* setup);

}  // namespace rondo::tools
