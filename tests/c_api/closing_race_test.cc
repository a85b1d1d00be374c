// Calls of every kind on handles that other threads close and open again meanwhile. A call is
// answered or refused, as if the handle had been closed before or behind it; nothing that it works
// with goes. RONDO_RACES: how many calls of each group; under sanitizers they show the rest.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test::closing_race_test {
namespace {

int Races() {
  const char* const wanted = std::getenv("RONDO_RACES");
  return wanted == nullptr ? 400 : std::atoi(wanted);
}

// What the calls of a race may be answered with, beside RONDO_STATUS_OK.
using Statuses = std::vector<int32_t>;

// Calls on the handle that is shared, by two threads; a third closes it, twice, and shares another.
template <typename Handle>
class Race {
 public:
  using Open = std::function<Handle*()>;
  using Close = void (*)(Handle*);
  using Call = std::function<int32_t(Handle*)>;

  Race(Open open, Close close, Statuses allowed)
      : open_(std::move(open)), close_(close), allowed_(std::move(allowed)) {}

  void Run(const char* group, const std::vector<Call>& calls) {
    shared_ = open_();
    const int races = Races();
    std::vector<std::thread> callers;
    std::atomic<int> called = 0, closed = 0, running = 2;
    for (int caller = 0; caller < 2; ++caller) {
      callers.emplace_back([&] {
        Handle* handle = nullptr;
        for (size_t i = 0; called < races || closed < kLeastCloses; ++i, ++called) {
          if (i % 3 == 0) handle = shared_;  // and so it is a closed one now and then
          Judge(calls[i % calls.size()](handle));
        }
        --running;
      });
    }
    for (; running > 0; ++closed) {
      Handle* const other = open_();
      Handle* const before = shared_.exchange(other);
      close_(before);
      close_(before);
    }
    for (std::thread& caller : callers) caller.join();
    close_(shared_.load());
    std::printf("%s: %d calls beside %d closes: %d answered, %d refused\n", group, called.load(),
                closed.load(), answered_.load(), refused_.load());
    EXPECT_EQ(wrong_, 0) << "such as " << wrong_status_;
    EXPECT_GT(answered_, 0);
  }

 private:
  static constexpr int kLeastCloses = 20;

  void Judge(int32_t status) {
    if (status == RONDO_STATUS_INVALID_HANDLE) {
      ++refused_;
    } else if (status == RONDO_STATUS_OK ||
               std::find(allowed_.begin(), allowed_.end(), status) != allowed_.end()) {
      ++answered_;
    } else {
      ++wrong_;
      wrong_status_ = status;
    }
  }

  const Open open_;
  const Close close_;
  const Statuses allowed_;
  std::atomic<Handle*> shared_ = nullptr;
  std::atomic<int> answered_ = 0, refused_ = 0, wrong_ = 0, wrong_status_ = 0;
};

template <typename Struct>
Struct Sized() {
  Struct out = {};
  out.struct_size = sizeof out;
  return out;
}

constexpr char kTemplate[] =
    "{%- for m in messages -%}<|{{ m.role }}|>{%- if m.reasoning_content -%}"
    "<think>{{ m.reasoning_content }}</think>{%- endif -%}{{ m.content }}{%- endfor -%}"
    "<|assistant|>";
constexpr char kMessages[] = R"([{"role": "user", "content": "Hello"}])";

rondo_chat_options ChatOptions() {
  rondo_chat_options options;
  EXPECT_EQ(rondo_chat_options_init(&options, sizeof options), RONDO_STATUS_OK);
  options.template_text = kTemplate;
  options.template_bytes = sizeof kTemplate - 1;
  options.messages = kMessages;
  options.messages_bytes = sizeof kMessages - 1;
  return options;
}

rondo_grammar* OpenGrammar(const rondo_model* model) {
  rondo_grammar_options options;
  EXPECT_EQ(rondo_grammar_options_init(&options, sizeof options), RONDO_STATUS_OK);
  options.memory_bytes = 1 << 20;
  rondo_grammar* grammar = nullptr;
  rondo_grammar_create(const_cast<rondo_model*>(model), &options, "true", 4, nullptr, 0, &grammar,
                       nullptr, 0);
  return grammar;
}

rondo_engine_options SmallEngine() {
  rondo_engine_options options = EngineOptions();
  options.context = 64;
  options.max_rows = 16;
  options.max_sessions = 8;
  return options;
}

class ClosingRaceTest : public testing::Test {
 protected:
  rondo_model* OpenModel() {
    rondo_model* model = nullptr;
    EXPECT_EQ(
        rondo_model_open_memory(RONDO_ABI_VERSION, aligned_, bytes_.size(), &model, nullptr, 0),
        RONDO_STATUS_OK);
    return model;
  }
  Race<rondo_model> ModelRace(Statuses allowed = {}) {
    return {[this] { return OpenModel(); }, rondo_model_close, std::move(allowed)};
  }
  Race<rondo_session> SessionRace(rondo_engine* engine, Statuses allowed) {
    return {[engine] { return NewSession(engine).release(); }, rondo_session_close,
            std::move(allowed)};
  }

  const std::vector<unsigned char> bytes_ = ReadFile(TinyModelPath());
  std::vector<unsigned char> room_ = std::vector<unsigned char>(bytes_.size() + 64);
  unsigned char* const aligned_ = [this] {
    unsigned char* const at =
        room_.data() + (64 - reinterpret_cast<uintptr_t>(room_.data()) % 64) % 64;
    std::copy(bytes_.begin(), bytes_.end(), at);
    return at;
  }();
  const Model model_{OpenModel()};
  const std::string text_ = [] {
    std::string text;
    while (text.size() < 4000) text += "Once upon a time there was a girl. ";
    return text;
  }();
  const std::vector<int32_t> ids_ = Ids(model_.get(), "Once upon a time");
};

TEST_F(ClosingRaceTest, TextsOfAModel) {
  ModelRace({RONDO_STATUS_BUFFER_TOO_SMALL})
      .Run("texts", {[&](rondo_model* model) {
                       size_t count;
                       return rondo_tokenize(model, text_.data(), text_.size(), 0, nullptr, 0,
                                             &count);
                     },
                     [&](rondo_model* model) {
                       char buffer[256];
                       size_t length;
                       return rondo_detokenize(model, ids_.data(), ids_.size(), 0, buffer,
                                               sizeof buffer, &length);
                     }});
}

TEST_F(ClosingRaceTest, FactsOfAModel) {
  const auto ask = [](auto call) {
    return [call](rondo_model* model) {
      char room[64];
      size_t length;
      return call(model, room, sizeof room, &length);
    };
  };
  ModelRace(
      {RONDO_STATUS_BUFFER_TOO_SMALL, RONDO_STATUS_INVALID_ARGUMENT, RONDO_STATUS_UNSUPPORTED})
      .Run("facts", {[](rondo_model* model) {
                       auto facts = Sized<rondo_model_facts>();
                       return rondo_model_info(model, &facts);
                     },
                     [](rondo_model* model) {
                       int32_t token;
                       return rondo_model_eos_token(model, 0, &token);
                     },
                     [](rondo_model* model) {
                       rondo_session_options options = SessionOptions();
                       return rondo_model_session_options(model, &options);
                     },
                     [](rondo_model* model) {
                       auto facts = Sized<rondo_embedder_facts>();
                       return rondo_model_embedder(model, &facts);
                     },
                     ask([](rondo_model* model, char* room, size_t n, size_t* written) {
                       return rondo_model_fact(model, "name", room, n, written);
                     }),
                     ask([](rondo_model* model, char* room, size_t n, size_t* written) {
                       return rondo_model_fact_key(model, 0, room, n, written);
                     }),
                     ask([](rondo_model* model, char* room, size_t n, size_t* written) {
                       return rondo_model_chat_template_name(model, 0, room, n, written);
                     }),
                     ask([](rondo_model* model, char* room, size_t n, size_t* written) {
                       return rondo_model_chat_template(model, nullptr, room, n, written);
                     }),
                     ask([](rondo_model* model, char* room, size_t n, size_t* written) {
                       return rondo_model_prompt_name(model, 0, room, n, written);
                     }),
                     ask([](rondo_model* model, char* room, size_t n, size_t* written) {
                       return rondo_embedding_text(model, "", "a", 1, room, n, written);
                     }),
                     ask([](rondo_model* model, char* room, size_t n, size_t* written) {
                       return rondo_pair_text(model, "", "a", 1, "b", 1, room, n, written);
                     })});
}

TEST_F(ClosingRaceTest, ChatOfAModel) {
  const rondo_chat_options options = ChatOptions();
  ModelRace().Run("chat", {[&](rondo_model* model) {
                             char text[512];
                             int32_t ids[512];
                             size_t length, count;
                             return rondo_chat_render(model, &options, text, sizeof text, &length,
                                                      ids, 512, &count, nullptr, 0);
                           },
                           [&](rondo_model* model) {
                             char begin[64], end[64];
                             size_t begin_length, end_length;
                             return rondo_chat_thinking(model, &options, begin, sizeof begin,
                                                        &begin_length, end, sizeof end, &end_length,
                                                        nullptr, 0);
                           },
                           [&](rondo_model* model) {
                             rondo_chat_parser* parser;
                             const int32_t status =
                                 rondo_chat_parser_create(model, &options, &parser, nullptr, 0);
                             rondo_chat_parser_close(parser);
                             return status;
                           }});
}

TEST_F(ClosingRaceTest, GrammarsAndAdaptersOfAModel) {
  ModelRace().Run("grammars", {[](rondo_model* model) {
                                 rondo_grammar* const grammar = OpenGrammar(model);
                                 rondo_grammar_close(grammar);
                                 return grammar == nullptr ? RONDO_STATUS_INVALID_HANDLE
                                                           : RONDO_STATUS_OK;
                               },
                               [](rondo_model* model) {
                                 rondo_grammar_options options;
                                 rondo_grammar_options_init(&options, sizeof options);
                                 uint64_t bytes;
                                 return rondo_grammar_plan(model, &options, 4, &bytes, nullptr, 0);
                               },
                               [&](rondo_model* model) {
                                 rondo_adapter* adapter;
                                 const int32_t status = rondo_adapter_open_path(
                                     model, TinyAdapterPath().c_str(), &adapter, nullptr, 0);
                                 rondo_adapter_close(adapter);
                                 return status;
                               }});
}

TEST_F(ClosingRaceTest, PlansAndEnginesOfAModel) {
  const rondo_engine_options options = SmallEngine();
  ModelRace().Run("plans", {[&](rondo_model* model) {
                              auto plan = Sized<rondo_memory_plan>();
                              return rondo_plan(model, &options, &plan, nullptr, 0);
                            },
                            [&](rondo_model* model) {
                              auto region = Sized<rondo_memory_region>();
                              return rondo_plan_region(model, &options, 0, &region);
                            },
                            [&](rondo_model* model) {
                              uint32_t context;
                              return rondo_plan_fit(model, &options, 1 << 23, &context, nullptr, 0);
                            },
                            [&](rondo_model* model) {
                              rondo_engine* engine;
                              const int32_t status = rondo_engine_create(model, &options, nullptr,
                                                                         0, &engine, nullptr, 0);
                              rondo_engine_close(engine);
                              return status;
                            }});
}

// As the draft of others.
TEST_F(ClosingRaceTest, DraftModels) {
  ModelRace().Run("drafts", {[&](rondo_model* draft) {
                    rondo_engine_options options = SmallEngine();
                    options.draft = draft;
                    auto plan = Sized<rondo_memory_plan>();
                    return rondo_plan(model_.get(), &options, &plan, nullptr, 0);
                  }});
}

TEST_F(ClosingRaceTest, Engines) {
  Race<rondo_engine>([&] { return NewEngine(model_.get(), SmallEngine()).release(); },
                     rondo_engine_close, {RONDO_STATUS_UNSUPPORTED, RONDO_STATUS_BUSY})
      .Run("engines",
           {[](rondo_engine* engine) {
              auto plan = Sized<rondo_memory_plan>();
              return rondo_engine_memory(engine, &plan);
            },
            [](rondo_engine* engine) {
              auto region = Sized<rondo_memory_region>();
              return rondo_engine_memory_region(engine, 0, &region);
            },
            [](rondo_engine* engine) {
              auto counters = Sized<rondo_engine_counters>();
              return rondo_engine_stats(engine, &counters);
            },
            [](rondo_engine* engine) {
              auto event = Sized<rondo_profile_event>();
              uint64_t cursor = 0;
              return rondo_engine_profile(engine, &cursor, &event);
            },
            [](rondo_engine* engine) { return rondo_engine_step(engine, nullptr, 0, nullptr, 0); },
            [&](rondo_engine* engine) {
              const rondo_session_options options = SessionOptions();
              rondo_session* session;
              int32_t status = rondo_session_open(engine, &options, &session, nullptr, 0);
              if (status == RONDO_STATUS_OK) {
                status = rondo_session_prefill(session, ids_.data(), ids_.size());
              }
              rondo_session_close(session);
              return status;
            }});
}

TEST_F(ClosingRaceTest, SessionsThatCompute) {
  const Engine engine = NewEngine(model_.get(), SmallEngine());
  const auto step = [&](rondo_session* session) {
    return rondo_engine_step(engine.get(), &session, 1, nullptr, 0);
  };
  SessionRace(engine.get(),
              {RONDO_STATUS_BUSY, RONDO_STATUS_CANCELLED, RONDO_STATUS_NO_LOGITS,
               RONDO_STATUS_INVALID_ARGUMENT, RONDO_STATUS_CONTEXT_FULL, RONDO_STATUS_UNSUPPORTED})
      .Run("computing", {[&](rondo_session* session) {
                           return rondo_session_prefill(session, ids_.data(), ids_.size());
                         },
                         [](rondo_session* session) {
                           auto event = Sized<rondo_event>();
                           return rondo_session_next(session, &event);
                         },
                         step,
                         [](rondo_session* session) {
                           auto event = Sized<rondo_event>();
                           return rondo_session_event(session, &event);
                         },
                         [](rondo_session* session) {
                           const float* logits;
                           size_t count;
                           return rondo_session_logits(session, &logits, &count);
                         },
                         [&](rondo_session* session) {
                           return rondo_session_prefill_logits(
                               session, ids_.data(), ids_.size(),
                               [](void*, size_t, const float*, size_t) {}, nullptr);
                         },
                         [&](rondo_session* session) {
                           float vector[4];
                           return rondo_session_embed(session, ids_.data(), ids_.size(), vector, 4);
                         }});
}

TEST_F(ClosingRaceTest, SessionsThatAreAsked) {
  const Engine engine = NewEngine(model_.get(), SmallEngine());
  SessionRace(engine.get(), {RONDO_STATUS_BUSY, RONDO_STATUS_CANCELLED, RONDO_STATUS_CONTEXT_FULL,
                             RONDO_STATUS_BUFFER_TOO_SMALL, RONDO_STATUS_INVALID_ARGUMENT,
                             RONDO_STATUS_CORRUPT, RONDO_STATUS_NOT_A_MODEL})
      .Run("asked",
           {[&](rondo_session* session) {
              return rondo_session_append(session, ids_.data(), ids_.size());
            },
            [&](rondo_session* session) {
              return rondo_session_propose(session, ids_.data(), ids_.size());
            },
            [&](rondo_session* session) {
              const rondo_input input = {sizeof input, 0,       ids_.data(), nullptr,
                                         ids_.size(),  nullptr, 0,           0};
              return rondo_session_append_inputs(session, &input, 1);
            },
            [](rondo_session* session) { return rondo_session_accept(session, 5); },
            [](rondo_session* session) { return rondo_session_undo(session, 1); },
            [](rondo_session* session) { return rondo_session_reset(session); },
            [](rondo_session* session) {
              uint64_t position;
              return rondo_session_position(session, &position);
            },
            [](rondo_session* session) {
              uint64_t tokens;
              return rondo_session_remaining(session, &tokens);
            },
            [](rondo_session* session) {
              uint64_t begin, end;
              return rondo_session_evicted(session, &begin, &end);
            },
            [](rondo_session* session) {
              uint64_t done, total;
              return rondo_session_progress(session, &done, &total);
            },
            [](rondo_session* session) {
              auto counters = Sized<rondo_session_counters>();
              return rondo_session_stats(session, &counters);
            },
            [](rondo_session* session) { return rondo_session_cancel(session); },
            [](rondo_session* session) {
              uint64_t number = 0;
              const int32_t status = rondo_session_call(session, &number);
              return status == RONDO_STATUS_OK ? rondo_session_cancel_call(session, number)
                                               : status;
            },
            [](rondo_session* session) {
              return rondo_session_last_error(session) != nullptr ? RONDO_STATUS_OK : -1;
            },
            [](rondo_session* session) {
              size_t bytes;
              return rondo_session_save(session, nullptr, 0, &bytes);
            },
            [](rondo_session* session) { return rondo_session_restore(session, "nothing", 7); },
            [](rondo_session* session) {
              uint64_t begin;
              int32_t ids[8];
              size_t count;
              return rondo_session_tokens(session, &begin, ids, 8, &count);
            },
            [](rondo_session* session) {
              const rondo_session_options options = SessionOptions();
              rondo_session* fork;
              const int32_t status = rondo_session_fork(session, &options, &fork, nullptr, 0);
              rondo_session_close(fork);
              return status;
            }});
}

TEST_F(ClosingRaceTest, GrammarsOfSessions) {
  const Engine engine = NewEngine(model_.get(), SmallEngine());
  Race<rondo_grammar>([&] { return OpenGrammar(model_.get()); }, rondo_grammar_close,
                      {RONDO_STATUS_CONSTRAINT})
      .Run("grammars of sessions", {[&](rondo_grammar* grammar) {
             rondo_session_options options = SessionOptions();
             options.grammar = grammar;
             rondo_session* session;
             int32_t status = rondo_session_open(engine.get(), &options, &session, nullptr, 0);
             if (status == RONDO_STATUS_OK) {
               status = rondo_session_prefill(session, ids_.data(), ids_.size());
             }
             auto event = Sized<rondo_event>();
             if (status == RONDO_STATUS_OK) status = rondo_session_next(session, &event);
             rondo_session_close(session);
             return status;
           }});
}

TEST_F(ClosingRaceTest, AdaptersOfSessions) {
  rondo_engine_options engine_options = SmallEngine();
  engine_options.adapter_rank = kTinyAdapterRank;
  const Engine engine = NewEngine(model_.get(), engine_options);
  Race<rondo_adapter>([&] { return OpenTinyAdapter(model_.get()).release(); }, rondo_adapter_close,
                      {})
      .Run("adapters of sessions",
           {[&](rondo_adapter* adapter) {
              rondo_session_options options = SessionOptions();
              options.adapter = adapter;
              rondo_session* session;
              int32_t status = rondo_session_open(engine.get(), &options, &session, nullptr, 0);
              if (status == RONDO_STATUS_OK) {
                status = rondo_session_prefill(session, ids_.data(), ids_.size());
              }
              rondo_session_close(session);
              return status;
            },
            [](rondo_adapter* adapter) {
              auto facts = Sized<rondo_adapter_facts>();
              return rondo_adapter_info(adapter, &facts);
            }});
}

TEST_F(ClosingRaceTest, Parsers) {
  const rondo_chat_options options = ChatOptions();
  Race<rondo_chat_parser>(
      [&] {
        rondo_chat_parser* parser = nullptr;
        EXPECT_EQ(rondo_chat_parser_create(model_.get(), &options, &parser, nullptr, 0),
                  RONDO_STATUS_OK);
        return parser;
      },
      rondo_chat_parser_close, {RONDO_STATUS_BUSY, RONDO_STATUS_OUT_OF_MEMORY})
      .Run("parsers", {[&](rondo_chat_parser* parser) {
                         return rondo_chat_parser_push(parser, text_.data(), text_.size(), 0);
                       },
                       [](rondo_chat_parser* parser) {
                         auto part = Sized<rondo_chat_part>();
                         return rondo_chat_parser_next(parser, &part);
                       },
                       [](rondo_chat_parser* parser) { return rondo_chat_parser_reset(parser); }});
}

}  // namespace
}  // namespace rondo::abi_test::closing_race_test
