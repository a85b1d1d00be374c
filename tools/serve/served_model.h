// ServedModel: a model with its engine, and what requests need to know of it.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tools/common/sight.h"
#include "tools/dialogue/answer.h"
#include "tools/dialogue/chat_ids.h"

namespace rondo::tools::serve {

enum class ModelKind { kPredicts, kEmbeds, kScores };

struct AdapterWish {
  std::string name, path;
};

struct ModelWish {
  std::string name, path;
  std::vector<AdapterWish> adapters;
  std::string draft;            // the file of a model that drafts; empty: none
  rondo::EngineOptions engine;  // with context (0: as `rondo run`), threads, KV format, draft head
  int32_t speculation = RONDO_SPECULATION_NONE;  // where it predicts
  uint32_t sessions = 8;
  std::optional<uint32_t> image_rows;  // nothing: of models that see, for some pictures
};

// Of models that see, unless something else is said: rows for so many pictures of this size.
inline constexpr uint64_t kUsualPictures = 8;
inline constexpr PictureSize kUsualSize = {1024, 768};

struct ModelFiles {
  explicit ModelFiles(const ModelWish& wish);

  bool predicts() const { return model.EmbedderInfo().dimensions == 0; }

  rondo::Model model;
  std::optional<rondo::Model> draft;
};

// Of the engine that it wishes; what a plan is made of.
rondo::EngineOptions EngineOptionsOf(const ModelFiles& files, const ModelWish& wish);

class ServedModel {
 public:
  // Throws Error or rondo::Error. It takes its time: weights are packed.
  explicit ServedModel(const ModelWish& wish);

  const std::string& name() const { return wish_.name; }
  const ModelWish& wish() const { return wish_; }
  ModelKind kind() const { return kind_; }
  const rondo::Model& model() const { return files_.model; }
  rondo::Engine& engine() const { return engine_; }
  const rondo_memory_plan& memory() const { return memory_; }
  const rondo_model_facts& facts() const { return facts_; }
  const rondo_embedder_facts& embedder() const { return embedder_; }
  // Of what computes: where it is the same, a request with a seed has the same answer.
  std::string Fingerprint() const;
  bool has_chat() const { return has_chat_; }
  bool sees() const { return sees_; }
  const MessageForm& message_form() const { return form_; }
  const ThinkingMarks& thinking() const { return thinking_; }
  // Null: it has none of this name.
  const rondo::Adapter* FindAdapter(const std::string& name) const;

  // A grammar, made once for requests that want the same one after the other. Throws ApiError with
  // the library's sentence, at `pointer`.
  rondo::Grammar GrammarOf(int32_t kind, const std::string& text, const std::string& pointer);

  // The same of answers whose calls parse, or that are JSON of the schema where there is one.
  rondo::Grammar CallGrammarOf(const rondo::Chat& chat, int32_t calls, const std::string& function,
                               const std::string& schema);

  // Sessions for texts as vectors, one caller at a time.
  std::mutex& embedding() { return embedding_; }
  std::vector<rondo::Session>& embedding_sessions() { return embedding_sessions_; }

 private:
  const ModelWish wish_;
  ModelFiles files_;
  rondo_embedder_facts embedder_;
  ModelKind kind_;
  rondo_model_facts facts_;
  mutable rondo::Engine engine_;  // sessions are stepped by who has no more than the model to read
  rondo_memory_plan memory_;
  const bool sees_;
  bool has_chat_ = false;
  MessageForm form_;
  ThinkingMarks thinking_;
  std::map<std::string, rondo::Adapter> adapters_;

  struct KeptGrammar {
    std::string key;  // all that it was made of
    rondo::Grammar grammar;
  };
  std::optional<rondo::Grammar> FindGrammar(const std::string& key);
  rondo::Grammar Keep(std::string key, rondo::Grammar grammar);

  std::mutex grammars_mutex_;
  std::list<KeptGrammar> grammars_;  // the last used first
  std::mutex embedding_;
  std::vector<rondo::Session> embedding_sessions_;
};

}  // namespace rondo::tools::serve
