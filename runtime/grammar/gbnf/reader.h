// What the sources in this folder share.
#pragma once

#include "runtime/grammar/code_points.h"
#include "runtime/grammar/gbnf/gbnf.h"

namespace rondo::grammar {

// Reads the text into steps of rules; leaves are made at once.
class GbnfReader {
 public:
  GbnfReader(std::string_view text, const SchemaOptions& options, const TokenTrie& trie,
             GbnfRoom& room, Regexes& regexes, Productions& productions, Budget& budget)
      : text_(text),
        options_(options),
        trie_(trie),
        room_(room),
        regexes_(regexes),
        productions_(productions),
        budget_(budget),
        any_character_(OneOf({{0, CodePoints::kLast}}, Spelling::kUtf8, regexes, budget)) {}

  Status Read();

  // A sentence that begins with the line of that byte.
  RONDO_PRINTF(4, 5)
  Status At(size_t byte, StatusCode code, const char* format, ...) const;
  // What ran out there.
  Status Exhausted(size_t byte) const;
  // How many bytes of a name a sentence has room for.
  static int Shown(std::string_view name);

  static constexpr uint32_t kMostNested = 256;

 private:
  using Kind = GbnfStep::Kind;
  static constexpr uint32_t kMostRepeats = 1u << 20;
  static constexpr size_t kMostWithout = 256;  // bytes
  static constexpr uint32_t kMostSchemas = 256;

  // ---- reader.cc: rules, alternatives, groups, repeats
  Status Rule();
  Status Body();
  Status Part();
  Status Repeat();
  Status Count(uint32_t* count);
  void EndAlternative();
  void EndGroup();
  uint32_t RuleNamed(std::string_view name, size_t at);

  // ---- leaves.cc
  Status Text(std::string_view* text);  // what is quoted
  Status Class();
  Status Token();
  Status Directive();  // behind a %
  Status Without();
  Status Schema(size_t begin);
  Result<uint32_t> Character();  // one as it stands, or an escape
  Result<uint32_t> Hex(size_t digits);

  bool AtEnd() const { return at_ == text_.size(); }
  bool Has(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool Take(std::string_view what) {
    if (!Has(what)) return false;
    at_ += what.size();
    return true;
  }
  bool AtLineEnd() const { return Has("\n") || Has("\r"); }
  // Also comments; `lines`: and line ends.
  void Spaces(bool lines);
  std::string_view Name();  // empty where none stands
  Status Wrong(const char* what) const;
  void Put(Kind kind, uint32_t a, uint32_t b = 0) { room_.steps.Add({kind, a, b}, budget_); }
  void PutLeaf(Regex regex) { Put(Kind::kRegex, regex); }

  const std::string_view text_;
  const SchemaOptions& options_;
  const TokenTrie& trie_;
  GbnfRoom& room_;
  Regexes& regexes_;
  Productions& productions_;
  Budget& budget_;
  const Regex any_character_;
  size_t at_ = 0;
  uint32_t n_schemas_ = 0;
};

// Makes productions of rules that were read.
class GbnfCompiler {
 public:
  GbnfCompiler(const GbnfReader& reader, GbnfRoom& room, Regexes& regexes, Productions& productions,
               Budget& budget)
      : reader_(reader),
        room_(room),
        regexes_(regexes),
        productions_(productions),
        budget_(budget) {}

  Result<Production> Compile();

 private:
  using Value = GbnfRoom::Value;
  // An expression that goes deeper stays productions: its derivatives go deeper still.
  static constexpr uint32_t kMostDepth = 32;

  void Make(GbnfRule& rule);
  Value ValueOf(GbnfRule& rule);
  Production RuleOf(GbnfRule& rule);
  Value Sequence(std::span<const Value> values);
  Value Choice(std::span<const Value> values);
  Value Repeat(const Value& value, uint32_t min, uint32_t max);
  Production ProductionOf(const Value& value);
  bool IsDeep(Regex regex) const { return regexes_.depth(regex) > kMostDepth; }

  const GbnfReader& reader_;
  GbnfRoom& room_;
  Regexes& regexes_;
  Productions& productions_;
  Budget& budget_;
};

}  // namespace rondo::grammar
