#include "tools/common/library.h"

#include <algorithm>
#include <utility>

#include "tools/common/interrupt.h"
#include "tools/common/progress_bar.h"
#include "tools/system/standard_files.h"

namespace rondo::tools {
namespace {

// What the user can do about it.
const char* Advice(int32_t status) {
  switch (status) {
    case RONDO_STATUS_NOT_A_MODEL:
      return " (make one with `rondo convert`)";
    case RONDO_STATUS_NEWER_FORMAT:
      return " (update rondo, or convert the model anew)";
    case RONDO_STATUS_CORRUPT:
      return " (copy or convert the model anew)";
    case RONDO_STATUS_OUT_OF_MEMORY:
    case RONDO_STATUS_ARENA_TOO_SMALL:
      return " (choose a smaller --context; `rondo inspect MODEL --fit BYTES` tells which fits)";
    case RONDO_STATUS_CONTEXT_FULL:
      return " (give a larger --context)";
    default:
      return "";
  }
}

// Options of an engine and of pictures by the names that people type.
constexpr std::pair<std::string_view, const char*> kTyped[] = {
    {"engine option context", "--context"},
    {"engine option sink_tokens", "--sinks"},
    {"engine option policy", "--policy"},
    {"engine option max_rows", "--rows"},
    {"engine option max_sessions", "--sessions"},
    {"engine option threads", "--threads"},
    {"engine option kernels", "--kernels"},
    {"engine option kv_format", "--kv"},
    {"engine option max_media_rows", "--image-rows"},
    {"image option max_tokens", "--image-tokens"}};

}  // namespace

// Of an option the library's own sentence is "engine option NAME is VALUE, but ...".
void Explain(const rondo::Error& error) {
  if (error.status() == RONDO_STATUS_CANCELLED) CheckInterrupt();
  constexpr std::string_view kIs = " is ";
  const std::string sentence = std::string(error.what()) + Advice(error.status());
  const size_t is = std::min(sentence.find(kIs), sentence.size());
  for (const auto& [option, typed] : kTyped) {
    if (sentence.substr(0, is) != option) continue;
    throw OptionRefused(sentence, typed, sentence.substr(is + kIs.size()));
  }
  throw Error(sentence);
}

Model OpenModel(const std::string& path) {
  try {
    return Model(path);
  } catch (const rondo::Error& error) {
    const std::string sentence = error.what();
    if (sentence.find(path) != sentence.npos) throw;
    throw rondo::Error(error.status(), path + ": " + sentence);
  }
}

Model OpenPredictor(const std::string& path) {
  Model model = OpenModel(path);
  const rondo_embedder_facts facts = model.EmbedderInfo();
  if (facts.dimensions == 0) return model;
  if (facts.scores_pairs != 0) {
    throw Error(
        "the model scores pairs of a query and a document and predicts no tokens: use `rondo "
        "rerank`");
  }
  throw Error("the model makes vectors of texts and predicts no tokens: embed texts");
}

std::string Fact(const Model& model, const std::string& key) {
  try {
    return model.Fact(key);
  } catch (const rondo::Error& error) {
    if (error.status() != RONDO_STATUS_INVALID_ARGUMENT) throw;
    return "";
  }
}

std::vector<std::string> ChatTemplateNames(const Model& model) {
  return AllNames([&model](uint32_t i) { return model.ChatTemplateName(i); });
}

std::vector<int32_t> Tokenize(const Model& model, std::string_view text, bool add_special) {
  try {
    return model.Tokenize(text, add_special ? RONDO_TOKENIZE_ADD_SPECIAL : 0);
  } catch (const rondo::Error& error) {
    if (error.status() == RONDO_STATUS_UNSUPPORTED) {
      throw Error("the model has no tokenizer, so it takes token ids only");
    }
    if (error.status() == RONDO_STATUS_INVALID_ARGUMENT) {
      throw Error("the model's own patterns take too many steps on this text");
    }
    throw;
  }
}

TokensAround FindTokensAround(const Model& model) {
  const std::vector<int32_t> text = Tokenize(model, "x", false), whole = Tokenize(model, "x", true);
  const auto found = std::search(whole.begin(), whole.end(), text.begin(), text.end());
  const auto end = found + std::min(std::ssize(text), whole.end() - found);
  return {{whole.begin(), found}, {end, whole.end()}};
}

Engine CreateEngine(const Model& model, EngineOptions options) {
  ProgressBar bar;
  options.progress = [](void* bar, uint64_t done, uint64_t total) -> int32_t {
    if (bar != nullptr) static_cast<ProgressBar*>(bar)->Update(done, total);
    return InterruptFlag() ? 1 : 0;
  };
  options.progress_user = IsTerminal(kStandardError) ? &bar : nullptr;
  return Engine(model, options);
}

std::optional<Model> OpenDraft(const std::string& path, EngineOptions* engine,
                               SessionOptions* session) {
  if (path.empty()) return std::nullopt;
  Model draft = OpenModel(path);
  engine->draft = draft.get();
  session->speculation = RONDO_SPECULATION_DRAFT_MODEL;
  return draft;
}

void UseAdapter(const std::string& path, const Model& model, EngineOptions* engine,
                SessionOptions* session) {
  if (path.empty()) return;
  try {
    session->adapter.emplace(model, path);
  } catch (const rondo::Error& error) {
    throw Error(path + ": " + error.what() +
                " (`rondo convert ADAPTER --adapter-for MODEL` makes one for this model)");
  }
  engine->adapter_rank = session->adapter->Facts().rank;
}

}  // namespace rondo::tools
