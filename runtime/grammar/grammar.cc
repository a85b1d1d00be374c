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
constexpr uint64_t kCompileSteps = 20'000'000;

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
  Budget budget(kCompileSteps);
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
  mask_bits_ = List<uint32_t>(room, kMasks * trie_->mask_words());
  machine_.Read(&regexes_, &productions_);
  for (size_t i = 0; i < kMasks; ++i) masks_.Add({}, budget);
  start_ = machine_.Start(root_, budget);
  if (!budget.ok()) return regexes_.Exhausted(budget, "what texts of the grammar may begin with");
  return start_ != Machine::kDead
             ? Status()
             : Status::Error(StatusCode::kInvalidArgument, "no text fits the grammar");
}

Status Grammar::Exhausted(const Budget& budget) {
  return Status::Error(StatusCode::kConstraint, "the grammar ran out of its %s",
                       budget.end() == Budget::End::kSteps    ? "steps for one token"
                       : budget.end() == Budget::End::kMemory ? "memory"
                                                              : "depth of nesting");
}

// What other places have come to is read again.
void Grammar::Forget(GrammarPlace* kept) {
  ++epoch_;
  kept->state = machine_.Forget(kept->state);
  kept->epoch = epoch_;
  for (uint32_t i = 0; i < masks_.size(); ++i) masks_[i] = {};
  Budget budget(kSteps);
  start_ = machine_.Start(root_, budget);
}

Status Grammar::ReadAll(const GrammarText& text, GrammarPlace* place) {
  if (place->epoch != epoch_ || place->read > text.size) {
    if (text.first_held > 0) {
      return Status::Error(
          StatusCode::kConstraint,
          "the grammar must read the text again, whose begin is not held any more");
    }
    *place = {start_, epoch_, 0};
  }
  bool forgot = false;  // for this token
  while (place->read < text.size && place->state != Machine::kDead) {
    Budget budget(kSteps);
    const int32_t token = text.token(text.context, place->read);
    const std::span<const uint8_t> bytes =
        token < 0 ? std::span<const uint8_t>() : trie_->BytesOf(static_cast<uint32_t>(token));
    State state = bytes.empty() ? Machine::kDead : place->state;
    for (const uint8_t byte : bytes) state = machine_.Next(state, byte, budget);
    if (budget.ok()) {
      place->state = state;
      ++place->read;
    } else if (forgot || budget.end() != Budget::End::kMemory) {
      return Exhausted(budget);
    } else {
      Forget(place);
    }
    forgot = !budget.ok();
  }
  return Status();
}

Status Grammar::Read(const GrammarText& text, GrammarPlace* place) {
  const MutexLock turn(mutex_);
  RONDO_RETURN_IF_ERROR(ReadAll(text, place));
  Budget budget(kSteps);
  place->is_complete = IsComplete(place->state, budget);
  if (budget.end() == Budget::End::kMemory) {
    Forget(place);
    budget = Budget(kSteps);
    place->is_complete = IsComplete(place->state, budget);
  }
  return budget.ok() ? Status() : Exhausted(budget);
}

Status Grammar::Allowed(const GrammarText& text, GrammarPlace* place, std::span<uint32_t> mask) {
  const MutexLock turn(mutex_);
  RONDO_RETURN_IF_ERROR(ReadAll(text, place));
  if (place->state == Machine::kDead) {
    std::fill(mask.begin(), mask.end(), 0);
    return Status();
  }
  uint32_t number = 0;  // of the mask that is there, or of the one that was asked for longest ago
  for (uint32_t i = 0; i < masks_.size() && masks_[number].state != place->state; ++i) {
    if (masks_[i].state == place->state || masks_[i].used < masks_[number].used) number = i;
  }
  const std::span<uint32_t> bits = {&mask_bits_[number * mask.size()], mask.size()};
  if (masks_[number].state != place->state) {
    masks_[number] = {};
    Budget budget(kSteps);
    FillMask(machine_, place->state, *trie_, bits, budget);
    if (budget.end() == Budget::End::kMemory) {
      Forget(place);
      budget = Budget(kSteps);
      FillMask(machine_, place->state, *trie_, bits, budget);
    }
    if (!budget.ok()) return Exhausted(budget);
    if (machine_.accepts(place->state)) {
      for (const uint32_t token : end_tokens_) bits[token / 32] |= 1u << token % 32;
    }
    masks_[number].state = place->state;
  }
  masks_[number].used = ++clock_;
  std::copy(bits.begin(), bits.end(), mask.begin());
  return Status();
}

size_t Grammar::Forced(const GrammarPlace& place, std::span<uint8_t> bytes) {
  const MutexLock turn(mutex_);
  if (place.epoch != epoch_) return 0;
  Budget budget(kSteps);
  State state = place.state;
  size_t n = 0;
  for (; n < bytes.size() && !machine_.accepts(state); ++n) {
    State only = Machine::kDead;
    for (uint32_t byte = 0; byte <= UINT8_MAX; ++byte) {
      const State next = machine_.Next(state, static_cast<uint8_t>(byte), budget);
      if (!budget.ok() || (next != Machine::kDead && only != Machine::kDead)) return n;
      if (next == Machine::kDead) continue;
      only = next;
      bytes[n] = static_cast<uint8_t>(byte);
    }
    if (only == Machine::kDead) return n;
    state = only;
  }
  return n;
}

bool Grammar::IsComplete(State state, Budget& budget) {
  if (!machine_.accepts(state)) return false;
  for (uint32_t c = 0; c < machine_.n_classes() && budget.ok(); ++c) {
    if (machine_.NextClass(state, c, budget) != Machine::kDead) return false;
  }
  return budget.ok();
}

}  // namespace rondo::grammar
