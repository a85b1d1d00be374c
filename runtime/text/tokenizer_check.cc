// What a file's tables must keep to, so that the code behind can rely on it.
#include <bit>
#include <cmath>
#include <cstdarg>

#include "runtime/base/utf8.h"
#include "runtime/text/slots.h"
#include "runtime/text/tokenizer_tables.h"

namespace rondo {
namespace {

RONDO_PRINTF(1, 2) Status Corrupt(const char* format, ...) {
  char text[Status::kMaxMessage];
  va_list arguments;
  va_start(arguments, format);
  FormatMessage(text, sizeof text, format, arguments);
  va_end(arguments);
  return Status::Error(StatusCode::kCorrupt, "tokenizer: %s", text);
}

Status CheckUtf8(std::span<const uint8_t> text, size_t max_bytes, const char* what) {
  if (text.size() > max_bytes) {
    return Corrupt("%s has %zu bytes, at most %zu are read", what, text.size(), max_bytes);
  }
  const size_t valid = Utf8Prefix(text);
  return valid == text.size() ? Status() : Corrupt("%s is not UTF-8 at byte %zu", what, valid);
}

// `text` must be there, unless min_bytes is 0.
Status CheckText(const flatbuffers::String* text, size_t min_bytes, size_t max_bytes,
                 const char* what) {
  if (text == nullptr || text->size() < min_bytes) {
    return min_bytes == 0 ? Status() : Corrupt("%s is empty", what);
  }
  return CheckUtf8({text->Data(), text->size()}, max_bytes, what);
}

Status CheckIds(const flatbuffers::Vector<uint32_t>* ids, size_t max_count, uint32_t vocab_size,
                const char* what) {
  if (ids == nullptr) return {};
  if (ids->size() > max_count) {
    return Corrupt("%s has %u ids, at most %zu are read", what, ids->size(), max_count);
  }
  for (const uint32_t id : *ids) {
    if (id >= vocab_size) return Corrupt("%s names id %u of %u", what, id, vocab_size);
  }
  return {};
}

Status CheckTokens(const TokenizerTables& tables) {
  const uint32_t vocab_size = tables.vocab_size();
  if (vocab_size == 0 || vocab_size > kMaxVocabSize) {
    return Corrupt("vocab_size is %u, expected 1 to %u", vocab_size, kMaxVocabSize);
  }
  if (tables.token_offsets.size() != size_t{vocab_size} + 1) {
    return Corrupt("token_offsets has %zu entries, expected %u", tables.token_offsets.size(),
                   vocab_size + 1);
  }
  if (tables.token_offsets[0] != 0 ||
      tables.token_offsets[vocab_size] != tables.token_bytes.size()) {
    return Corrupt("token_offsets do not cover token_bytes");
  }
  for (uint32_t id = 0; id < vocab_size; ++id) {
    const uint32_t begin = tables.token_offsets[id];
    const uint32_t end = tables.token_offsets[id + 1];
    if (end < begin || end - begin > kMaxTokenBytes) {
      return Corrupt("token %u runs from byte %u to %u", id, begin, end);
    }
  }
  if (tables.token_flags.size() != vocab_size) {
    return Corrupt("token_flags has %zu entries, expected %u", tables.token_flags.size(),
                   vocab_size);
  }
  return {};
}

Status CheckAddedTokens(const TokenizerTables& tables) {
  const auto* tokens = tables.settings->added_tokens();
  if (tokens == nullptr) return {};
  if (tokens->size() > kMaxAddedTokens) return Corrupt("%u added tokens", tokens->size());
  const format::AddedToken* previous = nullptr;
  for (const format::AddedToken* token : *tokens) {
    if (token->id() >= tables.vocab_size()) {
      return Corrupt("an added token has id %u of %u", token->id(), tables.vocab_size());
    }
    RONDO_RETURN_IF_ERROR(CheckText(token->text(), 1, kMaxAddedTokenBytes, "an added token"));
    RONDO_RETURN_IF_ERROR(
        CheckText(token->match(), 1, kMaxAddedTokenBytes, "an added token's match"));
    const bool ascending =
        previous == nullptr || previous->normalized() < token->normalized() ||
        (previous->normalized() == token->normalized() && *previous->match() < *token->match());
    if (!ascending) return Corrupt("the added tokens are not in order at id %u", token->id());
    previous = token;
  }
  return {};
}

Status CheckNormalizer(const TokenizerTables& tables) {
  const auto* steps = tables.settings->normalizer();
  if (steps == nullptr) return {};
  if (steps->size() > kMaxNormalizerSteps) return Corrupt("%u normalisers", steps->size());
  for (const format::NormalizerStep* step : *steps) {
    RONDO_RETURN_IF_ERROR(CheckText(step->content(), 0, kMaxContentBytes, "a replacement"));
    switch (step->kind()) {
      case format::NormalizerKind::Replace:
        RONDO_RETURN_IF_ERROR(
            CheckText(step->pattern(), 1, kMaxPatternBytes, "a pattern to replace"));
        break;
      case format::NormalizerKind::Charsmap:
        if (tables.charsmap.empty()) return Corrupt("the charsmap is absent");
        break;
      case format::NormalizerKind::Form:
      case format::NormalizerKind::Lowercase:
      case format::NormalizerKind::StripMarks:
      case format::NormalizerKind::Prepend:
      case format::NormalizerKind::Strip:
        break;
      default:
        return Status::Error(StatusCode::kUnsupported,
                             "tokenizer: normaliser %d is not known to this build",
                             static_cast<int>(step->kind()));
    }
  }
  if (tables.charsmap.empty()) return {};
  if (tables.charsmap_texts.size() >= Trie::kNone) return Corrupt("charsmap_texts is too long");
  RONDO_RETURN_IF_ERROR(Trie::Check(
      tables.charsmap, static_cast<uint32_t>(tables.charsmap_texts.size()), "the charsmap"));
  size_t begin = 0;
  for (size_t i = 0; i < tables.charsmap_texts.size(); ++i) {
    if (tables.charsmap_texts[i] != 0) continue;
    RONDO_RETURN_IF_ERROR(CheckUtf8(tables.charsmap_texts.subspan(begin, i - begin),
                                    kMaxContentBytes, "a replacement of the charsmap"));
    begin = i + 1;
  }
  if (begin != tables.charsmap_texts.size()) return Corrupt("charsmap_texts does not end");
  for (const TrieNode& node : tables.charsmap) {
    if (node.value == Trie::kNone || node.value == 0) continue;
    if (tables.charsmap_texts[node.value - 1] != 0) {
      return Corrupt("the charsmap leads into the middle of a replacement");
    }
  }
  return {};
}

Status CheckStages(const TokenizerTables& tables) {
  const auto* stages = tables.settings->stages();
  if (stages == nullptr) return {};
  if (stages->size() > kMaxStages) return Corrupt("%u pre-tokeniser stages", stages->size());
  bool over_bytes = false;
  bool rewrites = false;
  for (const format::Stage* stage : *stages) {
    if (stage->behavior() > format::Behavior::MAX) {
      return Status::Error(StatusCode::kUnsupported,
                           "tokenizer: pre-tokeniser behaviour %d is not known to this build",
                           static_cast<int>(stage->behavior()));
    }
    // A stage over bytes may split characters, and the others rely on whole ones.
    if (over_bytes && !stage->over_bytes())
      return Corrupt("a stage over text follows one over bytes");
    over_bytes = stage->over_bytes();
    switch (stage->kind()) {
      case format::StageKind::Pattern:
        RONDO_RETURN_IF_ERROR(CheckText(stage->pattern(), 1, kMaxPatternBytes, "a pattern"));
        break;
      case format::StageKind::Numerals:
      case format::StageKind::Punctuation:
      case format::StageKind::Character:
      case format::StageKind::Whitespace:
        break;
      case format::StageKind::Rewrite:
        if (rewrites || stage == stages->Get(0)) return Corrupt("a Rewrite is out of place");
        rewrites = true;
        RONDO_RETURN_IF_ERROR(CheckText(stage->prefix(), 0, kMaxPrefixBytes, "a prefix"));
        RONDO_RETURN_IF_ERROR(CheckText(stage->replacement(), 0, kMaxPrefixBytes, "a replacement"));
        break;
      default:
        return Status::Error(StatusCode::kUnsupported,
                             "tokenizer: pre-tokeniser stage %d is not known to this build",
                             static_cast<int>(stage->kind()));
    }
  }
  return {};
}

Status CheckBpe(const TokenizerTables& tables, uint32_t atom_limit) {
  const uint32_t vocab_size = tables.vocab_size();
  for (size_t i = 0; i < tables.atoms.size(); ++i) {
    const Atom& atom = tables.atoms[i];
    if (atom.key >= atom_limit || atom.id >= vocab_size ||
        (i > 0 && atom.key <= tables.atoms[i - 1].key)) {
      return Corrupt("atom %zu is {%u, %u}", i, atom.key, atom.id);
    }
  }
  for (size_t i = 0; i < tables.merges.size(); ++i) {
    const Merge& merge = tables.merges[i];
    if (merge.left >= vocab_size || merge.right >= vocab_size || merge.result >= vocab_size) {
      return Corrupt("merge %zu is {%u, %u, %u} with %u tokens", i, merge.left, merge.right,
                     merge.result, vocab_size);
    }
  }
  if (tables.merges.size() >= kEmptySlot) return Corrupt("too many merges");
  const uint32_t merge_count = static_cast<uint32_t>(tables.merges.size());
  RONDO_RETURN_IF_ERROR(
      CheckSlots(tables.merge_slots, merge_count, merge_count, "the merges' table"));
  if (!std::has_single_bit(tables.joints.size())) {
    return Corrupt("joints has %zu bytes, not a power of two", tables.joints.size());
  }
  size_t whole = 0;
  for (const uint8_t flags : tables.token_flags) whole += (flags & kTokenWhole) != 0;
  return CheckSlots(tables.word_slots, whole, vocab_size, "the words' table");
}

Status CheckUnigram(const TokenizerTables& tables) {
  const format::Tokenizer& settings = *tables.settings;
  RONDO_RETURN_IF_ERROR(Trie::Check(tables.pieces, tables.vocab_size(), "the pieces"));
  if (tables.scores.size() != tables.vocab_size()) {
    return Corrupt("%zu scores, expected %u", tables.scores.size(), tables.vocab_size());
  }
  for (const double score : tables.scores) {
    if (!std::isfinite(score)) return Corrupt("a score is not a finite number");
  }
  if (!std::isfinite(settings.unknown_score())) {
    return Corrupt("unknown_score is not a finite number");
  }
  if (settings.max_piece_bytes() > kMaxTokenBytes) {
    return Corrupt("max_piece_bytes is %u, at most %u is read", settings.max_piece_bytes(),
                   kMaxTokenBytes);
  }
  return {};
}

Status CheckWordPiece(const TokenizerTables& tables) {
  RONDO_RETURN_IF_ERROR(Trie::Check(tables.pieces, tables.vocab_size(), "the pieces"));
  RONDO_RETURN_IF_ERROR(
      CheckText(tables.settings->continuation(), 0, kMaxPrefixBytes, "continuation"));
  const uint32_t most = tables.settings->max_word_characters();
  if (most >= 1 && most <= kMaxWordCharacters) return {};
  return Corrupt("max_word_characters is %u, expected 1 to %u", most, kMaxWordCharacters);
}

Status CheckModel(const TokenizerTables& tables) {
  const format::Tokenizer& settings = *tables.settings;
  const uint32_t vocab_size = tables.vocab_size();
  if (const auto* bytes = settings.byte_tokens(); bytes != nullptr && bytes->size() != 0) {
    if (bytes->size() != 256) return Corrupt("%u byte tokens, expected 256", bytes->size());
    for (const int32_t id : *bytes) {
      if (id < -1 || id >= static_cast<int32_t>(vocab_size)) {
        return Corrupt("a byte token has id %d of %u", id, vocab_size);
      }
    }
  }
  if (settings.unknown_token() < -1 ||
      settings.unknown_token() >= static_cast<int32_t>(vocab_size)) {
    return Corrupt("unknown_token is %d of %u", settings.unknown_token(), vocab_size);
  }
  switch (settings.model()) {
    case format::ModelKind::ByteBpe:
      return CheckBpe(tables, 0x100);
    case format::ModelKind::CharacterBpe:
      return CheckBpe(tables, kMaxCodePoint + 1);
    case format::ModelKind::Unigram:
      return CheckUnigram(tables);
    case format::ModelKind::WordPiece:
      return CheckWordPiece(tables);
    default:
      return Status::Error(StatusCode::kUnsupported,
                           "tokenizer: a model of kind %d is not known to this build",
                           static_cast<int>(settings.model()));
  }
}

Status CheckGolden(const TokenizerTables& tables) {
  if (tables.settings->golden() == nullptr) return {};
  for (const format::Golden* golden : *tables.settings->golden()) {
    RONDO_RETURN_IF_ERROR(CheckText(golden->text(), 1, kMaxTokenBytes, "a golden text"));
    RONDO_RETURN_IF_ERROR(
        CheckIds(golden->ids(), kMaxGoldenIds, tables.vocab_size(), "a golden text"));
  }
  return {};
}

}  // namespace

Status TokenizerTables::Check() const {
  RONDO_RETURN_IF_ERROR(CheckTokens(*this));
  RONDO_RETURN_IF_ERROR(CheckAddedTokens(*this));
  RONDO_RETURN_IF_ERROR(CheckNormalizer(*this));
  RONDO_RETURN_IF_ERROR(CheckStages(*this));
  RONDO_RETURN_IF_ERROR(CheckModel(*this));

  RONDO_RETURN_IF_ERROR(CheckText(settings->piece_prefix(), 0, kMaxPrefixBytes, "piece_prefix"));
  if (settings->strip_start() > kMaxStripStart) {
    return Corrupt("strip_start is %u", settings->strip_start());
  }
  RONDO_RETURN_IF_ERROR(CheckIds(settings->before(), kMaxSurroundingIds, vocab_size(), "before"));
  RONDO_RETURN_IF_ERROR(CheckIds(settings->after(), kMaxSurroundingIds, vocab_size(), "after"));
  return CheckGolden(*this);
}

}  // namespace rondo
