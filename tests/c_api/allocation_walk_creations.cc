// Scenarios of functions that make handles and plans.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "tests/c_api/allocation_walk_world.h"

namespace rondo::abi_test {
namespace {

char why[256];

// ---- Models ----

template <typename Open>
Outcome OpenModel(const Open& open) {
  auto* model = reinterpret_cast<rondo_model*>(1);
  const int32_t status = Hurt([&] { return open(&model); });
  Outcome outcome{status, {}, model == nullptr, why};
  if (status != 0) return outcome;
  outcome.outputs = Describe(model);
  rondo_model_close(model);
  return outcome;
}

Outcome OpenPath(const std::string& path) {
  return OpenModel([&](rondo_model** model) {
    return rondo_model_open_path(RONDO_ABI_VERSION, path.c_str(), model, why, sizeof why);
  });
}

// The tiny model's bytes at an address that is a multiple of 64.
std::span<const unsigned char> TinyBytes() {
  static const std::vector<unsigned char> file = ReadFile(FilesOfWalk().tiny);
  static unsigned char* const copy = [] {
    auto* const memory =
        static_cast<unsigned char*>(std::aligned_alloc(64, (file.size() + 63) / 64 * 64));
    std::copy(file.begin(), file.end(), memory);
    return memory;
  }();
  return {copy, file.size()};
}

void AddModels(std::vector<Scenario>* all) {
  all->push_back(
      {"rondo_model_open_path", "patterns", true, [] { return OpenPath(FilesOfWalk().tiny); }});
  all->push_back({"rondo_model_open_path", "pieces, a template", true,
                  [] { return OpenPath(FilesOfWalk().talker); }});
  all->push_back({"rondo_model_open_fd", "", true, [] {
                    std::FILE* const file = std::fopen(FilesOfWalk().tiny.c_str(), "rb");
                    Outcome outcome = OpenModel([&](rondo_model** model) {
                      return rondo_model_open_fd(RONDO_ABI_VERSION, fileno(file), 0, UINT64_MAX,
                                                 model, why, sizeof why);
                    });
                    std::fclose(file);
                    return outcome;
                  }});
  all->push_back({"rondo_model_open_memory", "", true, [] {
                    return OpenModel([](rondo_model** model) {
                      return rondo_model_open_memory(RONDO_ABI_VERSION, TinyBytes().data(),
                                                     TinyBytes().size(), model, why, sizeof why);
                    });
                  }});
  all->push_back({"rondo_model_open_parts", "", true, [] {
                    const rondo_model_part part = {TinyBytes().data(), TinyBytes().size()};
                    return OpenModel([&](rondo_model** model) {
                      return rondo_model_open_parts(RONDO_ABI_VERSION, &part, 1, model, why,
                                                    sizeof why);
                    });
                  }});
}

// ---- Adapters ----

template <typename Open>
Outcome OpenAdapter(const Open& open) {
  TheWorld().engine();
  auto* adapter = reinterpret_cast<rondo_adapter*>(1);
  const int32_t status = Hurt([&] { return open(&adapter); });
  Outcome outcome{status, {}, adapter == nullptr, why};
  if (status != 0) return outcome;
  rondo_session_options options = SessionOptions();
  options.adapter = adapter;
  {
    const Session session = NewSession(TheWorld().engine(), options);
    outcome.outputs = Speak(TheWorld().tiny(), session.get());
  }
  rondo_adapter_close(adapter);
  return outcome;
}

void AddAdapters(std::vector<Scenario>* all) {
  all->push_back({"rondo_adapter_open_path", "", true, [] {
                    return OpenAdapter([](rondo_adapter** adapter) {
                      return rondo_adapter_open_path(TheWorld().tiny(),
                                                     FilesOfWalk().adapter.c_str(), adapter, why,
                                                     sizeof why);
                    });
                  }});
  all->push_back({"rondo_adapter_open_memory", "", true, [] {
                    static const std::vector<unsigned char> file = ReadFile(FilesOfWalk().adapter);
                    static void* const copy = [] {
                      void* const memory = std::aligned_alloc(64, (file.size() + 63) / 64 * 64);
                      return std::memcpy(memory, file.data(), file.size());
                    }();
                    return OpenAdapter([](rondo_adapter** adapter) {
                      return rondo_adapter_open_memory(TheWorld().tiny(), copy, file.size(),
                                                       adapter, why, sizeof why);
                    });
                  }});
}

// ---- Plans and engines ----

// In turn, on the thread that calls.
void InTurn(void*, size_t count, rondo_task task, void* context) {
  for (size_t i = 0; i < count; ++i) task(context, i);
}

struct Way {
  const char* what;
  rondo_engine_options (*options)();
};

const Way kWays[] = {
    {"one thread", World::Options},
    {"threads as the system tells",
     [] {
       rondo_engine_options options = World::Options();
       options.threads = 0;
       options.affinity = RONDO_AFFINITY_PERFORMANCE;
       return options;
     }},
    {"two threads",
     [] {
       rondo_engine_options options = World::Options();
       options.threads = 2;
       return options;
     }},
    {"a pool of the host",
     [] {
       rondo_engine_options options = World::Options();
       options.threads = 2;
       options.parallel_for = InTurn;
       return options;
     }},
    {"a draft model, SLIDE",
     [] {
       rondo_engine_options options = World::Options();
       options.adapter_rank = 0;
       options.draft = TheWorld().tiny();
       options.context_policy = RONDO_POLICY_SLIDE;
       return options;
     }},
};

Outcome CreateEngine(const rondo_engine_options& options) {
  rondo_model* const model = TheWorld().tiny();
  auto* engine = reinterpret_cast<rondo_engine*>(1);
  const int32_t status = Hurt(
      [&] { return rondo_engine_create(model, &options, nullptr, 0, &engine, why, sizeof why); });
  Outcome outcome{status, {}, engine == nullptr, why};
  if (status != 0) return outcome;
  rondo_session_options session_options = SessionOptions();
  if (options.draft != nullptr) session_options.speculation = RONDO_SPECULATION_DRAFT_MODEL;
  {
    const Session session = NewSession(engine, session_options);
    outcome.outputs = Speak(model, session.get());
  }
  rondo_engine_close(engine);
  return outcome;
}

void AddEngines(std::vector<Scenario>* all) {
  for (const Way& way : kWays) {
    all->push_back({"rondo_plan", way.what, true, [&way] {
                      const rondo_engine_options options = way.options();
                      rondo_memory_plan plan;
                      std::memset(&plan, 0xee, sizeof plan);
                      plan.struct_size = sizeof plan;
                      const int32_t status = Hurt([&] {
                        return rondo_plan(TheWorld().tiny(), &options, &plan, why, sizeof why);
                      });
                      return Outcome{status, Bytes().Add(plan).Take(), IsZero(plan), why};
                    }});
    all->push_back(
        {"rondo_engine_create", way.what, true, [&way] { return CreateEngine(way.options()); }});
  }
  all->push_back({"rondo_plan_region", "", true, [] {
                    const rondo_engine_options options = World::Options();
                    rondo_memory_region region;
                    std::memset(&region, 0xee, sizeof region);
                    region.struct_size = sizeof region;
                    const int32_t status = Hurt(
                        [&] { return rondo_plan_region(TheWorld().tiny(), &options, 1, &region); });
                    return Outcome{status, Bytes().Add(region).Take(), IsZero(region)};
                  }});
  all->push_back({"rondo_plan_fit", "", true, [] {
                    const rondo_engine_options options = World::Options();
                    uint32_t context = 77;
                    const int32_t status = Hurt([&] {
                      return rondo_plan_fit(TheWorld().tiny(), &options, 6u << 20, &context, why,
                                            sizeof why);
                    });
                    return Outcome{status, Bytes().Add(context).Take(), context == 0, why};
                  }});
}

// ---- Sessions ----

template <typename Open>
Outcome OpenSession(rondo_model* model, const Open& open) {
  auto* session = reinterpret_cast<rondo_session*>(1);
  const int32_t status = Hurt([&] { return open(&session); });
  Outcome outcome{status, {}, session == nullptr, why};
  if (status != 0) return outcome;
  outcome.outputs = Speak(model, session);
  rondo_session_close(session);
  return outcome;
}

rondo_session_options Everything() {
  static const rondo_logit_bias biases[] = {{5, 1}, {6, -1}};
  static const char* const stops[] = {"zz", "\n\n"};
  rondo_session_options options = SessionOptions();
  options.temperature = 0.8f;
  options.logit_bias = biases;
  options.n_logit_bias = 2;
  options.stop_strings = stops;
  options.n_stop_strings = 2;
  options.speculation = RONDO_SPECULATION_PROMPT_LOOKUP;
  options.thinking = 1;
  options.thinking_begin = " mom";
  options.thinking_end = " day.\n";
  options.adapter = TheWorld().adapter();
  return options;
}

rondo_grammar* Words() {
  rondo_grammar_options options;
  rondo_grammar_options_init(&options, sizeof options);
  options.kind = RONDO_GRAMMAR_PATTERN;
  rondo_grammar* grammar = nullptr;
  EXPECT_EQ(rondo_grammar_create(TheWorld().tiny(), &options, "[a-z ]{3,9}", 11, nullptr, 0,
                                 &grammar, why, sizeof why),
            RONDO_STATUS_OK)
      << why;
  return grammar;
}

void AddSessions(std::vector<Scenario>* all) {
  all->push_back({"rondo_session_open", "everything", true, [] {
                    const rondo_session_options options = Everything();
                    rondo_engine* const engine = TheWorld().engine();
                    return OpenSession(TheWorld().tiny(), [&](rondo_session** session) {
                      return rondo_session_open(engine, &options, session, why, sizeof why);
                    });
                  }});
  all->push_back({"rondo_session_open", "a grammar", true, [] {
                    static rondo_grammar* const grammar = Words();
                    rondo_session_options options = SessionOptions();
                    options.grammar = grammar;
                    rondo_engine* const engine = TheWorld().engine();
                    return OpenSession(TheWorld().tiny(), [&](rondo_session** session) {
                      return rondo_session_open(engine, &options, session, why, sizeof why);
                    });
                  }});
  all->push_back({"rondo_session_open", "thoughts by the template", true, [] {
                    rondo_session_options options = SessionOptions();
                    options.thinking = 1;
                    options.thinking_tokens = 3;
                    rondo_engine* const engine = TheWorld().talker_engine();
                    return OpenSession(TheWorld().talker(), [&](rondo_session** session) {
                      return rondo_session_open(engine, &options, session, why, sizeof why);
                    });
                  }});
  all->push_back({"rondo_session_fork", "everything", true, [] {
                    rondo_session_options options = Everything();
                    options.adapter = nullptr;
                    const Session source = TheWorld().Prompted();
                    return OpenSession(TheWorld().tiny(), [&](rondo_session** fork) {
                      return rondo_session_fork(source.get(), &options, fork, why, sizeof why);
                    });
                  }});
}

// ---- Grammars ----

Outcome CreateGrammar(int32_t kind, std::string_view text, bool own_memory) {
  rondo_model* const model = TheWorld().tiny();
  rondo_engine* const engine = TheWorld().engine();
  rondo_grammar_options options;
  rondo_grammar_options_init(&options, sizeof options);
  options.kind = kind;
  options.memory_bytes = 4 << 20;
  uint64_t bytes = 0;
  EXPECT_EQ(rondo_grammar_plan(model, &options, text.size(), &bytes, why, sizeof why),
            RONDO_STATUS_OK)
      << why;
  static void* const memory = std::aligned_alloc(64, 64 << 20);
  EXPECT_LE(bytes, 64u << 20);
  auto* grammar = reinterpret_cast<rondo_grammar*>(1);
  const int32_t status = Hurt([&] {
    return rondo_grammar_create(
        model, &options, text.data(), text.size(), own_memory ? memory : nullptr,
        own_memory ? static_cast<size_t>(bytes) : 0, &grammar, why, sizeof why);
  });
  Outcome outcome{status, {}, grammar == nullptr, why};
  if (status != 0) return outcome;
  rondo_session_options session_options = SessionOptions();
  session_options.grammar = grammar;
  {
    const Session session = NewSession(engine, session_options);
    outcome.outputs = Speak(model, session.get());
  }
  rondo_grammar_close(grammar);
  return outcome;
}

void AddGrammars(std::vector<Scenario>* all) {
  for (const bool talker : {false, true}) {
    all->push_back({"rondo_grammar_plan", "the first of a model", true, [talker] {
                      const WalkFiles& files = FilesOfWalk();
                      const Model model(OpenForWalk(talker ? files.talker : files.tiny));
                      rondo_grammar_options options;
                      rondo_grammar_options_init(&options, sizeof options);
                      uint64_t bytes = 77;
                      const int32_t status = Hurt([&] {
                        return rondo_grammar_plan(model.get(), &options, 2, &bytes, why,
                                                  sizeof why);
                      });
                      return Outcome{status, Bytes().Add(bytes).Take(), bytes == 0, why};
                    }});
  }
  struct Language {
    int32_t kind;
    const char* name;
    const char* text;
  };
  static const Language kLanguages[] = {
      {RONDO_GRAMMAR_JSON_SCHEMA, "schema",
       R"({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})"},
      {RONDO_GRAMMAR_PATTERN, "pattern", "[a-z]{2,5}( [a-z]+)*"},
      {RONDO_GRAMMAR_GBNF, "gbnf", "root ::= \"a\" root | %json {\"type\": \"integer\"}"}};
  for (const Language& language : kLanguages) {
    for (const bool own_memory : {false, true}) {
      all->push_back({"rondo_grammar_create",
                      std::string(language.name) + (own_memory ? ", memory of the caller's" : ""),
                      true, [&language, own_memory] {
                        return CreateGrammar(language.kind, language.text, own_memory);
                      }});
    }
  }
}

// ---- Pictures ----

void AddPictures(std::vector<Scenario>* all) {
  all->push_back({"rondo_media_create", "", true, [] {
                    rondo_engine* const engine = TheWorld().seeing_engine();
                    const rondo_image image = WalkImage();
                    const rondo_image_options options = WalkImageOptions();
                    auto* media = reinterpret_cast<rondo_media*>(1);
                    const int32_t status = Hurt([&] {
                      return rondo_media_create(engine, &image, &options, &media, why, sizeof why);
                    });
                    Outcome outcome{status, {}, media == nullptr, why};
                    if (status != 0) return outcome;
                    rondo_image_facts facts = {};
                    facts.struct_size = sizeof facts;
                    EXPECT_EQ(rondo_media_info(media, &facts), RONDO_STATUS_OK);
                    outcome.outputs = Bytes().Add(facts).Take();
                    rondo_media_close(media);
                    return outcome;
                  }});
}

}  // namespace

void AddCreations(std::vector<Scenario>* scenarios) {
  AddModels(scenarios);
  AddAdapters(scenarios);
  AddEngines(scenarios);
  AddSessions(scenarios);
  AddGrammars(scenarios);
  AddPictures(scenarios);
}

}  // namespace rondo::abi_test
