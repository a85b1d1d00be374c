// JSON Schema (2020-12, with the spellings of draft 7 and before) read into productions: the JSON
// texts that are valid by it.
#pragma once

#include "runtime/base/status.h"
#include "runtime/grammar/json.h"
#include "runtime/grammar/productions.h"
#include "runtime/grammar/regexes.h"
#include "runtime/grammar/room.h"
#include "runtime/grammar/spaces.h"

namespace rondo::grammar {

struct SchemaOptions {
  Spaces spaces = Spaces::kFree;
  bool any_order =
      false;  // of members; else as the schema has them, and those behind that it has not
  // Schemas that name members, and say nothing of others, have no others.
  bool named_only = false;
};

// What must be so of a value; some of them together are a conjunction.
struct Term {
  enum class Mode : uint8_t {
    kHolds,       // the schema `node` holds
    kHoldsNot,    // it does not
    kHas,         // it is an object with the member that `node` names
    kLacks,       // it is an object without
    kMayLack,     // if it is an object, it is one without
    kHasNot,      // it is an object with that member, to which the schema `node` does not hold
    kNotType,     // it is of none of these types
    kNoneOf,      // it is not `node`, or none of its elements where it is an enum
    kNotPattern,  // it is a string, in which this pattern is not found
    kBeyond,      // it is what this limit, as `minLength`, limits, and beyond it
  };
  enum Done : uint8_t { kRef = 1, kAnyOf = 2, kOneOf = 4, kIf = 8, kNot = 16 };

  JsonValue node = 0;
  Mode mode = Mode::kHolds;
  uint8_t done = 0;  // Done: keywords of it that others of the conjunction stand for

  bool operator==(const Term&) const = default;
  bool operator<(const Term& other) const {
    return node != other.node   ? node < other.node
           : mode != other.mode ? mode < other.mode
                                : done < other.done;
  }
};

// What reading a schema needs beside what it makes.
struct SchemaRoom {
  struct Conjunction {
    uint32_t first, count;  // of terms
    bool any_names;         // whatever SchemaOptions::named_only says
    Production rule;
  };
  // Alternatives that must not hold at once, and where they stand.
  struct Apart {
    Production both;
    JsonValue node;
  };

  SchemaRoom() = default;
  // For documents of up to `bytes` that are at most so many productions.
  SchemaRoom(Room& room, size_t bytes, size_t most);
  void Clear();

  List<Term> terms;
  List<Conjunction> conjunctions;
  Index index;
  List<Apart> apart;
  List<Production> parts;             // that are being gathered, or walked through
  List<uint8_t> walked;               // by RefuseCircles, of each value
  List<std::string_view> names;       // of an object's members
  List<Productions::Member> members;  // as well
};

// What is not understood, and what cannot be decided, is refused by its JSON pointer: kUnsupported,
// or kInvalidArgument where it is no schema. Annotations, and keywords that no draft has, say
// nothing. The productions are closed, and classes made. Where the
// budget ran out nothing of it means anything.
Result<Production> ReadSchema(const Json& schema, const SchemaOptions& options, SchemaRoom& room,
                              Regexes& regexes, Productions& productions, Budget& budget);

}  // namespace rondo::grammar
