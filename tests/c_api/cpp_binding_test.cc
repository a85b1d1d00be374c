// rondo.hpp: a whole life with the tiny model.
#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <thread>

#include "rondo/rondo.hpp"
#include "tests/c_api/tiny_model.h"
#include "tests/support/places.h"
#include "tests/temp_folder.h"

namespace cpp_binding_test {
namespace {

using rondo::kSourceFolder;
using rondo::kTestData;
using rondo::kToolProgram;
using rondo::TempFolder;
using rondo::abi_test::kTinyAdapterRank;
using rondo::abi_test::ReadFile;
using rondo::abi_test::SeeingModelPath;
using rondo::abi_test::TinyAdapterPath;
using rondo::abi_test::TinyModelPath;

rondo::EngineOptions Options() {
  rondo::EngineOptions options;
  options.context = 256;
  options.max_sessions = 4;
  options.threads = 1;
  return options;
}

rondo::SessionOptions Limited(uint64_t max_tokens) {
  rondo::SessionOptions options;
  options.max_tokens = max_tokens;
  return options;
}

template <typename Call>
int32_t StatusOf(Call call) {
  try {
    call();
  } catch (const rondo::Error& error) {
    EXPECT_STRNE(error.what(), "");
    return error.status();
  }
  return RONDO_STATUS_OK;
}

class CppBindingTest : public testing::Test {
 protected:
  std::string Text(rondo::Ids ids, uint64_t max_tokens) {
    rondo::Session session(engine, Limited(max_tokens));
    session.Prefill(ids);
    return session.Generate();
  }

  rondo::Model model{TinyModelPath()};
  rondo::Engine engine{model, Options()};
  std::vector<int32_t> ids = model.Tokenize("Today's weather is so");
};

TEST_F(CppBindingTest, FactsAndText) {
  EXPECT_EQ(model.Info().vocab_size, 2048u);
  EXPECT_EQ(model.EosTokens(), std::vector<int32_t>{1});
  EXPECT_EQ(model.Fact("architecture"), "LlamaForCausalLM");
  EXPECT_EQ(StatusOf([&] { model.FactKey(1000); }), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(model.Detokenize(ids, RONDO_DETOKENIZE_SKIP_SPECIAL), "Today's weather is so");
  const std::string text(3000, 'x');
  const std::vector<int32_t> many = model.Tokenize(text, 0);
  EXPECT_EQ(model.Detokenize(many), text);
}

TEST_F(CppBindingTest, Plan) {
  const rondo_memory_plan plan = model.Plan(Options());
  EXPECT_EQ(plan.arena_bytes, engine.Memory().arena_bytes);
  const auto regions = model.PlanRegions(Options());
  EXPECT_EQ(regions.size(), plan.n_regions);
  EXPECT_STREQ(regions.back().name,
               engine.MemoryRegion(static_cast<uint32_t>(regions.size() - 1)).name);
  EXPECT_GE(model.PlanFit(plan.arena_bytes, Options()), 256u);
  std::unique_ptr<void, decltype(&std::free)> arena(
      std::aligned_alloc(plan.arena_alignment, plan.arena_bytes), std::free);
  const rondo::Engine own(model, Options(), arena.get(), plan.arena_bytes);
  EXPECT_EQ(own.Stats().owns_arena, 0u);
}

TEST_F(CppBindingTest, Stream) {
  rondo::SessionOptions options = Limited(12);
  options.logprobs = true;
  rondo::Session session(engine, options);
  session.Prefill(ids);
  std::vector<int32_t> all = ids;
  std::string text;
  int32_t reason = RONDO_REASON_NONE;
  for (const rondo::Event& event : session.Stream()) {
    EXPECT_LT(event.logprob, 0);
    all.push_back(event.token);
    text += event.text;
    reason = event.reason;
  }
  EXPECT_EQ(reason, RONDO_REASON_TOKEN_LIMIT);
  EXPECT_EQ(session.Tokens(), all);
  EXPECT_EQ(session.Position() + session.Remaining(), 256u);
  EXPECT_EQ(session.Evicted().second, 0u);
  options.stop = {text.substr(4, 4)};
  options.bias = {{all.back(), 0.0F}};
  rondo::Session stopped(engine, options);
  stopped.Prefill(ids);
  EXPECT_EQ(stopped.Generate(), text.substr(0, 4));
}

// The tiny model from makers who recommend to sample, and to stop.
std::string RecommendingModel(const TempFolder& folder, const std::string& stop) {
  const std::filesystem::path checkpoint = folder.path() / "checkpoint";
  std::filesystem::copy(std::string(kTestData) + "/tiny", checkpoint);
  std::ofstream(checkpoint / "generation_config.json")
      << R"({"do_sample": true, "temperature": 1.5, "stop_strings": [")" << stop << "\"]}";
  std::string file = (folder.path() / "model.rondo").string();
  const std::string command = std::string("'") + kToolProgram + "' convert '" +
                              checkpoint.string() + "' -o '" + file + "' --weights q8 > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return file;
}

TEST_F(CppBindingTest, Recommended) {
  const TempFolder folder;
  const std::string greedy = Text(ids, 12);
  const std::string stop = greedy.substr(4, 4);
  auto recommending = std::make_unique<rondo::Model>(RecommendingModel(folder, stop));
  const rondo::Engine sampling(*recommending, Options());
  recommending.reset();  // in any order
  const auto text = [&](auto say) {
    rondo::SessionOptions options = Limited(12);
    say(options);
    rondo::Session session(sampling, options);
    session.Prefill(ids);
    return session.Generate();
  };
  const std::string recommended = text([](rondo::SessionOptions&) {});
  EXPECT_NE(recommended, greedy.substr(0, 4));
  EXPECT_EQ(text([](rondo::SessionOptions& options) {
              options.temperature = 1.5F;
              options.top_k = 50;
            }),
            recommended);
  EXPECT_EQ(text([](rondo::SessionOptions& options) { options.temperature = 0.0F; }),
            greedy.substr(0, 4));
  EXPECT_EQ(text([](rondo::SessionOptions& options) { options.recommended = false; }), greedy);
  rondo::SessionOptions defaults;
  defaults.recommended = false;
  rondo::Session session(sampling, defaults);
  session.Prefill(ids);
  EXPECT_EQ(session.Fork(Limited(12)).Generate(), recommended);
}

constexpr const char* kPerson =
    R"({"type":"object","properties":{"name":{"type":"string","maxLength":12},)"
    R"("age":{"type":"integer","minimum":0,"maximum":130}},)"
    R"("required":["name","age"]})";

// A JSON text of kPerson.
testing::AssertionResult IsPerson(const std::string& text) {
  static const std::regex person(
      R"re(\s*\{\s*"name"\s*:\s*"([^"\\]|\\.)*"\s*,\s*"age"\s*:\s*(-?[0-9]+)\s*\}\s*)re");
  std::smatch found;
  if (std::regex_match(text, found, person) && std::stod(found[2]) <= 130) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "not a person: " << text;
}

TEST_F(CppBindingTest, Inputs) {
  rondo::EngineOptions engine_options = Options();
  engine_options.max_input_rows = 8;
  const rondo::Engine takes(model, engine_options);
  const std::vector<float> zeros(size_t{9} * model.Info().hidden_size);
  const std::vector<int32_t> places = {0, 0, 0, 0, 0, 1, 0, 1, 0};
  rondo::Input halves(zeros.data(), 3);
  halves.row_format = RONDO_ROWS_BFLOAT16;
  halves.coordinates = places.data();
  halves.sees_whole = 1;
  rondo::Session session(takes, Limited(0));
  session.AppendInputs({rondo::Input(ids), rondo::Input(zeros.data(), 2), halves});
  std::vector<int32_t> all = ids;
  all.insert(all.end(), 5, -1);
  EXPECT_EQ(session.Tokens(), all);
  EXPECT_EQ(session.Logits().size(), 2048u);
  EXPECT_GE(session.Next().token, 0);
  const rondo::Input many(zeros.data(), 9);
  EXPECT_EQ(StatusOf([&] {
              session.AppendInputs({rondo::Input(ids), many});
            }),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(StatusOf([&] { session.AppendInputs({}); }), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(session.Position(), all.size() + 1);
  rondo::Session none(engine, Limited(0));
  EXPECT_EQ(StatusOf([&] { none.AppendInputs({halves}); }), RONDO_STATUS_INVALID_ARGUMENT);
}

// Of gray steps, and of 3 bytes a pixel.
std::vector<unsigned char> Pixels(size_t width, size_t height) {
  std::vector<unsigned char> pixels(width * height * 3);
  for (size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<unsigned char>(i / 3 * 7 + i % 3);
  }
  return pixels;
}

class SeeingCppBindingTest : public testing::Test {
 protected:
  static rondo::EngineOptions MediaOptions() {
    rondo::EngineOptions options = Options();
    options.max_media_rows = 120;
    return options;
  }
  std::vector<float> Logits(const std::vector<rondo::Media>& media) {
    rondo::Session session(engine, Limited(0));
    session.AppendMedia(ids, media);
    const std::vector<float> logits = session.Logits();
    return {logits.begin(), logits.end()};
  }

  rondo::Model model{SeeingModelPath()};
  rondo::Engine engine{model, MediaOptions()};
  std::vector<int32_t> ids = model.Tokenize("See <image> here");
  std::vector<unsigned char> pixels = Pixels(48, 48);
};

TEST_F(SeeingCppBindingTest, PlanOfAnImage) {
  const rondo_image_facts plan = model.ImagePlan(48, 48);
  EXPECT_EQ(plan.rows, 40u);
  EXPECT_EQ(plan.tile_columns, 3u);
  EXPECT_EQ(plan.patches, 160u);
  rondo::ImageOptions one;
  one.one_tile = 1;
  EXPECT_EQ(model.ImagePlan(48, 48, one).rows, 4u);
  EXPECT_EQ(StatusOf([&] { model.ImagePlan(0, 48); }), RONDO_STATUS_INVALID_ARGUMENT);
  const rondo::Model blind(TinyModelPath());
  EXPECT_EQ(blind.Info().picture_token, -1);
  EXPECT_EQ(StatusOf([&] { blind.ImagePlan(48, 48); }), RONDO_STATUS_UNSUPPORTED);
}

TEST_F(SeeingCppBindingTest, MediaAmongTokens) {
  std::unique_ptr<rondo::Media> media =
      std::make_unique<rondo::Media>(engine, rondo::Image(pixels, 48, 48));
  const rondo_image_facts facts = media->Info();
  EXPECT_EQ(facts.rows, 40u);
  ASSERT_EQ(std::count(ids.begin(), ids.end(), model.Info().picture_token), 1);
  rondo::Session session(engine, Limited(4));
  session.AppendMedia(ids, {*media});
  EXPECT_EQ(session.Position(), ids.size() - 1 + facts.positions);
  media.reset();  // the session goes on
  EXPECT_GE(session.Next().token, 0);
  EXPECT_EQ(StatusOf([&] { session.AppendMedia(ids, {}); }), RONDO_STATUS_INVALID_ARGUMENT);
}

TEST_F(SeeingCppBindingTest, WhatIsSeenIsThePicture) {
  const std::vector<float> seen = Logits({rondo::Media(engine, rondo::Image(pixels, 48, 48))});
  std::vector<unsigned char> other = pixels;
  std::reverse(other.begin(), other.end());
  EXPECT_NE(Logits({rondo::Media(engine, rondo::Image(other, 48, 48))}), seen);
  // The same pixels with alpha, in rows with a gap.
  std::vector<unsigned char> wide(48 * 200);
  for (size_t i = 0; i < size_t{48} * 48; ++i) {
    unsigned char* const pixel = &wide[i / 48 * 200 + i % 48 * 4];
    for (size_t c = 0; c < 3; ++c) pixel[c] = pixels[i * 3 + 2 - c];
  }
  const rondo::View<const unsigned char> whole(wide.data(), wide.size() - 8);
  const rondo::Image same(whole, 48, 48, RONDO_PIXELS_BGRA8, 200);
  EXPECT_EQ(Logits({rondo::Media(engine, same)}), seen);
  const rondo::View<const unsigned char> less(wide.data(), wide.size() - 9);
  EXPECT_EQ(StatusOf([&] { rondo::Image(less, 48, 48, RONDO_PIXELS_BGRA8, 200); }),
            RONDO_STATUS_INVALID_ARGUMENT);
}

TEST_F(SeeingCppBindingTest, Planes) {
  const std::vector<unsigned char> y(size_t{48} * 48, 90), uv(size_t{48} * 24, 128);
  rondo::Image frame;
  frame.format = RONDO_PIXELS_NV12;
  frame.width = frame.height = 48;
  frame.plane0 = y.data();
  EXPECT_EQ(StatusOf([&] { rondo::Media(engine, frame); }), RONDO_STATUS_INVALID_ARGUMENT);
  frame.plane1 = uv.data();
  frame.yuv_range = RONDO_YUV_FULL;
  const rondo::Image gray(y, 48, 48, RONDO_PIXELS_GRAY8);
  EXPECT_EQ(Logits({rondo::Media(engine, frame)}), Logits({rondo::Media(engine, gray)}));
}

TEST_F(SeeingCppBindingTest, ProgressOfEncoding) {
  const rondo::Image image(pixels, 48, 48);
  uint64_t last = 0, whole = 1;
  const rondo::Media media(engine, image, {}, [&](uint64_t done, uint64_t total) {
    last = done;
    whole = total;
  });
  EXPECT_EQ(last, whole);
  std::reverse(pixels.begin(), pixels.end());  // else it is there already
  const auto stop = [](uint64_t, uint64_t) { throw std::runtime_error("enough"); };
  EXPECT_THROW(rondo::Media(engine, image, {}, stop), std::runtime_error);
  EXPECT_EQ(media.Info().rows, 40u);
}

TEST_F(SeeingCppBindingTest, RefusedMedia) {
  const rondo::Image image(pixels, 48, 48);
  const rondo::Engine none(model, Options());
  EXPECT_EQ(StatusOf([&] { rondo::Media(none, image); }), RONDO_STATUS_UNSUPPORTED);
  const rondo::Media media(engine, image);
  rondo::Session session(none, Limited(0));
  EXPECT_EQ(StatusOf([&] { session.AppendMedia(ids, {media}); }), RONDO_STATUS_INVALID_ARGUMENT);
}

TEST_F(CppBindingTest, Adapter) {
  rondo::EngineOptions engine_options = Options();
  engine_options.adapter_rank = kTinyAdapterRank;
  const rondo::Engine roomy(model, engine_options);
  const auto text = [&](const rondo::SessionOptions& options) {
    rondo::Session session(roomy, options);
    session.Prefill(ids);
    return session.Generate();
  };
  const std::string plain = text(Limited(16));
  rondo::SessionOptions with = Limited(16);
  with.adapter.emplace(model, TinyAdapterPath());
  EXPECT_EQ(with.adapter->Facts().rank, kTinyAdapterRank);
  const std::string adapted = text(with);
  EXPECT_NE(adapted, plain);
  EXPECT_EQ(text(Limited(16)), plain);
  EXPECT_EQ(StatusOf([&] { rondo::Session(engine, with); }), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(StatusOf([&] { rondo::Adapter(model, TinyModelPath()); }), RONDO_STATUS_NOT_A_MODEL);
  auto session = std::make_unique<rondo::Session>(roomy, with);
  with.adapter.reset();  // the session goes on
  session->Prefill(ids);
  EXPECT_EQ(session->Generate(), adapted);
}

TEST_F(CppBindingTest, Grammar) {
  const auto text = [&](const rondo::SessionOptions& options) {
    rondo::Session session(engine, options);
    session.Prefill(ids);
    std::string result;
    int32_t reason = RONDO_REASON_NONE;
    for (const rondo::Event& event : session.Stream()) {
      result += event.text;
      reason = event.reason;
    }
    EXPECT_TRUE(reason == RONDO_REASON_GRAMMAR || reason == RONDO_REASON_EOS) << reason;
    return result;
  };
  rondo::SessionOptions options;
  options.temperature = 1.0F;
  options.seed = 7;
  options.json_schema = kPerson;
  const std::string person = text(options);
  EXPECT_TRUE(IsPerson(person));
  rondo::GrammarOptions dense;
  dense.flags = RONDO_SCHEMA_NO_SPACES;
  rondo::GrammarOptions usual;
  usual.flags = RONDO_SCHEMA_ONE_SPACE | RONDO_SCHEMA_NAMED_ONLY;
  options.grammar = rondo::Grammar(model, kPerson, usual);
  EXPECT_EQ(StatusOf([&] { text(options); }), RONDO_STATUS_INVALID_ARGUMENT);
  options.json_schema.clear();
  EXPECT_EQ(text(options), person);
  options.grammar = rondo::Grammar(model,
                                   R"({"type":"array","minItems":2,"maxItems":2,)"
                                   R"("items":{"enum":[1]}})",
                                   dense);
  EXPECT_EQ(text(options), "[1,1]");
  const std::string both = R"({"type":"object","properties":{"a":{"enum":[1]},"b":{"enum":[2]}},)"
                           R"("required":["a","b"],"additionalProperties":false})";
  options.grammar = rondo::Grammar(model, both, dense);
  EXPECT_EQ(text(options), R"({"a":1,"b":2})");
  dense.flags |= RONDO_SCHEMA_ANY_ORDER;
  options.grammar = rondo::Grammar(model, both, dense);
  EXPECT_EQ(text(options), R"({"b":2,"a":1})");
  options.grammar = rondo::Grammar::FromPattern(model, "[ab]{4}c");
  EXPECT_TRUE(std::regex_match(text(options), std::regex("[ab]{4}c")));
}

TEST_F(CppBindingTest, GrammarHasItsPlannedSize) {
  rondo::GrammarOptions options;
  options.flags = RONDO_SCHEMA_NO_SPACES | RONDO_SCHEMA_NAMED_ONLY;
  options.memory_bytes = 2 << 20;
  const uint64_t bytes = model.PlanGrammar(std::strlen(kPerson), options);
  const std::unique_ptr<void, decltype(&std::free)> memory(
      std::aligned_alloc(64, (bytes + 63) / 64 * 64), std::free);
  EXPECT_EQ(StatusOf([&] { rondo::Grammar(model, kPerson, options, memory.get(), bytes - 1); }),
            RONDO_STATUS_ARENA_TOO_SMALL);
  auto grammar = std::make_unique<rondo::Grammar>(model, kPerson, options, memory.get(), bytes);
  rondo::SessionOptions with;
  with.grammar = *grammar;
  auto session = std::make_unique<rondo::Session>(engine, with);
  with.grammar.reset();
  grammar.reset();  // the session goes on
  session->Prefill(ids);
  EXPECT_TRUE(IsPerson(session->Generate()));
}

TEST_F(CppBindingTest, RefusedGrammar) {
  try {
    const rondo::Grammar grammar(model, R"({"properties":{"a":{"uniqueItems":true}}})");
    FAIL();
  } catch (const rondo::Error& error) {
    EXPECT_EQ(error.status(), RONDO_STATUS_UNSUPPORTED);
    EXPECT_NE(std::string(error.what()).find("#/properties/a/uniqueItems"), std::string::npos)
        << error.what();
  }
}

#if defined(__linux__)
TEST_F(CppBindingTest, Cpus) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  uint32_t first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  rondo::EngineOptions options = Options();
  options.threads = 2;
  const std::vector<uint32_t> cpus = {first};
  options.RunOn(cpus);
  EXPECT_EQ(rondo::Engine(model, options).Memory().threads, 2u);
  options.threads = 0;
  EXPECT_EQ(model.Plan(options).threads, 1u);
  const std::vector<uint32_t> none = {1023};
  options.RunOn(none);
  try {
    const rondo::Engine refused(model, options);
    FAIL();
  } catch (const rondo::Error& error) {
    EXPECT_EQ(error.status(), RONDO_STATUS_INVALID_ARGUMENT);
    EXPECT_NE(std::string(error.what()).find("1023"), std::string::npos) << error.what();
  }
}
#endif

TEST_F(CppBindingTest, Logits) {
  rondo::Session session(engine);
  float last = 0;
  session.PrefillLogits(ids, [&](size_t, rondo::View<const float> row) { last = row[7]; });
  const std::vector<float> logits = session.Logits();
  EXPECT_EQ(logits.size(), 2048u);
  EXPECT_EQ(logits[7], last);
  const auto best =
      static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  EXPECT_EQ(session.Next().token, best);
  session.Undo(1);
  session.Accept(best);
  EXPECT_EQ(session.Position(), ids.size() + 1);
  EXPECT_THROW(session.PrefillLogits(ids, [](size_t, rondo::View<const float>) { throw 7; }), int);
  session.Reset();
  EXPECT_EQ(session.Position(), 0u);
}

TEST_F(CppBindingTest, Cancel) {
  rondo::Session session(engine, Limited(8));
  session.Cancel();
  EXPECT_EQ(StatusOf([&] { session.Prefill(ids); }), RONDO_STATUS_CANCELLED);
  EXPECT_EQ(session.Position(), 0u);
  int32_t status = RONDO_STATUS_OK;
  std::thread other([&] { session.Cancel(); });
  while (status == RONDO_STATUS_OK) {
    status = StatusOf([&] {
      session.Undo(session.Position());  // Reset would forget a cancellation that came before it
      session.Prefill(ids);
    });
  }
  other.join();
  EXPECT_EQ(status, RONDO_STATUS_CANCELLED);
}

TEST_F(CppBindingTest, CancelOfOneCall) {
  rondo::Session session(engine, Limited(8));
  const uint64_t number = session.CallNumber();
  session.Prefill(ids);
  session.CancelCall(number);  // it is over: nothing happens
  EXPECT_EQ(session.CallNumber(), number + 1);
  session.CancelCall(number + 1);
  EXPECT_EQ(StatusOf([&] { session.Next(); }), RONDO_STATUS_CANCELLED);
  EXPECT_EQ(StatusOf([&] { session.CancelCall(number + 3); }), RONDO_STATUS_INVALID_ARGUMENT);
  session.Next();
}

TEST_F(CppBindingTest, ForkAndSnapshot) {
  const std::string text = Text(ids, 12);
  rondo::Session session(engine, Limited(12));
  session.Prefill(ids);
  rondo::Session fork = session.Fork(Limited(12));
  EXPECT_EQ(fork.Generate(), text);
  std::string begun(session.Next().text);
  begun += session.Next().text;
  std::vector<unsigned char> saved = session.Save();
  rondo::Session restored(rondo::Engine(model, Options()), Limited(12));
  restored.Restore(saved);
  EXPECT_EQ(begun + restored.Generate(), text);
  saved.back() ^= 1;
  EXPECT_EQ(StatusOf([&] { restored.Restore(saved); }), RONDO_STATUS_CORRUPT);
}

TEST_F(CppBindingTest, Step) {
  const std::vector<int32_t> other = model.Tokenize("Once upon a time");
  const std::string alone[] = {Text(ids, 8), Text(other, 8)};
  rondo::Session first(engine, Limited(8));
  rondo::Session second(engine, Limited(8));
  first.Append(ids);
  second.Append(other);
  std::string texts[2];
  std::vector<rondo::Session*> running = {&first, &second};
  while (!running.empty()) {
    engine.Step(running);
    std::vector<rondo::Session*> still;
    for (rondo::Session* session : running) {
      const rondo::Event event = session->TakeEvent();
      texts[session == &second] += event.text;
      if (event.reason == RONDO_REASON_NONE) still.push_back(session);
    }
    running = still;
  }
  EXPECT_EQ(texts[0], alone[0]);
  EXPECT_EQ(texts[1], alone[1]);
}

TEST_F(CppBindingTest, Observation) {
  rondo::EngineOptions options = Options();
  options.profile_events = 1000;
  const rondo::Engine watched(model, options);
  rondo::Session session(watched, Limited(4));
  session.Prefill(ids);
  session.Generate();
  EXPECT_EQ(session.Stats().tokens_generated, 4u);
  EXPECT_EQ(session.Progress().first, session.Progress().second);
  uint64_t cursor = 0;
  rondo_profile_event event;
  size_t events = 0;
  while (watched.Profile(&cursor, &event)) ++events;
  EXPECT_GT(events, 0u);
}

TEST_F(CppBindingTest, Chat) {
  rondo::Chat chat;
  chat.messages = R"([{"role": "user", "content": "hi"}])";
  EXPECT_EQ(StatusOf([&] { model.RenderChat(chat); }), RONDO_STATUS_UNSUPPORTED);
  EXPECT_EQ(StatusOf([&] { model.ChatTemplate(model.ChatTemplateName(0)); }),
            RONDO_STATUS_INVALID_ARGUMENT);
  chat.template_text = "{{ messages[0].content }}{{ tail }}";
  chat.variables = R"({"tail": "!"})";
  int64_t can = 0;
  if (rondo_query("chat", &can) != RONDO_STATUS_OK || can == 0) GTEST_SKIP() << "no chat here";
  EXPECT_EQ(model.RenderChat(chat), "hi!");
  EXPECT_EQ(model.ChatIds(chat), model.Tokenize("hi!", 0));
  rondo::Session session(engine, Limited(12));
  session.Prefill(ids);  // is taken back
  EXPECT_EQ(session.Chat(chat).text, Text(model.ChatIds(chat), 12));
}

TEST_F(CppBindingTest, RulesAndWhereTheyBegin) {
  const auto text = [&](const rondo::SessionOptions& options) {
    rondo::Session session(engine, options);
    session.Prefill(ids);
    return session.Generate();
  };
  rondo::SessionOptions options = Limited(16);
  options.grammar = rondo::Grammar::FromRules(model, R"(root ::= "sky" | "sea")");
  const std::string said = text(options);
  EXPECT_TRUE(said == "sky" || said == "sea") << said;

  rondo::Session session(engine, Limited(1));
  session.Prefill(ids);
  const rondo::Event event = session.Next();
  const std::string first(event.text);
  options.grammar = rondo::Grammar::FromPattern(model, "[ab]{3}");
  options.grammar_begin = RONDO_GRAMMAR_BEGIN_AFTER_TOKEN;
  options.grammar_token = event.token;
  const std::string whole = text(options);
  EXPECT_EQ(whole.size(), first.size() + 3);
  EXPECT_EQ(whole.substr(0, first.size()), first);
  EXPECT_EQ(whole.find_first_not_of("ab", first.size()), std::string::npos);
  options.grammar_goes_on = true;
  EXPECT_GT(text(options).size(), whole.size());
}

TEST_F(CppBindingTest, Thinking) {
  const auto channels = [&](const rondo::SessionOptions& options) {
    rondo::Session session(engine, options);
    session.Prefill(model.Tokenize("Lily saw her mom"));
    std::vector<int32_t> channels;
    for (const rondo::Event& event : session.Stream()) channels.push_back(event.channel);
    return channels;
  };
  rondo::SessionOptions options = Limited(32);
  options.temperature = 1.0F;
  options.seed = 3;
  EXPECT_EQ(channels(options), std::vector<int32_t>(32, RONDO_CHANNEL_TEXT));
  options.thinking = true;
  EXPECT_EQ(StatusOf([&] { channels(options); }), RONDO_STATUS_UNSUPPORTED);
  options.thinking_begin = " mom";
  options.thinking_end = " day.\n";
  EXPECT_EQ(channels(options).at(0), RONDO_CHANNEL_THINKING);
  options.thinking_tokens = 1;
  const std::vector<int32_t> bounded = channels(options);
  const auto free = std::find(bounded.begin(), bounded.end(), RONDO_CHANNEL_TEXT);
  EXPECT_LT(free - bounded.begin(), 8);
}

// A conversation whose template knows functions and thoughts.
rondo::Chat Calling() {
  rondo::Chat chat;
  chat.messages = R"([{"role": "user", "content": "How is the weather?"}])";
  chat.tools = R"([{"type": "function", "function": {"name": "weather", "parameters": {)"
               R"("type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}},)"
               R"("required": ["city"], "additionalProperties": false}}}])";
  std::ifstream file(std::string(kSourceFolder) + "/c_api/bindings/calling.jinja");
  chat.template_text.assign(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(chat.template_text, "");
  return chat;
}

// The text of all parts of a kind.
std::string TextOf(const std::vector<rondo::ChatPart>& parts, int32_t kind) {
  std::string text;
  for (const rondo::ChatPart& part : parts) text += part.kind == kind ? part.text : "";
  return text;
}

TEST_F(CppBindingTest, ChatParser) {
  const std::string answer =
      "<think>\nso\n</think>\n\nGr\xc3\xbc\xc3\x9f"
      "e<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Rome\"}}\n</tool_call>";
  rondo::ChatParser parser(model, Calling());
  for (int i = 0; i < 2; ++i) {
    std::vector<rondo::ChatPart> parts;
    const auto take = [&] {
      for (rondo::ChatPart& part : parser.Parts()) parts.push_back(std::move(part));
    };
    for (const char byte : answer) {
      parser.Push({&byte, 1});
      take();
    }
    parser.Push("", true);
    take();
    EXPECT_EQ(TextOf(parts, RONDO_CHAT_PART_THINKING), "so");
    EXPECT_EQ(TextOf(parts, RONDO_CHAT_PART_CONTENT),
              "Gr\xc3\xbc\xc3\x9f"
              "e");
    EXPECT_EQ(parts.back().kind, RONDO_CHAT_PART_CALL_END);
    EXPECT_EQ(parts.back().name, "weather");
    EXPECT_EQ(parts.back().id, "");
    EXPECT_EQ(parts.back().arguments, R"({"city": "Rome"})");
    EXPECT_EQ(TextOf(parts, RONDO_CHAT_PART_ARGUMENTS), parts.back().arguments);
    EXPECT_EQ(StatusOf([&] { parser.Push("more"); }), RONDO_STATUS_INVALID_ARGUMENT);
    parser.Reset();
  }
  rondo::Chat none = Calling();
  none.template_text = "{{ messages[0].content }}";
  EXPECT_EQ(StatusOf([&] { rondo::ChatParser(model, none); }), RONDO_STATUS_UNSUPPORTED);
}

TEST_F(CppBindingTest, Calls) {
  const rondo::Chat chat = Calling();
  const std::string rules = model.ChatGrammar(chat, RONDO_CALLS_ONE, "weather");
  EXPECT_EQ(StatusOf([&] { model.ChatGrammar(chat, RONDO_CALLS_ONE, "absent"); }),
            RONDO_STATUS_INVALID_ARGUMENT);
  rondo::SessionOptions options;
  options.grammar = rondo::Grammar::FromRules(model, rules);
  rondo::Session session(engine, options);
  std::vector<rondo::ChatPart> parts;
  for (const rondo::ChatPart& part : session.ChatStream(chat)) parts.push_back(part);
  ASSERT_GE(parts.size(), 3u);
  EXPECT_EQ(parts.front().kind, RONDO_CHAT_PART_CALL);
  EXPECT_EQ(parts.back().kind, RONDO_CHAT_PART_CALL_END);
  EXPECT_EQ(parts.back().name, "weather");
  const std::regex city(R"re(\{\s*"city"\s*:\s*"(Rome|Oslo)"\s*\})re");
  EXPECT_TRUE(std::regex_match(parts.back().arguments, city)) << parts.back().arguments;
  const auto content = [&](const rondo::SessionOptions& said) {
    rondo::Session one(engine, said);
    std::vector<rondo::ChatPart> all;
    for (const rondo::ChatPart& part : one.ChatStream(chat)) all.push_back(part);
    return TextOf(all, RONDO_CHAT_PART_CONTENT);
  };
  options.grammar = rondo::Grammar::FromPattern(model, "<tool_ca");
  EXPECT_EQ(content(options), "<tool_ca");  // looks like a call to its end
  rondo::SessionOptions silent;
  silent.bias = {{1, 1e9F}};
  EXPECT_EQ(content(silent), "");  // the end is no content
  const auto [begin, end] = model.ChatThinking(chat);
  EXPECT_NE(begin.find("<think>"), std::string::npos);
  EXPECT_NE(end.find("</think>"), std::string::npos);
}

TEST_F(CppBindingTest, PlainContent) {
  rondo::Chat chat = Calling();
  chat.messages = R"([{"role": "user", "content": "<|pad|>"}])";
  const auto count = [&](int32_t token) {
    const std::vector<int32_t> all = model.ChatIds(chat);
    return std::count(all.begin(), all.end(), token);
  };
  EXPECT_EQ(count(2), 0);
  EXPECT_EQ(count(1), 1);  // the template's own
  chat.plain_content = false;
  EXPECT_EQ(count(2), 1);
}

TEST_F(CppBindingTest, Errors) {
  EXPECT_EQ(StatusOf([] { rondo::Model("absent.rondo"); }), RONDO_STATUS_IO_ERROR);
  rondo::Session session(engine);
  EXPECT_EQ(StatusOf([&] { session.Next(); }), RONDO_STATUS_NO_LOGITS);
  try {
    session.Prefill(std::vector<int32_t>{2048});
    FAIL();
  } catch (const rondo::Error& error) {
    EXPECT_NE(std::string(error.what()).find("2048"), std::string::npos);
  }
}

TEST_F(CppBindingTest, AnyOrderOfClosing) {
  const std::string text = Text(ids, 8);
  const std::vector<unsigned char> file = ReadFile(TinyModelPath());
  const std::unique_ptr<void, decltype(&std::free)> memory(
      std::aligned_alloc(64, (file.size() + 63) / 64 * 64), std::free);
  std::memcpy(memory.get(), file.data(), file.size());
  auto session = std::make_unique<rondo::Session>(
      rondo::Engine(rondo::Model::FromMemory(memory.get(), file.size()), Options()), Limited(8));
  session->Prefill(ids);
  EXPECT_EQ(session->Generate(), text);
  EXPECT_EQ(rondo::Model::FromParts({{memory.get(), file.size()}}).Info().file_bytes, file.size());
}

}  // namespace
}  // namespace cpp_binding_test
