#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>
#include <type_traits>

#include "support.h"

namespace {

// An engine on which a prompt takes long enough to be cancelled.
rondo::EngineOptions Slow() {
  rondo::EngineOptions options;
  options.context = 512;
  options.max_rows = 4;
  options.duty_percent = 5;
  options.no_prefix_cache = 1;
  return options;
}
const std::vector<int32_t> kLong(400, 7);

void WaitUntilItRuns(const rondo::Session& session) {
  while (session.Progress().second == 0) std::this_thread::yield();
}

// b35, b38
void Cancel(const rondo::Model& model) {
  const rondo::Engine engine(model, Slow());
  rondo::Session session(engine);
  std::future<int32_t> other =
      std::async(std::launch::async, [&] { return Refusal([&] { session.Prefill(kLong); }); });
  WaitUntilItRuns(session);
  CHECK(Refusal([&] { session.Prefill(kLong); }) == RONDO_STATUS_BUSY);
  session.Cancel();
  CHECK(other.get() == RONDO_STATUS_CANCELLED);
  session.Prefill(std::vector<int32_t>{7, 8});
}

// b36
void CancelOfACall(const rondo::Engine& engine) {
  rondo::Session session(engine, Limited());
  const uint64_t over = session.CallNumber();
  session.Prefill(kPrompt);
  session.CancelCall(over);  // nothing happens
  CHECK(session.CallNumber() == over + 1 && session.Generate() == Said(engine));
  session.CancelCall(session.CallNumber());
  CHECK(Refusal([&] { session.Prefill(kPrompt); }) == RONDO_STATUS_CANCELLED);
  session.Prefill(kPrompt);
}

// b37
#if defined(__cpp_lib_jthread)
void StopTokens(const rondo::Model& model) {
  const rondo::Engine engine(model, Slow());
  rondo::Session session(engine);
  std::stop_source source;
  std::future<int32_t> other = std::async(std::launch::async, [&] {
    return Refusal([&] { session.Until(source.get_token(), [&] { session.Prefill(kLong); }); });
  });
  WaitUntilItRuns(session);
  source.request_stop();
  CHECK(other.get() == RONDO_STATUS_CANCELLED);
  // One that was requested before; behind Until nothing is cancelled.
  CHECK(Refusal([&] {
          session.Until(source.get_token(), [&] { return session.Generate(kPrompt); });
        }) == RONDO_STATUS_CANCELLED);
  session.Prefill(kPrompt);
  // Also where the call was refused for another reason.
  CHECK(Refusal([&] {
          session.Until(source.get_token(), [&] { session.Prefill(rondo::Ids()); });
        }) != RONDO_STATUS_OK);
  session.Next();
  for (int i = 0; i < 50; ++i) {  // too late for the call: the next one does not notice
    std::stop_source late;
    std::thread stops([&] { late.request_stop(); });
    Refusal([&] { session.Until(late.get_token(), [&] { session.Next(); }); });
    stops.join();
    session.Next();
  }
}
#endif

// b39
void ManyAtOnce(const rondo::Engine& engine) {
  rondo::SessionOptions options = Limited(100);
  options.ignore_eos = true;
  const std::string text = Said(engine, options);
  uint64_t passes = 0;
  int tries = 0;  // a busy machine may begin one when another is done
  do {
    const uint64_t before = engine.Stats().passes;
    std::vector<std::future<std::string>> all;
    for (int i = 0; i < 4; ++i) {
      all.push_back(std::async(std::launch::async, [&] { return Said(engine, options); }));
    }
    for (auto& one : all) CHECK(one.get() == text);
    passes = engine.Stats().passes - before;
  } while (passes > 4 * 100 - 50 && ++tries < 20);
  CHECK(tries < 20);
}

// b40
void CallbacksThatThrow(const rondo::Model& model, const rondo::Engine& engine) {
  rondo::Session session(engine, Limited());
  const auto caught = [](auto call) {
    try {
      call();
    } catch (const std::domain_error&) {
      return true;
    }
    return false;
  };
  CHECK(caught([&] {
    session.PrefillLogits(model.Tokenize(kPrompt),
                          [](size_t, rondo::View<const float>) { throw std::domain_error("row"); });
  }));
  CHECK(caught([&] {
    rondo::Engine(model, Small(), [](uint64_t, uint64_t) { throw std::domain_error("progress"); });
  }));
  uint64_t all = 0;
  const rondo::Engine told(model, Small(), [&](uint64_t done, uint64_t total) {
    CHECK(done <= total);
    all = total;
  });
  CHECK(all > 0);
  session.Reset();
  CHECK(session.Generate(kPrompt) == Said(engine));
}

// b41, b42, b43, b46, b47
void Life(const rondo::Model& given) {
  static_assert(!std::is_copy_constructible_v<rondo::Session> &&
                !std::is_copy_constructible_v<rondo::Engine> &&
                !std::is_copy_constructible_v<rondo::Model>);
  static_assert(std::is_nothrow_move_constructible_v<rondo::Session> &&
                std::is_nothrow_destructible_v<rondo::Session> &&
                std::is_nothrow_destructible_v<rondo::Engine> &&
                std::is_nothrow_destructible_v<rondo::Model>);
  std::optional<rondo::Model> model(std::in_place, Path("RONDO_TEST_MODEL"));
  std::optional<rondo::Engine> engine(std::in_place, *model, Small());
  rondo::Session session(*engine, Limited());
  model.reset();
  engine.reset();
  const std::string text = session.Generate(kPrompt);  // also without both
  CHECK(text == Said(rondo::Engine(given, Small())));
  rondo::Session moved = std::move(session);
  CHECK(Refusal([&] { session.Next(); }) ==
        RONDO_STATUS_INVALID_ARGUMENT);  // NOLINT: it was moved from
  CHECK(Refusal([&] { session.Logits(); }) == RONDO_STATUS_INVALID_ARGUMENT);
  moved.Reset();
  CHECK(moved.Generate(kPrompt) == text);
  {
    const rondo::Grammar grammar = rondo::Grammar::FromPattern(given, "a+");
    const rondo::Grammar copy = grammar;  // the same one
    CHECK(copy.get() == grammar.get());
  }
  const rondo::Engine other(given, Small(1));
  for (int i = 0; i < 3; ++i) rondo::Session(other).Prefill(kPrompt);  // each frees its place
}

// b44
void LogitsAreCopies(const rondo::Engine& engine) {
  std::vector<float> logits, same;
  {
    rondo::Session session(engine, Limited());
    session.Prefill(kPrompt);
    logits = session.Logits();
    same = logits;
    session.Next();
  }
  CHECK(logits.size() == 2048 && logits == same);
}

size_t ResidentMegabytes() {
  size_t all = 0, resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  CHECK(std::fscanf(file, "%zu %zu", &all, &resident) == 2);
  std::fclose(file);
  return resident * 4096 >> 20;
}

// b45
void MemoryIsGivenBack(const rondo::Model& model) {
  const auto once = [&] {
    const rondo::Engine engine(model, Small(8));
    rondo::Session(engine).Prefill(kPrompt);
  };
  for (int i = 0; i < 5; ++i) once();
  const size_t begun = ResidentMegabytes();
  for (int i = 0; i < 40; ++i) once();
  CHECK(ResidentMegabytes() <= begun + 20);
}

// b48
void Snapshots(const rondo::Engine& engine) {
  const std::string text = Said(engine);
  rondo::Session session(engine, Limited());
  session.Prefill(kPrompt);
  std::string begun;
  for (int i = 0; i < 5; ++i) begun += session.Next().text;
  std::vector<unsigned char> saved = session.Save();
  rondo::Session other(engine, Limited());
  other.Restore(saved);
  saved.back() = static_cast<unsigned char>(saved.back() ^ 1);
  CHECK(Refusal([&] { other.Restore(saved); }) == RONDO_STATUS_CORRUPT);
  CHECK(begun + other.Generate() == text);
}

// b49
void Forks(const rondo::Engine& engine) {
  const std::string text = Said(engine);
  rondo::Session session(engine, Limited());
  session.Prefill(kPrompt);
  rondo::Session fork = session.Fork(Limited());
  CHECK(fork.Generate() == text && session.Generate() == text);
  const uint64_t position = session.Position();
  session.Undo(10);
  CHECK(session.Position() == position - 10);
  CHECK(Refusal([&] { session.Undo(1000); }) == RONDO_STATUS_INVALID_ARGUMENT);
  session.Reset();
  CHECK(session.Position() == 0 && session.Generate(kPrompt) == text);
}

// b50
void Steps(const rondo::Model& model, const rondo::Engine& engine) {
  const std::vector<std::string> prompts = {kPrompt, "Once upon a time", "The cat"};
  std::vector<rondo::Session> sessions;
  std::vector<std::string> texts(3), alone;
  for (const std::string& prompt : prompts) {
    alone.push_back(rondo::Session(engine, Limited()).Generate(prompt));
  }
  for (const std::string& prompt : prompts) {
    sessions.emplace_back(engine, Limited());
    sessions.back().Append(model.Tokenize(prompt));
  }
  std::vector<bool> over(3);
  for (size_t left = 3; left > 0;) {
    std::vector<rondo::Session*> running;
    for (size_t i = 0; i < 3; ++i) {
      if (!over[i]) running.push_back(&sessions[i]);
    }
    engine.Step(running);
    for (size_t i = 0; i < 3; ++i) {
      if (over[i]) continue;
      const rondo::Event event = sessions[i].TakeEvent();
      texts[i] += event.text;
      if (event.reason != RONDO_REASON_NONE) over[i] = true, --left;
    }
  }
  CHECK(texts == alone);
}

}  // namespace

void TestCancels() {
  const rondo::Model model(Path("RONDO_TEST_MODEL"));
  const rondo::Engine engine(model, Small());
  Cancel(model);
  CancelOfACall(engine);
#if defined(__cpp_lib_jthread)
  StopTokens(model);
#endif
  ManyAtOnce(engine);
  CallbacksThatThrow(model, engine);
}

void TestLife() {
  const rondo::Model model(Path("RONDO_TEST_MODEL"));
  const rondo::Engine engine(model, Small());
  Life(model);
  LogitsAreCopies(engine);
  MemoryIsGivenBack(model);
}

void TestState() {
  const rondo::Model model(Path("RONDO_TEST_MODEL"));
  const rondo::Engine engine(model, Small());
  Snapshots(engine);
  Forks(engine);
  Steps(model, engine);
}
