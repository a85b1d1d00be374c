// GBNF: rules by name over quoted texts and classes of characters, read into productions. Beside
// them special tokens, values by a JSON Schema, and text in which another does not come up.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/grammar/productions.h"
#include "runtime/grammar/regexes.h"
#include "runtime/grammar/room.h"
#include "runtime/grammar/schema/schema.h"
#include "runtime/grammar/token_trie.h"

namespace rondo::grammar {

// A rule's body is written in steps: parts first, then what joins them. So a stack of values makes
// it, and nothing recurs however deep groups are nested.
struct GbnfStep {
  enum class Kind : uint8_t {
    kRegex,       // a: a Regex
    kProduction,  // a: a Production that is not joined with what stands beside it
    kRule,        // a: which of the rules
    kSequence,    // a: of how many of the values before
    kChoice,      // as kSequence
    kRepeat,      // of the value before: a: min, b: max
  };
  Kind kind;
  uint32_t a = 0, b = 0;
};

struct GbnfRule {
  enum class Is : uint8_t { kNamed, kOpen, kMade };  // while productions are made
  static constexpr uint32_t kNowhere = UINT32_MAX;

  std::string_view name;
  uint32_t named_at = 0;          // the byte where its name stands first
  uint32_t begins_at = kNowhere;  // where it is defined
  uint32_t first_step = 0, n_steps = 0;
  Is is = Is::kNamed;
  bool regular = false;  // made, and an expression
  Regex regex = Regexes::kNever;
  Production production = Productions::kNone;  // a rule, where it is not regular or recurs
};

// What reading takes beside what it makes.
struct GbnfRoom {
  // A group that is not closed yet; the outermost is the rule's body.
  struct Group {
    uint32_t begins_at;
    uint32_t n_alternatives, n_parts;  // of the alternative that is being read
  };
  struct Walk {
    uint32_t rule;
    uint32_t step;  // that is to be looked at next
  };
  struct Value {
    bool regular;
    uint32_t made;  // a Regex or a Production
  };

  GbnfRoom() = default;
  // For grammars of up to `bytes` that are at most so many productions.
  GbnfRoom(Room& room, size_t bytes, size_t most);

  List<GbnfStep> steps;
  List<GbnfRule> rules;
  Index names;
  List<Group> groups;
  List<char> text;  // that is being read
  List<Walk> walks;
  List<Value> values;
  List<Production> parts;
  Room schemas;  // cut anew for each %json
  size_t most = 0;
};

// The production of `root`. A rule that none of its parts leads back to, and that is not deep, is
// an expression. Only what `root` leads to is looked at for left recursion. Classes are made, and
// productions closed. `trie`: whose tokens may be named.
//
// Errors name the line: kInvalidArgument (not well formed, a name that no rule or two have, a
// token that is not there, left recursion, groups over 256 deep), kUnsupported (what GBNF has
// elsewhere, and what a %json refuses), kOutOfMemory (where `budget` ran out).
Result<Production> ReadGbnf(std::string_view text, const SchemaOptions& options,
                            const TokenTrie& trie, GbnfRoom& room, Regexes& regexes,
                            Productions& productions, Budget& budget);

}  // namespace rondo::grammar
