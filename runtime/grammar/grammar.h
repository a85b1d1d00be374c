// Grammar: texts that a session may write, and which tokens go on with one. What is made of them
// when they are first needed, states and masks, lies in memory of a fixed size, which sessions
// share.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/cancellation.h"
#include "runtime/base/status.h"
#include "runtime/grammar/machine.h"
#include "runtime/grammar/productions.h"
#include "runtime/grammar/regexes.h"
#include "runtime/grammar/shared_machine.h"
#include "runtime/grammar/spaces.h"
#include "runtime/grammar/token_trie.h"

namespace rondo::grammar {

// This build has them.
bool HasGrammars();

enum class GrammarKind : int32_t {
  kJsonSchema = 0,  // JSON Schema: the texts are the JSON values that are valid by it
  kPattern = 1,     // ECMA-262's regular expressions: the texts are those that it matches whole
  kGbnf = 2,        // GBNF's rules: the texts are those of `root`
};

struct GrammarOptions {
  GrammarKind kind = GrammarKind::kJsonSchema;
  Spaces spaces = Spaces::kFree;  // of JSON
  bool any_order = false;         // of JSON: of members
  bool named_only = false;        // of JSON: SchemaOptions
  uint64_t bytes = 0;             // of the memory for expressions and states; 0: 8 MiB
};

// A text of a grammar, as far as it is written: tokens one behind the other.
struct GrammarText {
  // Token number i, from 0 on; kept by the caller.
  int32_t (*token)(const void* context, uint64_t i) = nullptr;
  const void* context = nullptr;
  uint64_t size = 0;
  uint64_t first_held = 0;  // tokens before are not known any more
  // Where the text had come to behind some tokens, as Describe told; none: where it begins.
  std::span<const uint8_t> known = {};
  uint64_t known_tokens = 0;
};

// Where a text has come to. One of a Grammar that has forgotten its states since is read anew, from
// what is known of it on.
struct GrammarPlace {
  State state = Machine::kDead;
  uint32_t epoch = 0;  // 0: nowhere yet
  uint64_t read = 0;   // tokens
  // The text is whole, and nothing may follow.
  bool is_complete = false;
};

// Of a mask.
struct MaskOptions {
  bool ends = true;                      // end tokens where the text may end
  const Cancellation* cancel = nullptr;  // what ends the call; null: nothing
};

// Lies in memory of its owner's. Made once; the calls on it take turns, which are short. [any
// thread]
class Grammar {
 public:
  static constexpr uint64_t kDefaultBytes = uint64_t{8} << 20;
  static constexpr uint64_t kLeastBytes = uint64_t{1} << 20;
  static constexpr uint64_t kMostBytes = uint64_t{1} << 30;
  static constexpr size_t kMostTextBytes = size_t{4} << 20;

  // Bytes for a grammar that is written in so many bytes, and a vocabulary.
  static uint64_t Bytes(const GrammarOptions& options, size_t text_bytes, size_t mask_words);

  // `memory`: Bytes(), aligned to 64. `trie` and `end_tokens` outlive this. Errors:
  // kInvalidArgument (not well formed; no text fits it), kUnsupported (what, and where),
  // kOutOfMemory (it needs more).
  static Result<Grammar*> Create(const GrammarOptions& options, std::string_view text,
                                 const TokenTrie& trie, std::span<const uint32_t> end_tokens,
                                 std::span<uint8_t> memory);

  // Reads the text's tokens that `place` has not read yet. A token that does not go on with the
  // text, or ends it, leads to where nothing may follow. Errors: kConstraint (out of memory or
  // steps), kCancelled.
  Status Read(const GrammarText& text, GrammarPlace* place, const Cancellation* cancel = nullptr);
  // Which tokens may follow, of mask_words() words; true where the text may end. End tokens whose
  // text is no special token's are never part of the text. Without a `mask` it is only made, for
  // whoever asks next. As Read.
  Result<bool> Allowed(const GrammarText& text, GrammarPlace* place, std::span<uint32_t> mask,
                       const MaskOptions& options = {});
  // Bytes that must follow where Read has led `place`, whatever comes then: how many, bytes.size()
  // at most.
  size_t Forced(const GrammarPlace& place, std::span<uint8_t> bytes);
  // The place as bytes, for GrammarText.known: how many; 0 where `bytes` has no room for them, or
  // it is to be read anew. What they are depends on the text alone.
  size_t Describe(const GrammarPlace& place, std::span<uint8_t> bytes);
  // Equal where the same bytes are the same place.
  uint64_t identity() const { return identity_; }

  std::span<const uint32_t> end_tokens() const { return end_tokens_; }
  size_t mask_words() const { return trie_->mask_words(); }
  uint64_t bytes() const { return bytes_; }

 private:
  struct Mask {
    uint32_t used = 0;     // when it was asked for last
    bool is_made = false;  // by a call that is not over
  };
  static constexpr size_t kMasks = 32;

  Grammar() = default;
  Status Compile(const GrammarOptions& options, std::string_view text, std::span<uint8_t> memory);
  Status CheckRoom(const GrammarOptions& options) const;
  Status ReadAll(MachineCall& call, const GrammarText& text, GrammarPlace* place);
  Status ReadTo(MachineCall& call, const GrammarText& text, GrammarPlace* place);
  Status MaskOf(MachineCall& call, std::span<uint32_t> mask, bool* may_end);
  void AddEnds(bool may_end, const MaskOptions& options, std::span<uint32_t> mask) const;
  bool IsComplete(MachineCall& call);
  static Status EndOf(const MachineCall& call);

  const TokenTrie* trie_ = nullptr;
  std::span<const uint32_t> end_tokens_;
  uint64_t bytes_ = 0;
  uint64_t identity_ = 0;
  Regexes regexes_;
  Productions productions_;
  Machine machine_;
  Production root_ = 0;
  SharedMachine shared_;
  // Whose turn it is guards what is below.
  uint32_t clock_ = 0;
  List<Mask> masks_;
  List<State> mask_states_;
  List<uint32_t> mask_bits_;
};

}  // namespace rondo::grammar
