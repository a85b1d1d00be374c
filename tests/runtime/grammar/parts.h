// What a grammar is made of, in memory of its own, for tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/grammar/gbnf/gbnf.h"
#include "runtime/grammar/json.h"
#include "runtime/grammar/machine.h"
#include "runtime/grammar/productions.h"
#include "runtime/grammar/regexes.h"
#include "runtime/grammar/schema/schema.h"
#include "runtime/grammar/token_mask.h"

namespace rondo::grammar {

struct Parts {
  static constexpr size_t kBytes = size_t{48} << 20;
  std::unique_ptr<uint8_t[]> memory{new uint8_t[kBytes]};  // not touched
  Room room{{memory.get(), kBytes}};
  Regexes regexes{room, 1u << 16};
  Productions productions{room, 1u << 15};
  Machine machine{room, 1u << 12, 256};
  SharedMachine shared;
  Budget budget{100'000'000};
  State start = Machine::kDead;

  // Once.
  void Read(Production root) {
    machine.Read(&regexes, &productions);
    start = machine.Start(root, budget);
    shared.Init(&machine, start, {});
  }
  void ReadRegex(Regex regex) {
    const Production root = productions.Terminal(regex, budget);
    regexes.MakeClasses();
    Production itself = 0;
    productions.Close(regexes, budget, &itself);
    Read(root);
  }
  // Of `text` as a schema; empty where it is read, else the sentence of why not.
  std::string ReadSchemaText(std::string_view text, const SchemaOptions& options = {}) {
    Json json(room, text.size());
    SchemaRoom schema_room(room, text.size(), 1u << 15);
    const Status status = json.Read(text);
    if (!status.ok()) return status.message();
    const Result<Production> root =
        ReadSchema(json, options, schema_room, regexes, productions, budget);
    if (!root.ok()) return root.status().message();
    Read(*root);
    return "";
  }
  // As ReadSchemaText, of rules.
  std::string ReadGbnfText(std::string_view text, const TokenTrie& trie,
                           const SchemaOptions& options = {}) {
    GbnfRoom gbnf_room(room, text.size(), 1u << 15);
    const Result<Production> root =
        ReadGbnf(text, options, trie, gbnf_room, regexes, productions, budget);
    if (!root.ok()) return root.status().message();
    Read(*root);
    return "";
  }
  // False where it ran out of memory or steps.
  bool Fill(State state, const TokenTrie& trie, std::span<uint32_t> mask) {
    MachineCall call(shared, nullptr);
    call[0] = state;
    FillMask(call, trie, mask);
    return call.ok();
  }
  uint32_t Reach(State state, uint32_t most) {
    MachineCall call(shared, nullptr);
    call[0] = state;
    return PlainReach(call, most);
  }
  State After(std::string_view text) {
    State state = start;
    for (const char c : text) state = machine.Next(state, static_cast<uint8_t>(c), budget);
    return state;
  }
  bool Accepts(std::string_view text) { return machine.accepts(After(text)); }
};

}  // namespace rondo::grammar
