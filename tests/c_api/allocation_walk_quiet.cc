// Scenarios of functions that ask the system for nothing.
#include <vector>

#include "tests/c_api/allocation_walk_world.h"

namespace rondo::abi_test {
namespace {

class Quiet {
 public:
  explicit Quiet(std::vector<Scenario>* all) : all_(*all) {}

  // A call that makes nothing.
  template <typename Call>
  void Plain(const char* function, Call call) {
    all_.push_back({function, "", false, [call] { return Outcome{Hurt(call)}; }});
  }
  // A call of a session of the tiny model that has a prompt.
  template <typename Call>
  void OfSession(const char* function, Call call) {
    all_.push_back({function, "", false, [call] {
                      const Session session = TheWorld().Prompted();
                      return Outcome{Hurt([&] { return call(session.get()); })};
                    }});
  }
  // A call that gives up what `make` has made.
  template <typename Make, typename Close>
  void Closing(const char* function, Make make, Close close) {
    all_.push_back({function, "", false, [make, close] {
                      auto* const handle = make();
                      return Outcome{Hurt([&] { close(handle); })};
                    }});
  }

 private:
  std::vector<Scenario>& all_;
};

// With the struct_size that outputs need.
template <typename Struct>
Struct* Sized() {
  static Struct out;
  out = {};
  out.struct_size = sizeof out;
  return &out;
}

constexpr int32_t kIds[] = {5, 6, 7, 8, 9};
constexpr size_t kNIds = 5;
char text[4096], why[256];
int32_t ids[1024];
size_t length;
uint64_t u, v;
unsigned char snapshot[1 << 20];
float vector[256];

rondo_model* Tiny() { return TheWorld().tiny(); }
rondo_model* Talker() { return TheWorld().talker(); }
rondo_model* Embedder() { return TheWorld().embedder(); }

void AddModels(Quiet quiet) {
  quiet.Plain("rondo_abi_version", [] { return rondo_abi_version() > 0 ? 0 : 1; });
  quiet.Plain("rondo_version_string", [] { return *rondo_version_string() != '\0' ? 0 : 1; });
  quiet.Plain("rondo_status_string", [] { return *rondo_status_string(0x30) != '\0' ? 0 : 1; });
  quiet.Plain("rondo_query", [] {
    int64_t value = 0;
    return rondo_query("abi.version", &value);
  });
  quiet.Closing(
      "rondo_model_close", [] { return OpenForWalk(FilesOfWalk().talker); }, rondo_model_close);
  quiet.Plain("rondo_model_info",
              [] { return rondo_model_info(Tiny(), Sized<rondo_model_facts>()); });
  quiet.Plain("rondo_model_eos_token", [] { return rondo_model_eos_token(Tiny(), 0, ids); });
  quiet.Plain("rondo_model_fact",
              [] { return rondo_model_fact(Tiny(), "architecture", text, sizeof text, &length); });
  quiet.Plain("rondo_model_fact_key",
              [] { return rondo_model_fact_key(Tiny(), 0, text, sizeof text, &length); });
  quiet.Plain("rondo_model_chat_template_name", [] {
    return rondo_model_chat_template_name(Talker(), 0, text, sizeof text, &length);
  });
  quiet.Plain("rondo_model_chat_template", [] {
    return rondo_model_chat_template(Talker(), nullptr, text, sizeof text, &length);
  });
  quiet.Plain("rondo_model_embedder",
              [] { return rondo_model_embedder(Embedder(), Sized<rondo_embedder_facts>()); });
  quiet.Plain("rondo_model_prompt_name",
              [] { return rondo_model_prompt_name(Embedder(), 0, text, sizeof text, &length); });
  quiet.Plain("rondo_embedding_text", [] {
    return rondo_embedding_text(Embedder(), nullptr, "why?", 4, text, sizeof text, &length);
  });
  quiet.Plain("rondo_pair_text", [] {  // it makes vectors of texts and scores no pairs
    return rondo_pair_text(Embedder(), nullptr, "a", 1, "b", 1, text, sizeof text, &length) ==
                   RONDO_STATUS_UNSUPPORTED
               ? 0
               : 1;
  });
  quiet.Plain("rondo_model_session_options",
              [] { return rondo_model_session_options(Tiny(), Sized<rondo_session_options>()); });
  for (rondo_model* (*const model)() : {Tiny, Talker}) {
    quiet.Plain("rondo_tokenize", [model] {
      return rondo_tokenize(model(), kStory, std::strlen(kStory), RONDO_TOKENIZE_ADD_SPECIAL, ids,
                            1024, &length);
    });
    quiet.Plain("rondo_detokenize", [model] {
      return rondo_detokenize(model(), kIds, kNIds, 0, text, sizeof text, &length);
    });
  }
  quiet.Plain("rondo_grammar_options_init", [] {
    return rondo_grammar_options_init(Sized<rondo_grammar_options>(),
                                      sizeof(rondo_grammar_options));
  });
  quiet.Plain("rondo_engine_options_init", [] {
    return rondo_engine_options_init(Sized<rondo_engine_options>(), sizeof(rondo_engine_options));
  });
  quiet.Plain("rondo_session_options_init", [] {
    return rondo_session_options_init(Sized<rondo_session_options>(),
                                      sizeof(rondo_session_options));
  });
  quiet.Plain("rondo_chat_options_init", [] {
    return rondo_chat_options_init(Sized<rondo_chat_options>(), sizeof(rondo_chat_options));
  });
  quiet.Closing(
      "rondo_grammar_close",
      [] {
        rondo_grammar_options options;
        rondo_grammar_options_init(&options, sizeof options);
        rondo_grammar* grammar = nullptr;
        EXPECT_EQ(
            rondo_grammar_create(Tiny(), &options, "{}", 2, nullptr, 0, &grammar, why, sizeof why),
            RONDO_STATUS_OK)
            << why;
        return grammar;
      },
      rondo_grammar_close);
  quiet.Closing(
      "rondo_adapter_close", [] { return OpenTinyAdapter(Tiny()).release(); }, rondo_adapter_close);
  quiet.Plain("rondo_adapter_info", [] {
    return rondo_adapter_info(TheWorld().adapter(), Sized<rondo_adapter_facts>());
  });
}

void AddEngines(Quiet quiet) {
  quiet.Closing(
      "rondo_engine_close",
      [] {
        rondo_engine_options options = World::Options();
        options.threads = 2;
        return NewEngine(Tiny(), options).release();
      },
      rondo_engine_close);
  quiet.Plain("rondo_engine_memory",
              [] { return rondo_engine_memory(TheWorld().engine(), Sized<rondo_memory_plan>()); });
  quiet.Plain("rondo_engine_memory_region", [] {
    return rondo_engine_memory_region(TheWorld().engine(), 0, Sized<rondo_memory_region>());
  });
  quiet.Plain("rondo_engine_stats", [] {
    return rondo_engine_stats(TheWorld().engine(), Sized<rondo_engine_counters>());
  });
  quiet.Plain("rondo_engine_profile", [] {
    u = 0;
    return rondo_engine_profile(TheWorld().engine(), &u, Sized<rondo_profile_event>());
  });
  quiet.OfSession("rondo_engine_step", [](rondo_session* session) {
    int32_t status = rondo_session_append(session, kIds, kNIds);
    if (status == 0) {
      status = rondo_engine_step(TheWorld().engine(), &session, 1, why, sizeof why);
    }
    return status;
  });
  const auto embedding = [&](const char* function, auto call) {
    quiet.Plain(function, [call] {
      static const Session session = NewSession(TheWorld().embedder_engine());
      return call(session.get());
    });
  };
  embedding("rondo_session_embed", [](rondo_session* session) {
    return rondo_session_embed(session, kIds, kNIds, vector, 192);
  });
  embedding("rondo_engine_embed", [](rondo_session* session) {
    const size_t counts[] = {kNIds};
    return rondo_engine_embed(TheWorld().embedder_engine(), &session, 1, kIds, counts, 1, vector,
                              192, why, sizeof why);
  });
}

void AddSessions(Quiet quiet) {
  quiet.Closing(
      "rondo_session_close", [] { return TheWorld().Prompted().release(); }, rondo_session_close);
  quiet.OfSession("rondo_session_prefill", [](rondo_session* session) {
    return rondo_session_prefill(session, kIds, kNIds);
  });
  quiet.OfSession("rondo_session_prefill_logits", [](rondo_session* session) {
    return rondo_session_prefill_logits(
        session, kIds, kNIds, [](void*, size_t, const float*, size_t) {}, nullptr);
  });
  quiet.OfSession("rondo_session_next", [](rondo_session* session) {
    return rondo_session_next(session, Sized<rondo_event>());
  });
  quiet.OfSession("rondo_session_append", [](rondo_session* session) {
    return rondo_session_append(session, kIds, kNIds);
  });
  quiet.OfSession("rondo_session_append_inputs", [](rondo_session* session) {
    static const std::vector<float> rows(1 << 14);  // of any tiny model's hidden size
    const rondo_input inputs[] = {{sizeof(rondo_input), 0, kIds, nullptr, kNIds, nullptr, 0, 0},
                                  {sizeof(rondo_input), 0, nullptr, rows.data(), 3, nullptr, 1, 0}};
    return rondo_session_append_inputs(session, inputs, 2);
  });
  quiet.Plain("rondo_image_options_init", [] {
    rondo_image_options options;
    return rondo_image_options_init(&options, sizeof options);
  });
  quiet.Plain("rondo_image_plan", [] {
    const rondo_image_options options = WalkImageOptions();
    return rondo_image_plan(TheWorld().seeing(), 300, 200, &options, Sized<rondo_image_facts>(),
                            why, sizeof why);
  });
  quiet.Plain("rondo_media_info",
              [] { return rondo_media_info(TheWorld().media(), Sized<rondo_image_facts>()); });
  quiet.Closing(
      "rondo_media_close",
      [] {
        const rondo_image image = WalkImage();
        const rondo_image_options options = WalkImageOptions();
        rondo_media* media = nullptr;
        EXPECT_EQ(rondo_media_create(TheWorld().seeing_engine(), &image, &options, &media, why,
                                     sizeof why),
                  RONDO_STATUS_OK);
        return media;
      },
      rondo_media_close);
  quiet.Plain("rondo_session_append_media", [] {
    static const Session session = NewSession(TheWorld().seeing_engine());
    rondo_model_facts* const facts = Sized<rondo_model_facts>();
    if (rondo_model_info(TheWorld().seeing(), facts) != 0) return 1;
    const int32_t prompt[] = {5, facts->picture_token, 6};
    rondo_media* const media[] = {TheWorld().media()};
    return rondo_session_append_media(session.get(), prompt, 3, media, 1);
  });
  quiet.OfSession("rondo_session_event", [](rondo_session* session) {
    return rondo_session_event(session, Sized<rondo_event>());
  });
  quiet.OfSession("rondo_session_logits", [](rondo_session* session) {
    const float* logits = nullptr;
    return rondo_session_logits(session, &logits, &length);
  });
  quiet.OfSession("rondo_session_propose", [](rondo_session* session) {
    return rondo_session_propose(session, kIds, kNIds);
  });
  quiet.OfSession("rondo_session_accept",
                  [](rondo_session* session) { return rondo_session_accept(session, 7); });
  quiet.OfSession("rondo_session_undo",
                  [](rondo_session* session) { return rondo_session_undo(session, 3); });
  quiet.OfSession("rondo_session_reset",
                  [](rondo_session* session) { return rondo_session_reset(session); });
  quiet.OfSession("rondo_session_position",
                  [](rondo_session* session) { return rondo_session_position(session, &u); });
  quiet.OfSession("rondo_session_remaining",
                  [](rondo_session* session) { return rondo_session_remaining(session, &u); });
  quiet.OfSession("rondo_session_evicted",
                  [](rondo_session* session) { return rondo_session_evicted(session, &u, &v); });
  quiet.OfSession("rondo_session_progress",
                  [](rondo_session* session) { return rondo_session_progress(session, &u, &v); });
  quiet.OfSession("rondo_session_stats", [](rondo_session* session) {
    return rondo_session_stats(session, Sized<rondo_session_counters>());
  });
  quiet.OfSession("rondo_session_cancel",
                  [](rondo_session* session) { return rondo_session_cancel(session); });
  quiet.OfSession("rondo_session_call",
                  [](rondo_session* session) { return rondo_session_call(session, &u); });
  // A call that is over: nothing happens.
  quiet.OfSession("rondo_session_cancel_call", [](rondo_session* session) {
    rondo_session_call(session, &u);
    return rondo_session_cancel_call(session, u - 1);
  });
  quiet.OfSession("rondo_session_last_error", [](rondo_session* session) {
    return *rondo_session_last_error(session) == '\0' ? 0 : 1;
  });
  quiet.OfSession("rondo_session_save", [](rondo_session* session) {
    return rondo_session_save(session, snapshot, sizeof snapshot, &length);
  });
  quiet.OfSession("rondo_session_restore", [](rondo_session* session) {
    const int32_t status = rondo_session_save(session, snapshot, sizeof snapshot, &length);
    return status == 0 ? rondo_session_restore(session, snapshot, length) : status;
  });
  quiet.OfSession("rondo_session_tokens", [](rondo_session* session) {
    return rondo_session_tokens(session, &u, ids, 1024, &length);
  });
}

}  // namespace

void AddQuiet(std::vector<Scenario>* all) {
  AddModels(Quiet(all));
  AddEngines(Quiet(all));
  AddSessions(Quiet(all));
}

}  // namespace rondo::abi_test
