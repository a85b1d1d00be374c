#include "tools/serve/served_model.h"

#include <algorithm>

#include "tools/common/constraint.h"
#include "tools/common/context.h"
#include "tools/common/library.h"
#include "tools/common/limits.h"
#include "tools/serve/api_error.h"

namespace rondo::tools::serve {
namespace {

constexpr size_t kKeptGrammars = 32;

// Of a prompt in one pass, while others' answers wait for their next token. A pass of 64 rows is
// nearly as fast, for each, as one of 256.
constexpr uint32_t kRowsBesideStreams = 64;

ModelKind KindOf(const rondo_embedder_facts& facts) {
  if (facts.dimensions == 0) return ModelKind::kPredicts;
  return facts.scores_pairs != 0 ? ModelKind::kScores : ModelKind::kEmbeds;
}

uint32_t UsualImageRows(const rondo::Model& model) {
  const uint64_t rows = kUsualPictures * model.ImagePlan(kUsualSize.width, kUsualSize.height).rows;
  return static_cast<uint32_t>(std::min(rows, kMostMediaRows));
}

// Of a pass that has a text of models that read it whole; 0: the model reads texts in pieces.
uint32_t RowsOfWholeTexts(const rondo::Model& model, uint32_t context) {
  const rondo_embedder_facts facts = model.EmbedderInfo();
  if (facts.whole_texts == 0) return 0;
  return std::min({context, facts.max_tokens, static_cast<uint32_t>(kMostRows)});
}

uint32_t RankOf(const rondo::Model& model, const std::vector<AdapterWish>& adapters) {
  uint32_t rank = 0;
  for (const AdapterWish& one : adapters) {
    rank = std::max(rank, rondo::Adapter(model, one.path).Facts().rank);
  }
  return rank;
}

}  // namespace

ModelFiles::ModelFiles(const ModelWish& wish) : model(wish.path) {
  if (!wish.draft.empty() && predicts()) draft.emplace(wish.draft);
}

rondo::EngineOptions EngineOptionsOf(const ModelFiles& files, const ModelWish& wish) {
  const rondo::Model& model = files.model;
  rondo::EngineOptions options = wish.engine;
  if (options.context == 0) options.context = ContextFor(model, 0);
  options.max_sessions = wish.sessions;
  options.rows_per_step = kRowsBesideStreams;
  if (files.draft) options.draft = files.draft->get();
  if (!files.predicts()) {
    options.draft_head = 0;
    options.max_rows = std::max(options.max_rows, RowsOfWholeTexts(model, options.context));
  }
  if (files.predicts() && model.Info().picture_token >= 0) {
    options.max_media_rows = wish.image_rows ? *wish.image_rows : UsualImageRows(model);
  }
  options.adapter_rank = RankOf(model, wish.adapters);
  return options;
}

ServedModel::ServedModel(const ModelWish& wish)
    : wish_(wish),
      files_(wish),
      embedder_(model().EmbedderInfo()),
      kind_(KindOf(embedder_)),
      facts_(model().Info()),
      engine_(model(), EngineOptionsOf(files_, wish)),
      memory_(engine_.Memory()),
      sees_(EngineOptionsOf(files_, wish).max_media_rows > 0) {
  for (const AdapterWish& one : wish.adapters) {
    adapters_.emplace(one.name, rondo::Adapter(model(), one.path));
  }
  if (kind_ != ModelKind::kPredicts) {
    for (uint32_t i = 0; i < wish.sessions; ++i) embedding_sessions_.emplace_back(engine_);
    return;
  }
  has_chat_ = !ChatTemplateNames(model()).empty();
  if (!has_chat_) return;
  form_ = MessageFormOf(model(), {}, /*with_calls=*/true);
  thinking_ = ThinkingMarksOf(model(), {});
}

std::string ServedModel::Fingerprint() const {
  return std::string("rondo-") + rondo_version_string() + "-" + memory_.kernels;
}

const rondo::Adapter* ServedModel::FindAdapter(const std::string& name) const {
  const auto found = adapters_.find(name);
  return found == adapters_.end() ? nullptr : &found->second;
}

std::optional<rondo::Grammar> ServedModel::FindGrammar(const std::string& key) {
  const std::lock_guard lock(grammars_mutex_);
  const auto found = std::find_if(grammars_.begin(), grammars_.end(),
                                  [&](const KeptGrammar& kept) { return kept.key == key; });
  if (found == grammars_.end()) return std::nullopt;
  grammars_.splice(grammars_.begin(), grammars_, found);
  return found->grammar;
}

rondo::Grammar ServedModel::Keep(std::string key, rondo::Grammar grammar) {
  const std::lock_guard lock(grammars_mutex_);
  grammars_.push_front({std::move(key), grammar});
  if (grammars_.size() > kKeptGrammars) grammars_.pop_back();
  return grammar;
}

rondo::Grammar ServedModel::GrammarOf(int32_t kind, const std::string& text,
                                      const std::string& pointer) {
  std::string key = std::to_string(kind) + " " + text;
  if (std::optional<rondo::Grammar> kept = FindGrammar(key)) return *kept;
  rondo::GrammarOptions options;
  options.kind = kind;
  if (kind != RONDO_GRAMMAR_PATTERN) options.flags = SchemaFlags(/*any_json=*/false);
  try {
    return Keep(std::move(key), rondo::Grammar(model(), text, options));
  } catch (const rondo::Error& error) {
    throw ApiError(400, pointer + ": " + error.what(), pointer, "invalid_grammar");
  }
}

rondo::Grammar ServedModel::CallGrammarOf(const rondo::Chat& chat, int32_t calls,
                                          const std::string& function, const std::string& schema) {
  std::string key = "calls " + std::to_string(calls) + " " + function + "\n" + chat.tools + "\n" +
                    chat.variables + "\n" + std::to_string(chat.flags) + "\n" + schema;
  if (std::optional<rondo::Grammar> kept = FindGrammar(key)) return *kept;
  rondo::GrammarOptions options;
  options.kind = RONDO_GRAMMAR_GBNF;
  options.flags = SchemaFlags(/*any_json=*/false);
  try {
    std::string rules = model().ChatGrammar(chat, calls, function);
    if (!schema.empty()) {
      constexpr std::string_view kRoot = "root ";
      rules = "root ::= called | %json " + schema + "\ncalled " + rules.substr(kRoot.size());
    }
    return Keep(std::move(key), rondo::Grammar(model(), rules, options));
  } catch (const rondo::Error& error) {
    throw ApiError(400, std::string("/tools: ") + error.what(), "/tools", "invalid_tools");
  }
}

}  // namespace rondo::tools::serve
