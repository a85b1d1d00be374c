// Grammars: planned, then read into memory of the caller's or the system's.
#include <memory>
#include <new>

#include "c_api/handles.h"
#include "platforms/memory.h"
#include "runtime/generation/grammar_vocabulary.h"

namespace {

using rondo::MutexLock;
using rondo::Result;
using rondo::Status;
using rondo::StatusCode;
using rondo::c_api::ClearOptions;
using rondo::c_api::Held;
using rondo::c_api::NewHandle;
using rondo::c_api::NullArgument;
using rondo::c_api::OpenGrammar;
using rondo::c_api::OpenModel;
using rondo::c_api::ReadOptions;
using rondo::c_api::Report;
using rondo::c_api::Retain;
using rondo::grammar::Grammar;
using rondo::grammar::GrammarKind;
using rondo::grammar::GrammarOptions;
using rondo::grammar::Spaces;
using rondo::grammar::TokenTrie;
using rondo::grammar::Vocabulary;

Result<GrammarOptions> Read(const rondo_grammar_options* theirs) {
  rondo_grammar_options o;
  RONDO_RETURN_IF_ERROR(ReadOptions(theirs, "rondo_grammar_options", &o));
  constexpr uint32_t kSpaces = RONDO_SCHEMA_NO_SPACES | RONDO_SCHEMA_ONE_SPACE;
  constexpr uint32_t kFlags = kSpaces | RONDO_SCHEMA_ANY_ORDER | RONDO_SCHEMA_NAMED_ONLY;
  if (o.kind < RONDO_GRAMMAR_JSON_SCHEMA || o.kind > RONDO_GRAMMAR_GBNF) {
    return Status::Error(
        StatusCode::kInvalidArgument,
        "grammar option kind is %d; it must be 0 (JSON Schema), 1 (pattern) or 2 (GBNF)", o.kind);
  }
  if ((o.flags & ~kFlags) != 0 || (o.flags & kSpaces) == kSpaces ||
      (o.flags != 0 && o.kind == RONDO_GRAMMAR_PATTERN)) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "grammar option flags is %u; it may have 1 (no spaces in JSON) or 4 (one "
                         "space), 2 (members in any order) and 8 (named ones only), and of a "
                         "pattern it must be 0",
                         o.flags);
  }
  if (o.memory_bytes != 0 &&
      (o.memory_bytes < Grammar::kLeastBytes || o.memory_bytes > Grammar::kMostBytes)) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "grammar option memory_bytes is %llu; it must be 0, or 1 MiB to 1 GiB",
                         static_cast<unsigned long long>(o.memory_bytes));
  }
  const Spaces spaces = (o.flags & RONDO_SCHEMA_NO_SPACES) != 0   ? Spaces::kNone
                        : (o.flags & RONDO_SCHEMA_ONE_SPACE) != 0 ? Spaces::kOne
                                                                  : Spaces::kFree;
  return GrammarOptions{static_cast<GrammarKind>(o.kind), spaces,
                        (o.flags & RONDO_SCHEMA_ANY_ORDER) != 0,
                        (o.flags & RONDO_SCHEMA_NAMED_ONLY) != 0, o.memory_bytes};
}

// Without nodes where the file has none.
Result<TokenTrie::Stored> StoredTrie(const rondo::ModelFile& file) {
  const auto* const tokenizer = file.model().tokenizer();
  const auto* const section = tokenizer->token_trie();
  if (section == nullptr) return TokenTrie::Stored();
  RONDO_RETURN_IF_ERROR(file.Verify(section, "token_trie"));
  const std::span<const uint8_t> bytes = file.bytes(section);
  return TokenTrie::Stored{{reinterpret_cast<const TokenTrie::Node*>(bytes.data()),
                            bytes.size() / sizeof(TokenTrie::Node)},
                           tokenizer->plain_trie_nodes()};
}

// The table of a model's texts, made by the first who asks.
Result<const TokenTrie*> TrieOf(const OpenModel& model) {
  if (model.tokenizer == nullptr) {
    return Status::Error(StatusCode::kUnsupported, "the model has no tokenizer");
  }
  const MutexLock lock(model.grammar_mutex);
  if (model.trie == nullptr) {
    const Vocabulary vocabulary =
        rondo::GrammarVocabulary(*model.tokenizer, model.file.model().vocab_size());
    std::unique_ptr<TokenTrie> trie(new (std::nothrow) TokenTrie);
    if (trie == nullptr)
      return Status::Error(StatusCode::kOutOfMemory, "the system refused memory");
    RONDO_ASSIGN(const TokenTrie::Stored stored, StoredTrie(model.file));
    RONDO_ASSIGN(*trie, stored.nodes.empty() ? TokenTrie::Create(vocabulary)
                                             : TokenTrie::Open(vocabulary, stored));
    model.trie = std::move(trie);
  }
  return model.trie.get();
}

Result<uint64_t> Plan(const OpenModel& model, const rondo_grammar_options* options,
                      size_t text_bytes) {
  RONDO_ASSIGN(const GrammarOptions o, Read(options));
  if (text_bytes > Grammar::kMostTextBytes) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the grammar has %zu bytes, expected at most "
                         "%zu",
                         text_bytes, Grammar::kMostTextBytes);
  }
  RONDO_ASSIGN(const TokenTrie* const trie, TrieOf(model));
  return Grammar::Bytes(o, text_bytes, trie->mask_words());
}

Result<rondo_grammar*> Create(const rondo_model* handle, const rondo_grammar_options* options,
                              const char* text, size_t text_bytes, void* memory,
                              size_t memory_bytes) {
  const Held model(handle);
  if (!model) return model.Why("model");
  RONDO_ASSIGN(const uint64_t needed, Plan(*model, options, text_bytes));
  if (text == nullptr && text_bytes > 0) return NullArgument("text");
  if (memory == nullptr && memory_bytes > 0) return NullArgument("memory");
  if (memory != nullptr && reinterpret_cast<uintptr_t>(memory) % 64 != 0) {
    return Status::Error(StatusCode::kArenaMisaligned,
                         "the grammar's memory does not begin at a multiple of 64");
  }
  if (memory != nullptr && memory_bytes < needed) {
    return Status::Error(StatusCode::kArenaTooSmall,
                         "the grammar's memory has %zu bytes, expected "
                         "%llu",
                         memory_bytes, static_cast<unsigned long long>(needed));
  }
  RONDO_ASSIGN(const GrammarOptions o, Read(options));
  RONDO_ASSIGN(const TokenTrie* const trie, TrieOf(*model));
  NewHandle place;
  RONDO_RETURN_IF_ERROR(place.Check());
  std::unique_ptr<OpenGrammar> made(new (std::nothrow) OpenGrammar);
  if (made == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "the system refused %zu bytes",
                         sizeof(OpenGrammar));
  }
  if (memory == nullptr) {
    made->own_bytes = static_cast<size_t>(needed);
    memory = made->own_memory = rondo::MapMemory(made->own_bytes);
  }
  if (memory == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "the system refused %llu bytes",
                         static_cast<unsigned long long>(needed));
  }
  const auto* const ends = model->file.model().eos_tokens();
  const std::span<const uint32_t> end_tokens =
      ends == nullptr ? std::span<const uint32_t>() : std::span(ends->data(), ends->size());
  const Result<Grammar*> grammar =
      Grammar::Create(o, {text, text_bytes}, *trie, end_tokens,
                      {static_cast<uint8_t*>(memory), static_cast<size_t>(needed)});
  if (!grammar.ok()) {
    if (made->own_memory != nullptr) rondo::UnmapMemory(made->own_memory, made->own_bytes);
    return grammar.status();
  }
  made->grammar = *grammar;
  made->model = model.get();
  Retain(made->model);
  return place.Open<rondo_grammar>(made.release());
}

}  // namespace

extern "C" {

int32_t rondo_grammar_options_init(rondo_grammar_options* options, size_t struct_size) {
  return ClearOptions(options, struct_size);
}

int32_t rondo_grammar_plan(const rondo_model* handle, const rondo_grammar_options* options,
                           size_t text_bytes, uint64_t* bytes, char* message,
                           size_t message_bytes) {
  if (bytes == nullptr) return Report(NullArgument("bytes"), message, message_bytes);
  *bytes = 0;
  const Held model(handle);
  if (!model) return Report(model.Why("model"), message, message_bytes);
  const Result<uint64_t> planned = Plan(*model, options, text_bytes);
  if (planned.ok()) *bytes = *planned;
  return Report(planned.status(), message, message_bytes);
}

int32_t rondo_grammar_create(rondo_model* model, const rondo_grammar_options* options,
                             const char* text, size_t text_bytes, void* memory, size_t memory_bytes,
                             rondo_grammar** grammar, char* message, size_t message_bytes) {
  if (grammar == nullptr) return Report(NullArgument("grammar"), message, message_bytes);
  *grammar = nullptr;
  const Result<rondo_grammar*> made =
      Create(model, options, text, text_bytes, memory, memory_bytes);
  if (made.ok()) *grammar = *made;
  return Report(made.status(), message, message_bytes);
}

void rondo_grammar_close(rondo_grammar* grammar) { rondo::c_api::Close(grammar); }

}  // extern "C"
