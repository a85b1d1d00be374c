#include <cmath>
#include <fstream>
#include <limits>

#include "support.h"

namespace {

// b04, b05, b06
void Files() {
  const rondo::Model model(Path("RONDO_TEST_MODEL"));
  const rondo_model_facts facts = model.Info();
  CHECK(facts.vocab_size == 2048 && facts.context_length == 512 && facts.n_layers == 4);
  CHECK(Refusal([] { rondo::Model("no/such.rondo"); }, "no/such.rondo") == RONDO_STATUS_IO_ERROR);
  std::ofstream("text.rondo") << std::string(1000, 'x');
  CHECK(Refusal([] { rondo::Model("text.rondo"); }) == RONDO_STATUS_NOT_A_MODEL);
  const std::string cut = Path("RONDO_TEST_MODEL") + std::string(1, '\0') + "x";
  CHECK(Refusal([&] { rondo::Model{cut}; }, "zero byte") == RONDO_STATUS_INVALID_ARGUMENT);
}

// b08
void LettersOfAllKinds() {
  const rondo::Model model(Path("RONDO_TEST_MODEL"));
  const std::string text = std::string(
                               "Gr\xC3\xBC\xC3\x9F"
                               "e \xF0\x9F\x99\x82 a") +
                           '\0' + "b";
  CHECK(model.Detokenize(model.Tokenize(text, 0)) == text);
}

// b09, b10
void Plans() {
  const rondo::Model model(Path("RONDO_TEST_MODEL"));
  const rondo_memory_plan plan = model.Plan(Small());
  CHECK(rondo::Engine(model, Small()).Memory().arena_bytes == plan.arena_bytes);
  rondo::EngineOptions fitting = Small();
  fitting.context = 0;
  fitting.context = model.PlanFit(plan.arena_bytes, fitting);
  CHECK(fitting.context >= 256 && model.Plan(fitting).arena_bytes <= plan.arena_bytes);
}

}  // namespace

void TestModels() {
  Files();
  LettersOfAllKinds();
  Plans();
}

namespace {

// b12, b13: what is left of it behind the compiler's own refusals (refused.cc). b14: fields are
// called as in rondo.h.
void RefusedValues(const rondo::Model& model, const rondo::Engine& engine) {
  rondo::EngineOptions wide;
  wide.max_rows = 50000;
  CHECK(Refusal([&] { rondo::Engine(model, wide); }, "max_rows") == RONDO_STATUS_INVALID_ARGUMENT);
  for (const float wrong : {std::nanf(""), std::numeric_limits<float>::infinity(), -1.0f}) {
    rondo::SessionOptions hot;
    hot.temperature = wrong;
    CHECK(Refusal([&] { rondo::Session(engine, hot); }, "temperature") ==
          RONDO_STATUS_INVALID_ARGUMENT);
  }
  rondo::EmbedOptions many;
  many.dimensions = size_t{1} << 40;
  CHECK(Refusal([&] { engine.Embed({"a"}, many); }, "dimensions") == RONDO_STATUS_INVALID_ARGUMENT);
}

// b15
void EngineOptions(const rondo::Model& model) {
  const auto works = [&](auto set) {
    rondo::EngineOptions options;
    set(&options);
    rondo::Engine(model, options);
  };
  works([](auto* o) { o->context = 64; });
  works([](auto* o) { o->max_sessions = 3; });
  works([](auto* o) { o->max_rows = 32; });
  works([](auto* o) { o->threads = 1; });
  works([](auto* o) {
    o->context_policy = RONDO_POLICY_SLIDE;
    o->sink_tokens = 64;
  });
  works([](auto* o) { o->kv_format = RONDO_KV_K8V4; });
  works([](auto* o) { o->kernels = "scalar"; });
  works([](auto* o) { o->kv_tokens = 1024; });
  works([](auto* o) { o->rows_per_step = 16; });
  works([](auto* o) { o->no_prefix_cache = 1; });
  works([](auto* o) { o->profile_events = 100; });
  works([](auto* o) { o->duty_percent = 50; });
  works([](auto* o) { o->adapter_rank = 8; });
  works([](auto* o) { o->max_input_rows = 8; });
  works([](auto* o) { o->affinity = RONDO_AFFINITY_PERFORMANCE; });
  works([&](auto* o) { o->draft = model.get(); });
  works([](auto* o) {
    o->log_level = RONDO_LOG_DEBUG;
    o->log = [](void*, int32_t, const char*) {};
  });
  rondo::EngineOptions none;
  none.draft_head = 1;  // of other models
  CHECK(Refusal([&] { rondo::Engine(model, none); }) == RONDO_STATUS_INVALID_ARGUMENT);
  none.draft_head = 0;
  none.max_media_rows = 8;
  CHECK(Refusal([&] { rondo::Engine(model, none); }) == RONDO_STATUS_UNSUPPORTED);
}

// b16
void SessionOptions(const rondo::Model& model) {
  rondo::EngineOptions with = Small(2);
  with.adapter_rank = 4;
  with.draft = model.get();
  const rondo::Engine engine(model, with);
  const rondo::Grammar grammar = rondo::Grammar::FromPattern(model, "[ab]+");
  const rondo::Adapter adapter(model, Path("RONDO_TEST_ADAPTER"));
  const auto works = [&](auto set) {
    rondo::SessionOptions options;
    set(&options);
    rondo::Session(engine, options);
  };
  works([](auto* o) { o->recommended = false; });
  works([](auto* o) { o->temperature = 0.5f; });
  works([](auto* o) { o->top_k = 5; });
  works([](auto* o) { o->top_p = 0.5f; });
  works([](auto* o) { o->min_p = 0.1f; });
  works([](auto* o) { o->repetition_penalty = 1.1f; });
  works([](auto* o) { o->presence_penalty = 0.1f; });
  works([](auto* o) { o->frequency_penalty = 0.1f; });
  works([](auto* o) { o->penalty_last_n = 0; });
  works([](auto* o) { o->ignore_eos = true; });
  works([](auto* o) { o->logprobs = true; });
  works([](auto* o) { o->no_repeat_ngram_size = 3; });
  works([](auto* o) { o->seed = UINT64_MAX; });
  works([](auto* o) { o->max_tokens = 5; });
  works([](auto* o) { o->speculation = RONDO_SPECULATION_DRAFT_MODEL; });
  works([](auto* o) { o->max_drafts = 2; });
  works([&](auto* o) {
    o->grammar = grammar;
    o->grammar_begin = RONDO_GRAMMAR_BEGIN_AFTER_TOKEN;
    o->grammar_token = 5;
    o->grammar_goes_on = true;
  });
  works([](auto* o) {
    o->thinking = true;
    o->thinking_begin = "<t>";
    o->thinking_end = "</t>";
    o->thinking_tokens = 5;
  });
  works([](auto* o) { o->stop = {"x"}; });
  works([](auto* o) { o->bias = {{5, 1.0f}}; });
  works([](auto* o) { o->json_schema = "true"; });
  works([&](auto* o) { o->adapter = adapter; });
}

// b17, b18
void SamplingAndDrafts(const rondo::Model& model, const std::string& text) {
  const rondo::Model makers(Path("RONDO_TEST_RECOMMENDING"));
  const rondo::Engine engine(makers, Small());
  rondo::SessionOptions plain = Limited();
  CHECK(Said(engine, plain) != text);
  plain.recommended = false;
  CHECK(Said(engine, plain) == text);
  rondo::EngineOptions drafting = Small();
  drafting.draft = model.get();
  rondo::SessionOptions drafted = Limited();
  drafted.speculation = RONDO_SPECULATION_DRAFT_MODEL;
  CHECK(Said(rondo::Engine(model, drafting), drafted) == text);
}

}  // namespace

void TestOptions() {
  const rondo::Model model(Path("RONDO_TEST_MODEL"));
  const rondo::Engine engine(model, Small());
  RefusedValues(model, engine);
  EngineOptions(model);
  SessionOptions(model);
  SamplingAndDrafts(model, Said(engine));
}
