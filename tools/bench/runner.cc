#include "tools/bench/runner.h"

#include <algorithm>
#include <optional>

#include "tools/bench/costs.h"
#include "tools/bench/generation.h"
#include "tools/bench/limits.h"
#include "tools/bench/peer.h"
#include "tools/bench/random_tokens.h"
#include "tools/bench/stepping.h"
#include "tools/common/interrupt.h"
#include "tools/common/stopwatch.h"

namespace rondo::tools {
namespace {

constexpr uint32_t kVerifyPasses = 16;  // of one repetition

bool IsAdapted(TestKind test) {
  return test == TestKind::kAdaptedPrefill || test == TestKind::kAdaptedDecode;
}

// A session brought to a depth; each test leaves it there.
class Bench {
 public:
  Bench(const BenchModel& model, Engine* engine, Session* session)
      : engine_(engine),
        vocab_size_(model.handle.Info().vocab_size),
        tokens_(vocab_size_),
        costs_(CostsOf(model.parts, engine->Memory().kernels)),
        memory_(engine->Memory()),
        session_(session) {}

  uint32_t threads() const { return memory_.threads; }

  // From a depth not above `depth`.
  void GoTo(uint64_t depth) {
    const CancelOnSignal cancel(session_->get());
    Prefill(depth - depth_);
    depth_ = depth;
    generation_.reset();
  }

  Measurement Describe(TestKind test, uint64_t tokens, uint32_t rows, bool integer_weights) const {
    Measurement m;
    m.test = test;
    m.threads = threads();
    m.tokens = tokens;
    m.depth = depth_;
    m.rows = rows;
    // What an adapter costs is told by what it is compared with.
    if (test == TestKind::kDrafts || IsAdapted(test)) return m;
    if (test == TestKind::kPrefill) {
      // The int8 peak is no limit of float weights.
      m.limit = integer_weights ? Limit::kInt8Peak : Limit::kNone;
      m.work = integer_weights ? PrefillOperations(costs_, tokens) : 0;
    } else {
      m.limit = Limit::kBandwidth;
      m.work = test == TestKind::kDecode ? DecodeBytes(costs_, depth_, tokens)
                                         : PassBytes(costs_, depth_, rows);
    }
    return m;
  }

  // Seconds of one repetition.
  double Run(Measurement* of) {
    const CancelOnSignal cancel(session_->get());
    const Measurement& m = *of;
    double seconds = 0;
    switch (m.test) {
      case TestKind::kPrefill:
      case TestKind::kAdaptedPrefill:
        seconds = Seconds([&] { Prefill(m.tokens); });
        Undo(m.tokens);
        break;
      case TestKind::kDecode:
      case TestKind::kAdaptedDecode:
        seconds = Seconds([&] { Decode(m.tokens); });
        Undo(m.tokens);
        break;
      case TestKind::kDrafts: {
        if (!generation_) generation_.emplace(engine_, session_, m.tokens, vocab_size_);
        uint64_t passes = 0;
        seconds = Seconds([&] { passes = generation_->Run(m.rows - 1, m.right_percent); });
        of->tokens_per_pass = static_cast<double>(m.tokens) / static_cast<double>(passes);
        Undo(generation_->appended());
        break;
      }
      default:
        for (uint32_t pass = 0; pass < kVerifyPasses; ++pass) {
          seconds += Seconds([&] { Verify(m.rows); }) / kVerifyPasses;
          Undo(m.rows);
        }
    }
    return seconds;
  }

 private:
  void Prefill(uint64_t count) {
    if (count == 0) return;
    session_->Prefill(tokens_.Some(count));
  }
  void Decode(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      session_->Accept(tokens_.Next());
      session_->Logits();
    }
  }
  // With the logits of every row, which a verifier compares.
  void Verify(uint64_t rows) {
    session_->PrefillLogits(tokens_.Some(rows), [](size_t, View<const float>) {});
  }
  // Windows and states may have to be evaluated again up to here, which is no work of the next
  // test.
  void Undo(uint64_t count) {
    session_->Undo(count);
    if (depth_ > 0) session_->Logits();
  }

  Engine* const engine_;
  const uint32_t vocab_size_;
  RandomTokens tokens_;
  const ModelCosts costs_;
  const rondo_memory_plan memory_;
  Session* const session_;
  uint64_t depth_ = 0;
  std::optional<Generation> generation_;  // of this depth
};

class Runner {
 public:
  Runner(const BenchModel& model, const BenchOptions& options, const BenchCallbacks& callbacks)
      : model_(model), options_(options), callbacks_(callbacks), limits_(options.probe_bytes) {}

  void Run() {
    for (const uint32_t threads : options_.threads) RunThreads(threads);
  }

 private:
  EngineOptions OptionsFor(uint32_t threads) const {
    EngineOptions engine;
    const uint64_t context = options_.depths.back() + options_.prompt_tokens +
                             options_.decode_tokens + options_.max_rows + 1;
    engine.context = static_cast<uint32_t>(context);
    engine.max_rows = options_.max_rows;
    engine.threads = threads;
    engine.kv_format = options_.kv_format;
    if (!options_.kernels.empty()) engine.kernels = options_.kernels.c_str();
    return engine;
  }

  void RunThreads(uint32_t threads) {
    EngineOptions engine_options = OptionsFor(threads);
    SessionOptions adapted = Endless();
    UseAdapter(options_.adapter, model_.handle, &engine_options, &adapted);
    if (adapted.adapter) engine_options.max_sessions = 2;
    Measurement load;
    std::optional<Engine> engine;
    for (uint32_t i = 0; i < options_.repetitions; ++i) {
      engine.reset();  // one arena at a time
      load.seconds.push_back(
          Seconds([&] { engine = CreateEngine(model_.handle, engine_options); }));
    }
    Session session = OpenEndless(*engine);
    Bench bench(model_, &*engine, &session);
    std::optional<Session> second;
    std::optional<Bench> with_adapter;
    if (adapted.adapter) {
      second.emplace(*engine, adapted);
      with_adapter.emplace(model_, &*engine, &*second);
    }
    if (threads == options_.threads.front()) {
      subject_ = SubjectOf(model_.handle, engine->Memory().kernels);
      callbacks_.subject(subject_);
    }
    load.threads = bench.threads();
    callbacks_.measured(load);
    for (const uint32_t depth : options_.depths) {
      bench.GoTo(depth);
      if (with_adapter) with_adapter->GoTo(depth);
      RunDepth(bench, with_adapter ? &*with_adapter : nullptr);
    }
  }

  std::vector<Measurement> Tests(const Bench& bench, bool adapted) const {
    const bool integers = subject_.weights != "f32";
    std::vector<Measurement> tests;
    const auto add = [&](TestKind test, uint64_t tokens, uint32_t rows) {
      tests.push_back(bench.Describe(test, tokens, rows, integers));
    };
    if (options_.prompt_tokens > 0) {
      add(TestKind::kPrefill, options_.prompt_tokens,
          static_cast<uint32_t>(std::min<uint64_t>(options_.prompt_tokens, options_.max_rows)));
    }
    if (options_.prompt_tokens > 0 && adapted) {
      add(TestKind::kAdaptedPrefill, options_.prompt_tokens, tests.back().rows);
    }
    if (options_.decode_tokens > 0) add(TestKind::kDecode, options_.decode_tokens, 1);
    if (options_.decode_tokens > 0 && adapted) {
      add(TestKind::kAdaptedDecode, options_.decode_tokens, 1);
    }
    for (const uint32_t rows : options_.verified_rows) add(TestKind::kVerify, rows, rows);
    for (const uint32_t drafts : options_.drafts) {
      for (const uint32_t percent : options_.right_percents) {
        add(TestKind::kDrafts, options_.decode_tokens, 1 + drafts);
        if (drafts == 0) break;
        tests.back().right_percent = percent;
      }
    }
    return tests;
  }

  // `adapted`: the same with an adapter; null: there is none.
  void RunDepth(Bench& bench, Bench* adapted) {
    std::vector<Measurement> tests = Tests(bench, adapted != nullptr);
    const auto run = [&](Measurement* test) {
      return (IsAdapted(test->test) ? *adapted : bench).Run(test);
    };
    for (Measurement& test : tests) run(&test);  // to warm up
    for (uint32_t i = 0; i < options_.repetitions; ++i) {
      double without_drafts = 0, before = 0;  // tokens per second
      for (Measurement& test : tests) {
        limits_.Look(&test);
        test.seconds.push_back(run(&test));
        if (IsAdapted(test.test)) test.baseline_speeds.push_back(before);
        before = static_cast<double>(test.tokens) / test.seconds.back();
        if (test.test != TestKind::kDrafts) continue;
        if (test.rows == 1) without_drafts = static_cast<double>(test.tokens) / test.seconds.back();
        test.baseline_speeds.push_back(without_drafts);
      }
      if (!options_.peer.empty()) AskPeer(tests);
    }
    double one_row_seconds = 0;
    for (Measurement& test : tests) {
      if (test.test == TestKind::kVerify) {
        if (test.rows == 1) one_row_seconds = Median(test.seconds);
        test.one_row_seconds = one_row_seconds;
      }
      callbacks_.measured(test);
    }
  }

  void AskPeer(std::vector<Measurement>& tests) const {
    const PeerTask task = {options_.prompt_tokens, options_.decode_tokens, tests.front().depth,
                           tests.front().threads};
    const PeerSpeeds speeds = RunPeer(options_.peer, task);
    for (Measurement& test : tests) {
      const double speed = test.test == TestKind::kPrefill  ? speeds.prefill
                           : test.test == TestKind::kDecode ? speeds.decode
                                                            : 0;
      if (speed > 0) test.peer_speeds.push_back(speed);
    }
  }

  const BenchModel& model_;
  const BenchOptions& options_;
  const BenchCallbacks& callbacks_;
  const Limits limits_;
  Subject subject_;
};

}  // namespace

void RunBench(const BenchModel& model, const BenchOptions& options,
              const BenchCallbacks& callbacks) {
  Runner(model, options, callbacks).Run();
}

}  // namespace rondo::tools
