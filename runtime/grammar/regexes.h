// Regexes: regular expressions over bytes, with intersection and complement, and their derivatives:
// what may follow a byte is an expression again (Brzozowski 1964; Owens, Reppy and Turon 2009).
// Equal expressions have equal numbers, so that the derivatives of one are few.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/grammar/byte_set.h"
#include "runtime/grammar/room.h"

namespace rondo::grammar {

using Regex = uint32_t;
class NumberSet;
class StateReader;
class StateWriter;

// Everything that makes an expression takes a Budget; where that ran out the answer means nothing.
class Regexes {
 public:
  static constexpr Regex kNever = 0;  // no text
  static constexpr Regex kEmpty = 1;  // the empty text
  static constexpr Regex kAll = 2;    // every text
  static constexpr uint32_t kNoLimit = UINT32_MAX;

  Regexes() = default;
  Regexes(Room& room, size_t most);

  Regex Bytes(const ByteSet& set, Budget& budget);
  Regex Text(std::string_view text, Budget& budget);
  Regex Then(Regex first, Regex second, Budget& budget);
  Regex Either(std::span<const Regex> parts, Budget& budget);
  Regex Both(std::span<const Regex> parts, Budget& budget);
  Regex Not(Regex regex, Budget& budget);
  Regex Repeat(Regex regex, uint32_t min, uint32_t max, Budget& budget);
  // Digits whose number is a multiple of `divisor`, 1 to 2^31; `rest` of those before them.
  Regex Multiple(uint32_t divisor, uint32_t rest, Budget& budget);
  // What ran out, and where, as a sentence: kOutOfMemory, or kUnsupported where it is the depth.
  Status Exhausted(const Budget& budget, const char* where) const;
  // Parts that will be one expression: who adds some here takes them out again.
  List<Regex>& stack() { return work_; }

  bool nullable(Regex regex) const { return nodes_[regex].nullable; }
  // How many expressions Derive has open at once.
  uint32_t depth(Regex regex) const { return nodes_[regex].depth; }
  // Texts of it begin with one of these bytes; not each of them need begin one.
  const ByteSet& first(Regex regex) const { return firsts_[regex]; }

  // Once all expressions are made: bytes that none of them tells apart are one class. Before, each
  // byte is one.
  void MakeClasses();
  // Of `bytes`, which all lists are in proportion to, those with which derivatives have room beside
  // what was there then, where a text may go on in up to so many ways.
  uint64_t BytesToDerive(uint64_t bytes, uint64_t alternatives) const;
  // What derivatives made since then is forgotten, but what is wanted between the two calls; that
  // has other numbers afterwards.
  void BeginForget();
  void Want(Regex regex) {
    if (numbers_[regex] == kNobody) numbers_[regex] = 0;
  }
  void Forget();
  Regex Now(Regex before) const { return numbers_[before]; }

  // ---- Of a state's bytes (state_bytes.h) ----

  // Adds the expression and what it is made of, where MakeClasses came before. False: too many.
  bool AddMade(Regex regex, NumberSet* made) const;
  void WriteRegex(Regex regex, NumberSet* made, StateWriter* out) const;
  void WriteNode(Regex regex, NumberSet* made, StateWriter* out) const;
  // Whatever the bytes are. `made`: what was read before.
  Regex ReadRegex(std::span<const Regex> made, StateReader* in) const;
  Regex ReadNode(std::span<const Regex> made, StateReader* in, Budget& budget);
  // Of all that was there before MakeClasses.
  void AddTo(Hash* hash) const;

  uint32_t n_classes() const { return n_classes_; }
  uint8_t class_of(uint8_t byte) const { return classes_[byte]; }
  uint8_t byte_of(uint32_t byte_class) const { return bytes_[byte_class]; }

  // What may stand behind a byte of the class.
  Regex Derive(Regex regex, uint32_t byte_class, Budget& budget);
  bool Matches(Regex regex, std::string_view text, Budget& budget);
  // It has no text.
  bool IsNever(Regex regex, Budget& budget);

 private:
  enum class Kind : uint8_t {
    kNever,
    kEmpty,
    kBytes,
    kThen,
    kEither,
    kBoth,
    kNot,
    kRepeat,
    kMultiple
  };
  enum class Known : uint8_t { kUnknown, kNever, kSome, kAsked };
  struct Node {
    Kind kind;
    bool nullable;
    bool decides;    // it holds kBoth or kNot, so that it may have no text
    Known known;     // whether it has
    uint16_t depth;  // how many Derive has open at once
    uint32_t a;      // kBytes: set; kThen, kNot, kRepeat: a part; kEither, kBoth: first of parts_
    uint32_t b;      // kThen: a part; kEither, kBoth: how many; kRepeat: min; kMultiple: divisor
    uint32_t c;      // kRepeat: max; kMultiple: rest
  };
  struct Derivative {
    Regex of;
    uint32_t byte_class;
    Regex is;
  };
  // One that is being derived: of so many of its parts the derivatives are there, last in work_.
  struct Open {
    Regex regex;
    uint32_t parts;
  };
  struct Asked {
    Regex regex;
    uint32_t from;  // of seen_: whose derivative it is
  };
  static constexpr uint32_t kNobody = UINT32_MAX;
  static constexpr uint16_t kMostDepth = 2048;
  static constexpr uint16_t kMostDepthRead = 1024;  // derivatives may nest deeper
  static constexpr uint32_t kMostFactored = 24;  // levels at once, for they take the thread's stack

  uint16_t MostDepth() const { return kept_.nodes > 0 ? kMostDepth : kMostDepthRead; }
  Node Of(Kind kind, bool nullable, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) const;
  static bool IsList(const Node& node);
  uint64_t HashOf(const Node& node, std::span<const Regex> parts) const;
  ByteSet FirstOf(const Node& node) const;
  Regex Put(Node node, std::span<const Regex> parts, Budget& budget);
  Regex Join(Kind kind, std::span<const Regex> parts, Budget& budget);
  // Behind work_'s first `base`: the parts as they stand in a list of this kind, each once.
  void Gather(Kind kind, std::span<const Regex> parts, uint32_t base, Budget& budget);
  // Sorts what is there, each once.
  void SortWork(uint32_t base);
  bool MayShareHeads(uint32_t base) const;
  // What a sequence begins with; kNobody of all else.
  Regex HeadOf(Regex regex) const;
  // Of those there that begin with the same: it, and behind it either of what follows.
  void Factor(uint32_t base, Budget& budget);
  // Both one behind the other as one repeat; kNever where they are none of the same.
  Regex JoinRepeats(Regex first, Regex second, Budget& budget);
  Derivative& LastOf(Regex regex, uint32_t byte_class);
  // The derivative, where it is known or takes no others.
  bool IsKnown(Regex regex, uint32_t byte_class, Regex* is, Budget& budget);
  // A part whose derivative is needed; kNobody behind the last.
  Regex PartToDerive(const Node& node, uint32_t i) const;
  // Of the derivatives of its parts.
  Regex DeriveFrom(Regex regex, std::span<const Regex> parts, Budget& budget);
  uint32_t NumberOf(const ByteSet& set, Budget& budget);
  void ForgetSets();

  List<Node> nodes_;
  List<ByteSet> firsts_;  // of each node: bytes that no text of it begins with are not in it
  List<Regex> parts_;
  List<ByteSet> sets_;
  Index node_index_, set_index_;
  List<Regex> work_;              // parts that are being joined
  uint32_t factored_ = 0;         // levels that Factor has open
  List<Open> open_;               // by Derive
  List<uint32_t> numbers_;        // by Forget: what nodes become
  List<uint32_t> set_numbers_;    // and sets
  List<Asked> seen_;              // by IsNever
  List<Derivative> derivatives_;  // those asked for last, by their hash
  uint8_t classes_[256] = {};
  uint8_t bytes_[256] = {};
  uint32_t n_classes_ = 0;
  struct {
    uint32_t nodes = 0, parts = 0, sets = 0;
  } kept_;  // by Forget
};

}  // namespace rondo::grammar
