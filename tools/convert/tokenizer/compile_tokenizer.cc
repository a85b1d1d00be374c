#include "tools/convert/tokenizer/compile_tokenizer.h"

#include <string>
#include <unordered_set>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/generation/grammar_vocabulary.h"
#include "runtime/grammar/token_trie.h"
#include "runtime/text/bpe.h"
#include "runtime/text/slots.h"
#include "runtime/text/tokenizer.h"
#include "tools/common/interrupt.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/tokenizer/bpe_tables.h"
#include "tools/convert/tokenizer/golden.h"
#include "tools/convert/tokenizer/json_value.h"
#include "tools/convert/tokenizer/pipeline.h"
#include "tools/convert/tokenizer/text.h"
#include "tools/convert/tokenizer/unigram_tables.h"
#include "tools/convert/tokenizer/vocabulary.h"
#include "tools/convert/tokenizer/word_piece_tables.h"

namespace rondo::convert {
namespace {

struct GoldenIds {
  std::string text;
  std::vector<uint32_t> ids;
};

// What the runtime's own tokenizer makes of the tables.
struct Derived {
  std::vector<GoldenIds> golden;
  std::vector<grammar::TokenTrie::Node> trie;
  size_t n_plain = 0;  // of its nodes
};

// The places of the tables in the file; all zero before they are written.
struct Sections {
  format::Section token_bytes, token_offsets, token_flags, atoms, merges, merge_slots, joints,
      word_slots, charsmap, charsmap_texts, pieces, scores, token_trie;
};

// Files from before kinds were named: BPE alone has merges, Unigram alone a list as vocabulary.
format::ModelKind KindOf(const JsonValue& model, bool byte_level) {
  const JsonValue type = model.Find("type");
  std::string name = "not given";
  if (!type.IsNull()) {
    name = type.String();
  } else if (!model.Find("merges").IsNull()) {
    name = "BPE";
  } else if (model.At("vocab").json().is_array()) {
    name = "Unigram";
  }
  if (name == "BPE") {
    return byte_level ? format::ModelKind::ByteBpe : format::ModelKind::CharacterBpe;
  }
  if (name != "Unigram" && name != "WordPiece") {
    type.Fail("is '" + name + "', expected BPE, Unigram or WordPiece");
  }
  if (byte_level) model.Fail("is " + name + " after ByteLevel, which is not supported");
  return name == "Unigram" ? format::ModelKind::Unigram : format::ModelKind::WordPiece;
}

// Everything of one tokenizer, ready to be written.
class Compiled {
 public:
  explicit Compiled(const JsonValue& root);

  flatbuffers::Offset<format::Tokenizer> Build(flatbuffers::FlatBufferBuilder& builder,
                                               const Sections& sections,
                                               const Derived& derived) const;
  Sections Write(SectionSink& sink, const Derived& derived) const;
  // For a model of so many tokens.
  Derived Derive(uint32_t model_tokens) const;

 private:
  const std::vector<TrieNode>& pieces() const {
    return kind_ == format::ModelKind::WordPiece ? word_piece_.pieces : unigram_.pieces;
  }
  int32_t unknown_token() const {
    switch (kind_) {
      case format::ModelKind::Unigram:
        return unigram_.unknown_token;
      case format::ModelKind::WordPiece:
        return word_piece_.unknown_token;
      default:
        return bpe_.unknown_token;
    }
  }
  void MakeTokens();
  void MakeWords();
  TokenizerTables View(const format::Tokenizer* settings) const;
  void Require(const Status& status) const;

  const JsonValue& root_;
  Pipeline pipeline_;
  format::ModelKind kind_;
  Vocabulary vocabulary_;
  BpeTables bpe_;               // of the three
  UnigramTables unigram_;       // that of the
  WordPieceTables word_piece_;  // kind is filled
  std::vector<uint8_t> token_bytes_;
  std::vector<uint32_t> token_offsets_;
  std::vector<uint8_t> token_flags_;
  std::vector<uint32_t> word_slots_;
};

Compiled::Compiled(const JsonValue& root)
    : root_(root),
      pipeline_(Pipeline::Parse(root)),
      kind_(KindOf(root.At("model"), pipeline_.byte_level)),
      vocabulary_(Vocabulary::Parse(root, pipeline_)) {
  if (kind_ == format::ModelKind::Unigram) {
    unigram_ = UnigramTables::Parse(root.At("model"), vocabulary_);
  } else if (kind_ == format::ModelKind::WordPiece) {
    word_piece_ = WordPieceTables::Parse(root.At("model"), vocabulary_);
  } else {
    bpe_ = BpeTables::Parse(root.At("model"), vocabulary_, pipeline_.byte_level);
  }
  for (const std::vector<uint32_t>* ids : {&pipeline_.before, &pipeline_.after}) {
    for (const uint32_t id : *ids) {
      if (id >= vocabulary_.size()) {
        root.At("post_processor")
            .Fail("names id " + std::to_string(id) + " of " + std::to_string(vocabulary_.size()));
      }
    }
  }
  if (bpe_.ignore_merges && pipeline_.stages.empty()) {
    root.At("model").At("ignore_merges").Fail("is supported only where a pre-tokeniser splits");
  }
  MakeTokens();
  MakeWords();
}

void Compiled::Require(const Status& status) const {
  if (!status.ok()) throw Error(root_.file() + ": " + status.message());
}

void Compiled::MakeTokens() {
  std::unordered_set<std::string> special_texts;
  for (const AddedTokenSpec& token : vocabulary_.added) {
    if (token.special) special_texts.insert(token.text);
  }
  token_offsets_.push_back(0);
  for (uint32_t id = 0; id < vocabulary_.size(); ++id) {
    uint8_t flags = 0;
    if (const auto& text = vocabulary_.texts[id]; text.has_value()) {
      const std::string bytes = pipeline_.DecodeToken(*text);
      if (bytes.size() > kMaxTokenBytes) {
        root_.At("model").At("vocab").Fail("has a token of " + std::to_string(bytes.size()) +
                                           " bytes, at most " + std::to_string(kMaxTokenBytes) +
                                           " are supported");
      }
      token_bytes_.insert(token_bytes_.end(), bytes.begin(), bytes.end());
      if (special_texts.contains(*text)) flags |= kTokenSkipped;
    }
    token_offsets_.push_back(static_cast<uint32_t>(token_bytes_.size()));
    token_flags_.push_back(flags);
  }
  for (const AddedTokenSpec& token : vocabulary_.added) {
    if (token.special) token_flags_[token.id] |= kTokenSpecial;
  }
}

// Finds the tokens that a pre-token of the same bytes always becomes: all of them where merges
// are ignored for whole words, else those that merging really leads to.
void Compiled::MakeWords() {
  std::vector<uint64_t> hashes;
  std::vector<uint32_t> ids;
  if (pipeline_.byte_level) {
    word_slots_.assign(1, kEmptySlot);
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(Build(builder, {}, {}));
    const TokenizerTables tables =
        View(flatbuffers::GetRoot<format::Tokenizer>(builder.GetBufferPointer()));
    const BpeModel model(tables);
    Result<BpeScratch> scratch = BpeScratch::Create();
    Require(scratch.status());
    for (const auto& [text, id] : vocabulary_.ids) {
      tools::CheckInterrupt();
      std::string bytes;
      if (!FromByteAlphabet(text, &bytes) || bytes.empty()) continue;
      const std::span<const uint8_t> token = tables.TokenBytes(id);
      if (!std::equal(token.begin(), token.end(), bytes.begin(), bytes.end(),
                      [](uint8_t a, char b) { return a == static_cast<uint8_t>(b); })) {
        continue;
      }
      if (!bpe_.ignore_merges) {
        int32_t result = -1;
        IdSink sink{{&result, 1}};
        BpeEncoder encoder(model, *scratch, sink);
        encoder.Encode(token, /*more=*/false);
        if (sink.count != 1 || result != static_cast<int32_t>(id)) continue;
      }
      hashes.push_back(HashBytes(token));
      ids.push_back(id);
    }
  }
  for (const uint32_t id : ids) token_flags_[id] |= kTokenWhole;
  word_slots_ = BuildSlots(hashes, ids);
}

TokenizerTables Compiled::View(const format::Tokenizer* settings) const {
  TokenizerTables tables;
  tables.settings = settings;
  tables.token_bytes = token_bytes_;
  tables.token_offsets = token_offsets_;
  tables.token_flags = token_flags_;
  tables.atoms = bpe_.atoms;
  tables.merges = bpe_.merges;
  tables.merge_slots = bpe_.merge_slots;
  tables.joints = bpe_.joints;
  tables.word_slots = word_slots_;
  tables.charsmap = pipeline_.normalization.charsmap.trie;
  tables.charsmap_texts = pipeline_.normalization.charsmap.texts;
  tables.pieces = pieces();
  tables.scores = unigram_.scores;
  return tables;
}

Derived Compiled::Derive(uint32_t model_tokens) const {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Build(builder, {}, {}));
  Result<std::unique_ptr<Tokenizer>> tokenizer =
      Tokenizer::Create(View(flatbuffers::GetRoot<format::Tokenizer>(builder.GetBufferPointer())),
                        vocabulary_.size());
  Require(tokenizer.status());
  Derived derived;
  for (const std::string_view text : kGoldenTexts) {
    int32_t ids[kMaxGoldenIds];
    size_t count = 0;
    Require((*tokenizer)->Encode(text, /*add_special=*/false, ids, &count));
    derived.golden.push_back({std::string(text), {ids, ids + count}});
  }
  const Result<grammar::TokenTrie> trie =
      grammar::TokenTrie::Create(GrammarVocabulary(**tokenizer, model_tokens));
  Require(trie.status());
  const grammar::TokenTrie::Stored stored = trie->stored();
  derived.trie.assign(stored.nodes.begin(), stored.nodes.end());
  derived.n_plain = stored.n_plain;
  return derived;
}

Sections Compiled::Write(SectionSink& sink, const Derived& derived) const {
  Sections sections;
  sections.token_bytes = sink.Add(token_bytes_);
  sections.token_offsets = sink.Add(BytesOf(token_offsets_));
  sections.token_flags = sink.Add(token_flags_);
  sections.atoms = sink.Add(BytesOf(bpe_.atoms));
  sections.merges = sink.Add(BytesOf(bpe_.merges));
  sections.merge_slots = sink.Add(BytesOf(bpe_.merge_slots));
  sections.joints = sink.Add(bpe_.joints);
  sections.word_slots = sink.Add(BytesOf(word_slots_));
  sections.charsmap = sink.Add(BytesOf(pipeline_.normalization.charsmap.trie));
  sections.charsmap_texts = sink.Add(pipeline_.normalization.charsmap.texts);
  sections.pieces = sink.Add(BytesOf(pieces()));
  sections.scores = sink.Add(BytesOf(unigram_.scores));
  sections.token_trie = sink.Add(BytesOf(derived.trie));
  return sections;
}

flatbuffers::Offset<format::Tokenizer> Compiled::Build(flatbuffers::FlatBufferBuilder& builder,
                                                       const Sections& sections,
                                                       const Derived& derived) const {
  std::vector<flatbuffers::Offset<format::AddedToken>> added;
  for (const AddedTokenSpec& token : vocabulary_.added) {
    const auto text = builder.CreateString(token.text);
    const auto match = builder.CreateString(token.match);
    added.push_back(format::CreateAddedToken(builder, token.id, text, match, token.normalized,
                                             token.strip_left, token.strip_right,
                                             token.single_word));
  }
  std::vector<flatbuffers::Offset<format::Stage>> stages;
  for (const StageSpec& stage : pipeline_.stages) {
    const auto pattern = builder.CreateString(stage.pattern);
    const auto replacement = builder.CreateString(stage.replacement);
    const auto prefix = builder.CreateString(stage.prefix);
    stages.push_back(format::CreateStage(builder, stage.kind, stage.behavior, stage.invert, pattern,
                                         stage.character, stage.over_bytes, replacement, prefix,
                                         stage.prefix_first_only));
  }
  std::vector<flatbuffers::Offset<format::Golden>> goldens;
  for (const GoldenIds& item : derived.golden) {
    const auto text = builder.CreateString(item.text);
    goldens.push_back(format::CreateGolden(builder, text, builder.CreateVector(item.ids)));
  }
  const auto added_offset = builder.CreateVector(added);
  const auto stages_offset = builder.CreateVector(stages);
  const auto golden_offset = builder.CreateVector(goldens);
  const auto normalizer_offset = pipeline_.normalization.Build(builder);
  const auto piece_prefix = builder.CreateString(pipeline_.piece_prefix);
  const bool unigram = kind_ == format::ModelKind::Unigram;
  const auto byte_tokens = builder.CreateVector(unigram ? unigram_.byte_tokens : bpe_.byte_tokens);
  const auto continuation = builder.CreateString(word_piece_.continuation);
  const auto before = builder.CreateVector(pipeline_.before);
  const auto after = builder.CreateVector(pipeline_.after);

  format::TokenizerBuilder tokenizer(builder);
  tokenizer.add_vocab_size(vocabulary_.size());
  tokenizer.add_token_bytes(&sections.token_bytes);
  tokenizer.add_token_offsets(&sections.token_offsets);
  tokenizer.add_token_flags(&sections.token_flags);
  tokenizer.add_replace_each_byte(pipeline_.normalization.replace_each_byte);
  tokenizer.add_normalizer(normalizer_offset);
  tokenizer.add_charsmap(&sections.charsmap);
  tokenizer.add_charsmap_texts(&sections.charsmap_texts);
  tokenizer.add_added_tokens(added_offset);
  tokenizer.add_piece_prefix(piece_prefix);
  tokenizer.add_prefix_first_only(pipeline_.prefix_first_only);
  tokenizer.add_stages(stages_offset);
  tokenizer.add_model(kind_);
  tokenizer.add_byte_tokens(byte_tokens);
  tokenizer.add_unknown_token(unknown_token());
  tokenizer.add_fuse_unknown(unigram || bpe_.fuse_unknown);
  tokenizer.add_atoms(&sections.atoms);
  tokenizer.add_merges(&sections.merges);
  tokenizer.add_merge_slots(&sections.merge_slots);
  tokenizer.add_joints(&sections.joints);
  tokenizer.add_word_slots(&sections.word_slots);
  tokenizer.add_pieces(&sections.pieces);
  tokenizer.add_scores(&sections.scores);
  tokenizer.add_unknown_score(unigram_.unknown_score);
  tokenizer.add_max_piece_bytes(unigram_.max_piece_bytes);
  tokenizer.add_before(before);
  tokenizer.add_after(after);
  tokenizer.add_strip_start(pipeline_.strip_start);
  tokenizer.add_first_token_without_spaces(pipeline_.first_token_without_spaces);
  tokenizer.add_golden(golden_offset);
  if (!derived.trie.empty()) tokenizer.add_token_trie(&sections.token_trie);
  tokenizer.add_plain_trie_nodes(static_cast<uint32_t>(derived.n_plain));
  if (kind_ == format::ModelKind::WordPiece) {
    tokenizer.add_continuation(continuation);
    tokenizer.add_max_word_characters(word_piece_.max_word_characters);
  }
  return tokenizer.Finish();
}

}  // namespace

flatbuffers::Offset<format::Tokenizer> CompileTokenizer(const nlohmann::json& document,
                                                        const std::string& source,
                                                        uint32_t model_tokens, SectionSink& sink,
                                                        flatbuffers::FlatBufferBuilder& builder) {
  const JsonValue root(document, source, "");
  const Compiled compiled(root);
  const Derived derived = compiled.Derive(model_tokens);
  return compiled.Build(builder, compiled.Write(sink, derived), derived);
}

}  // namespace rondo::convert
