#include "tools/common/library.h"

#include <algorithm>
#include <utility>

#include "tools/common/interrupt.h"
#include "tools/common/progress_bar.h"
#include "tools/system/standard_files.h"

namespace rondo::tools {
namespace {

constexpr size_t kMessageBytes = 256;

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

void Require(int32_t status, const char* message) {
  if (status == RONDO_STATUS_OK) return;
  if (status == RONDO_STATUS_CANCELLED) CheckInterrupt();
  const std::string sentence = *message != '\0' ? message : rondo_status_string(status);
  Refuse(sentence + Advice(status));
}

Model OpenModel(const std::string& path) {
  rondo_model* model = nullptr;
  char message[kMessageBytes];
  const int32_t status =
      rondo_model_open_path(RONDO_ABI_VERSION, path.c_str(), &model, message, sizeof message);
  // What is wrong with a file is told with its name.
  std::string sentence = message;
  if (sentence.find(path) == std::string::npos) sentence = path + ": " + sentence;
  Require(status, sentence.c_str());
  return Model(model);
}

rondo_model_facts Facts(const rondo_model* model) {
  rondo_model_facts facts = {};
  facts.struct_size = sizeof facts;
  Require(rondo_model_info(model, &facts), "");
  return facts;
}

Model OpenPredictor(const std::string& path) {
  Model model = OpenModel(path);
  rondo_embedder_facts facts = {};
  facts.struct_size = sizeof facts;
  rondo_model_embedder(model.get(), &facts);
  if (facts.dimensions == 0) return model;
  if (facts.scores_pairs != 0) {
    throw Error(
        "the model scores pairs of a query and a document and predicts no tokens: use `rondo "
        "rerank`");
  }
  throw Error("the model makes vectors of texts and predicts no tokens: embed texts");
}

std::string Fact(const rondo_model* model, const char* key) {
  return TextOutput([&](char* buffer, size_t capacity, size_t* length) {
    return rondo_model_fact(model, key, buffer, capacity, length);
  });
}

std::vector<int32_t> Tokenize(const rondo_model* model, std::string_view text, bool add_special) {
  const uint32_t flags = add_special ? RONDO_TOKENIZE_ADD_SPECIAL : 0;
  // No text has more ids than bytes but for those around it; where it does, its count is told.
  std::vector<int32_t> ids(text.size() + 16);
  size_t count = 0;
  int32_t status =
      rondo_tokenize(model, text.data(), text.size(), flags, ids.data(), ids.size(), &count);
  if (status == RONDO_STATUS_BUFFER_TOO_SMALL) {
    ids.resize(count);
    status = rondo_tokenize(model, text.data(), text.size(), flags, ids.data(), ids.size(), &count);
  }
  if (status == RONDO_STATUS_UNSUPPORTED) {
    throw Error("the model has no tokenizer, so it takes token ids only");
  }
  if (status == RONDO_STATUS_INVALID_ARGUMENT) {
    throw Error("the model's own patterns take too many steps on this text");
  }
  Require(status, "");
  ids.resize(count);
  return ids;
}

TokensAround FindTokensAround(const rondo_model* model) {
  const std::vector<int32_t> text = Tokenize(model, "x", false), whole = Tokenize(model, "x", true);
  const auto found = std::search(whole.begin(), whole.end(), text.begin(), text.end());
  const auto end = found + std::min(std::ssize(text), whole.end() - found);
  return {{whole.begin(), found}, {end, whole.end()}};
}

rondo_engine_options EngineDefaults() {
  rondo_engine_options options;
  Require(rondo_engine_options_init(&options, sizeof options), "");
  return options;
}

rondo_session_options SessionDefaults() {
  rondo_session_options options;
  Require(rondo_session_options_init(&options, sizeof options), "");
  return options;
}

Engine CreateEngine(rondo_model* model, rondo_engine_options options) {
  ProgressBar bar;
  options.progress = [](void* bar, uint64_t done, uint64_t total) -> int32_t {
    if (bar != nullptr) static_cast<ProgressBar*>(bar)->Update(done, total);
    return InterruptFlag() ? 1 : 0;
  };
  options.progress_user = IsTerminal(kStandardError) ? &bar : nullptr;
  rondo_engine* engine = nullptr;
  char message[kMessageBytes];
  const int32_t status =
      rondo_engine_create(model, &options, nullptr, 0, &engine, message, sizeof message);
  Require(status, message);
  return Engine(engine);
}

rondo_memory_plan Memory(const rondo_engine* engine) {
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  Require(rondo_engine_memory(engine, &plan), "");
  return plan;
}

Model OpenDraft(const std::string& path, rondo_engine_options* engine, SessionSetup* setup) {
  if (path.empty()) return nullptr;
  Model draft = OpenModel(path);
  engine->draft = draft.get();
  setup->options.speculation = RONDO_SPECULATION_DRAFT_MODEL;
  return draft;
}

Adapter OpenAdapter(const std::string& path, rondo_model* model, rondo_engine_options* engine,
                    SessionSetup* setup) {
  if (path.empty()) return nullptr;
  rondo_adapter* adapter = nullptr;
  char message[kMessageBytes];
  if (rondo_adapter_open_path(model, path.c_str(), &adapter, message, sizeof message) !=
      RONDO_STATUS_OK) {
    throw Error(path + ": " + message +
                " (`rondo convert ADAPTER --adapter-for MODEL` makes one for this model)");
  }
  Adapter opened(adapter);
  engine->adapter_rank = Facts(adapter).rank;
  setup->options.adapter = adapter;
  return opened;
}

rondo_adapter_facts Facts(const rondo_adapter* adapter) {
  rondo_adapter_facts facts = {};
  facts.struct_size = sizeof facts;
  Require(rondo_adapter_info(adapter, &facts), "");
  return facts;
}

Session OpenSession(rondo_engine* engine, const SessionSetup& setup) {
  rondo_session_options options = setup.options;
  std::vector<const char*> stop;
  for (const std::string& text : setup.stop) stop.push_back(text.c_str());
  if (!stop.empty()) {
    options.stop_strings = stop.data();
    options.n_stop_strings = stop.size();
  }
  rondo_session* session = nullptr;
  char message[kMessageBytes];
  const int32_t status = rondo_session_open(engine, &options, &session, message, sizeof message);
  Require(status, message);
  return Session(session);
}

// The library's own sentence is "engine option NAME is VALUE, but ...".
void Refuse(const std::string& sentence) {
  constexpr std::string_view kIs = " is ";
  const size_t is = std::min(sentence.find(kIs), sentence.size());
  for (const auto& [option, typed] : kTyped) {
    if (sentence.substr(0, is) != option) continue;
    throw OptionRefused(sentence, typed, sentence.substr(is + kIs.size()));
  }
  throw Error(sentence);
}

void Check(const rondo_session* session, int32_t status) {
  Require(status, rondo_session_last_error(session));
}

}  // namespace rondo::tools
