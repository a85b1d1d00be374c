#include "runtime/grammar/grammar.h"

#include <algorithm>
#include <new>

#include "runtime/grammar/gbnf/gbnf.h"
#include "runtime/grammar/json.h"
#include "runtime/grammar/pattern.h"
#include "runtime/grammar/schema/schema.h"
#include "runtime/grammar/token_mask.h"

namespace rondo::grammar {
namespace {

constexpr size_t kUsualClasses = 160;  // with more there are fewer states
// Ten thousands of words take some dozens for each of their bytes.
constexpr uint64_t CompileSteps(size_t text_bytes) { return 20'000'000 + 100 * text_bytes; }

// What memory holds, in order. What is needed while a grammar is read lies where states will be.
struct Layout {
  Regexes regexes;
  Productions productions;

  Layout(const GrammarOptions& options, Room& room) {
    const uint64_t bytes = options.bytes == 0 ? Grammar::kDefaultBytes : options.bytes;
    room.Cut<Grammar>(1);
    regexes = Regexes(room, static_cast<size_t>(bytes / 256));
    productions = Productions(room, MostProductions(options));
  }
  static size_t MostProductions(const GrammarOptions& options) {
    const uint64_t bytes = options.bytes == 0 ? Grammar::kDefaultBytes : options.bytes;
    return static_cast<size_t>(bytes / 512);
  }
  static size_t States(const GrammarOptions& options) {
    const uint64_t bytes = options.bytes == 0 ? Grammar::kDefaultBytes : options.bytes;
    return static_cast<size_t>(bytes / 2 / (kUsualClasses * sizeof(State)));
  }
};

}  // namespace

bool HasGrammars() { return true; }

uint64_t Grammar::Bytes(const GrammarOptions& options, size_t text_bytes, size_t mask_words) {
  Room room;
  const Layout layout(options, room);
  Room reading = room;
  if (options.kind == GrammarKind::kGbnf) {
    GbnfRoom(reading, text_bytes, Layout::MostProductions(options));
  } else {
    Json(reading, text_bytes);
    SchemaRoom(reading, text_bytes, Layout::MostProductions(options));
  }
  Machine(room, Layout::States(options), kUsualClasses);
  List<Mask>(room, kMasks);
  List<State>(room, kMasks);
  List<uint32_t>(room, kMasks * mask_words);
  return std::max(room.used(), reading.used());
}

Result<Grammar*> Grammar::Create(const GrammarOptions& options, std::string_view text,
                                 const TokenTrie& trie, std::span<const uint32_t> end_tokens,
                                 std::span<uint8_t> memory) {
  const uint64_t bytes = Bytes(options, text.size(), trie.mask_words());
  if (memory.size() < bytes) {
    return Status::Error(StatusCode::kArenaTooSmall,
                         "the grammar's memory has %zu bytes, expected %llu", memory.size(),
                         static_cast<unsigned long long>(bytes));
  }
  auto* const grammar = new (memory.data()) Grammar;
  grammar->trie_ = &trie;
  grammar->end_tokens_ = end_tokens;
  grammar->bytes_ = bytes;
  const Status status = grammar->Compile(options, text, memory);
  if (status.ok()) return grammar;
  grammar->~Grammar();
  return status;
}

Status Grammar::Compile(const GrammarOptions& options, std::string_view text,
                        std::span<uint8_t> memory) {
  Room room(memory);
  Layout layout(options, room);
  regexes_ = layout.regexes;
  productions_ = layout.productions;
  Budget budget(CompileSteps(text.size()));
  const SchemaOptions schema_options = {options.spaces, options.any_order, options.named_only};
  Room reading = room;
  if (options.kind == GrammarKind::kPattern) {
    RONDO_ASSIGN(const Regex regex, ReadPattern(text, true, Spelling::kUtf8, regexes_, budget));
    root_ = productions_.Terminal(regex, budget);
    regexes_.MakeClasses();
    Production itself = 0;
    productions_.Close(regexes_, budget, &itself);
  } else if (options.kind == GrammarKind::kGbnf) {
    GbnfRoom gbnf_room(reading, text.size(), Layout::MostProductions(options));
    RONDO_ASSIGN(root_,
                 ReadGbnf(text, schema_options, *trie_, gbnf_room, regexes_, productions_, budget));
  } else {
    Json json(reading, text.size());
    SchemaRoom schema_room(reading, text.size(), Layout::MostProductions(options));
    RONDO_RETURN_IF_ERROR(json.Read(text));
    RONDO_ASSIGN(root_,
                 ReadSchema(json, schema_options, schema_room, regexes_, productions_, budget));
  }
  if (!budget.ok()) return regexes_.Exhausted(budget, "the grammar");
  if (!productions_.node(root_).productive) {
    return Status::Error(StatusCode::kInvalidArgument, "no text fits the grammar");
  }
  machine_ = Machine(room, Layout::States(options), kUsualClasses);
  masks_ = List<Mask>(room, kMasks);
  mask_states_ = List<State>(room, kMasks);
  mask_bits_ = List<uint32_t>(room, kMasks * trie_->mask_words());
  machine_.Read(&regexes_, &productions_);
  RONDO_RETURN_IF_ERROR(CheckRoom(options));
  masks_.Fill({}, kMasks, budget);
  mask_states_.Fill(Machine::kDead, kMasks, budget);
  const State start = machine_.Start(root_, budget);
  if (!budget.ok()) return regexes_.Exhausted(budget, "what texts of the grammar may begin with");
  if (start == Machine::kDead) {
    return Status::Error(StatusCode::kInvalidArgument, "no text fits the grammar");
  }
  shared_.Init(&machine_, start, {&mask_states_[0], kMasks});
  Hash identity;
  regexes_.AddTo(&identity);
  productions_.AddTo(&identity);
  identity_ = identity.Add(root_).value();
  return Status();
}

// What is read has left room for what its texts need.
Status Grammar::CheckRoom(const GrammarOptions& options) const {
  const uint64_t bytes = options.bytes == 0 ? kDefaultBytes : options.bytes;
  const uint64_t alternatives = productions_.MostParts();
  const uint64_t needed = std::max(regexes_.BytesToDerive(bytes, alternatives),
                                   machine_.BytesToRead(bytes, alternatives));
  if (needed <= bytes) return Status();
  constexpr uint64_t kMebibyte = uint64_t{1} << 20;
  const unsigned long long enough = (needed / kMebibyte + 1) * kMebibyte;
  return Status::Error(StatusCode::kOutOfMemory,
                       "the grammar is read in its memory of %llu bytes, but has no room there for "
                       "what its texts lead to: memory_bytes must be %llu",
                       static_cast<unsigned long long>(bytes), enough);
}

Status Grammar::EndOf(const MachineCall& call) {
  if (call.end() == MachineCall::End::kNone) return Status();
  if (call.end() == MachineCall::End::kCancelled) {
    return Status::Error(StatusCode::kCancelled, "cancelled while the grammar was read");
  }
  return Status::Error(StatusCode::kConstraint, "the grammar ran out of its %s",
                       call.end() == MachineCall::End::kSteps    ? "steps for one byte"
                       : call.end() == MachineCall::End::kMemory ? "memory"
                                                                 : "depth of nesting");
}

namespace {

// Once more where it was lost: what that made is forgotten.
template <typename Work>
Status Run(SharedMachine& shared, const Cancellation* cancel, const Work& work) {
  for (;;) {
    MachineCall call(shared, cancel);
    const Status status = work(call);
    if (call.end() != MachineCall::End::kLost) return status;
  }
}

}  // namespace

// As state number 0 of the call what the text has come to, as far as it is known.
Status Grammar::ReadTo(MachineCall& call, const GrammarText& text, GrammarPlace* place) {
  if (place->epoch == shared_.epoch() && place->read <= text.size) {
    call[0] = place->state;
    return Status();
  }
  if (!text.known.empty()) {
    place->read = text.known_tokens;
    if (call.Read(0, text.known)) return Status();
    RONDO_RETURN_IF_ERROR(EndOf(call));
  }
  if (text.first_held > 0) {
    return Status::Error(StatusCode::kConstraint,
                         "the grammar must read the text again, whose begin is not held any more");
  }
  place->read = 0;
  call[0] = shared_.start();
  return Status();
}

Status Grammar::ReadAll(MachineCall& call, const GrammarText& text, GrammarPlace* place) {
  RONDO_RETURN_IF_ERROR(EndOf(call));
  RONDO_RETURN_IF_ERROR(ReadTo(call, text, place));
  place->epoch = 0;  // until it is read
  uint64_t read = place->read;
  for (; read < text.size && call[0] != Machine::kDead; ++read) {
    const int32_t token = text.token(text.context, read);
    const std::span<const uint8_t> bytes =
        token < 0 ? std::span<const uint8_t>() : trie_->BytesOf(static_cast<uint32_t>(token));
    size_t from = 0;
    call[1] = Machine::kDead;
    for (const uint8_t byte : bytes) {
      call[1] = call.Next(from, byte);
      from = 1;
    }
    call[0] = call[1];
    static_cast<void>(call.Walked(0, bytes.size()));
    RONDO_RETURN_IF_ERROR(EndOf(call));
  }
  *place = {call[0], shared_.epoch(), read, false};
  return Status();
}

Status Grammar::Read(const GrammarText& text, GrammarPlace* place, const Cancellation* cancel) {
  return Run(shared_, cancel, [&](MachineCall& call) {
    RONDO_RETURN_IF_ERROR(ReadAll(call, text, place));
    place->is_complete = IsComplete(call);
    place->state = call[0];
    place->epoch = call.ok() ? shared_.epoch() : 0;
    return EndOf(call);
  });
}

Result<bool> Grammar::Allowed(const GrammarText& text, GrammarPlace* place,
                              std::span<uint32_t> mask, const MaskOptions& options) {
  bool may_end = false;
  RONDO_RETURN_IF_ERROR(Run(shared_, options.cancel, [&](MachineCall& call) {
    RONDO_RETURN_IF_ERROR(ReadAll(call, text, place));
    RONDO_RETURN_IF_ERROR(MaskOf(call, mask, &may_end));
    place->state = call[0];
    place->epoch = shared_.epoch();
    return Status();
  }));
  if (!mask.empty()) AddEnds(may_end, options, mask);
  return may_end;
}

// The mask that is there, or is made in place of the one that was asked for longest ago. Where
// others make as many as there may be it is kept by nobody.
Status Grammar::MaskOf(MachineCall& call, std::span<uint32_t> mask, bool* may_end) {
  *may_end = machine_.accepts(call[0]);
  if (call[0] == Machine::kDead) {
    std::fill(mask.begin(), mask.end(), 0);
    return Status();
  }
  uint32_t number = kMasks;
  for (uint32_t i = 0; i < kMasks; ++i) {
    if (masks_[i].is_made) continue;
    if (mask_states_[i] == call[0]) {
      number = i;
      break;
    }
    if (number == kMasks || masks_[i].used < masks_[number].used) number = i;
  }
  if (number == kMasks) {
    if (!mask.empty()) FillMask(call, *trie_, mask);
    return EndOf(call);
  }
  const size_t words = mask_words();
  const std::span<uint32_t> bits = {&mask_bits_[0] + number * words, words};
  if (mask_states_[number] != call[0]) {
    mask_states_[number] = Machine::kDead;
    masks_[number].is_made = true;
    FillMask(call, *trie_, bits);
    masks_[number].is_made = false;
    RONDO_RETURN_IF_ERROR(EndOf(call));
    mask_states_[number] = call[0];
  }
  masks_[number].used = ++clock_;
  std::copy_n(bits.begin(), mask.size(), mask.begin());
  return Status();
}

void Grammar::AddEnds(bool may_end, const MaskOptions& options, std::span<uint32_t> mask) const {
  for (const uint32_t token : end_tokens_) {
    const uint32_t bit = 1u << token % 32;
    if (!trie_->vocabulary().IsSpecial(token)) mask[token / 32] &= ~bit;
    if (may_end && options.ends) mask[token / 32] |= bit;
  }
}

size_t Grammar::Forced(const GrammarPlace& place, std::span<uint8_t> bytes) {
  size_t n = 0;
  const Status ended = Run(shared_, nullptr, [&](MachineCall& call) {
    n = 0;
    if (place.epoch != shared_.epoch()) return Status();
    call[0] = call[1] = place.state;  // the only one that follows, and the one before it
    for (; n < bytes.size() && !machine_.accepts(call[1]); ++n) {
      bool found = false;
      for (uint32_t byte = 0; byte <= UINT8_MAX; ++byte) {
        const State next = call.Next(1, static_cast<uint8_t>(byte));
        if (!call.ok() || (next != Machine::kDead && found)) return Status();
        if (next == Machine::kDead) continue;
        found = true;
        call[0] = next;
        bytes[n] = static_cast<uint8_t>(byte);
      }
      if (!found) return Status();
      call[1] = call[0];
    }
    return Status();
  });
  return ended.ok() ? n : 0;
}

size_t Grammar::Describe(const GrammarPlace& place, std::span<uint8_t> bytes) {
  size_t written = 0;
  const Status ended = Run(shared_, nullptr, [&](MachineCall&) {
    if (place.epoch == shared_.epoch()) written = machine_.Write(place.state, bytes);
    return Status();
  });
  return ended.ok() ? written : 0;
}

bool Grammar::IsComplete(MachineCall& call) {
  if (!machine_.accepts(call[0])) return false;
  for (uint32_t c = 0; c < machine_.n_classes(); ++c) {
    if (call.NextClass(0, c) != Machine::kDead || !call.ok()) return false;
  }
  return true;
}

}  // namespace rondo::grammar
