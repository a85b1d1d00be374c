// How long rondo_session_cancel from another thread takes to end a prefill of 512 tokens:
//   rondo_cancel_benchmark MODEL|SHAPE [ROUNDS [THREADS [DECODING [PREFILLING]]]]
// SHAPE is one of `rondo bench --shape`: random weights, in q8. DECODING and PREFILLING sessions of
// the same engine go on beside it, each in a thread of its own.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "rondo/rondo.h"
#include "tools/bench/random_model.h"

namespace rondo::abi_test {
namespace {

using Clock = std::chrono::steady_clock;

double Milliseconds(Clock::duration d) {
  return std::chrono::duration<double, std::milli>(d).count();
}

const std::vector<int32_t> kPrompt(512, 5);

// A session that prefills prompts of `tokens` tokens, one behind the other, until it is destroyed.
class Neighbour {
 public:
  Neighbour(const tools::Engine& engine, size_t tokens)
      : session_(engine), thread_([this, tokens] { Run(tokens); }) {}
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;
  ~Neighbour() {
    over_ = true;
    thread_.join();
  }

 private:
  void Run(size_t tokens) {
    size_t held = 0;
    while (!over_) {
      if (held + tokens > kPrompt.size()) {
        rondo_session_reset(session_.get());
        held = 0;
      }
      if (rondo_session_prefill(session_.get(), kPrompt.data(), tokens) != RONDO_STATUS_OK) return;
      held += tokens;
    }
  }

  tools::Session session_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

void Measure(tools::Session* session, int rounds) {
  session->Prefill(kPrompt);  // once to get warm
  session->Reset();
  Clock::time_point begin = Clock::now();
  session->Prefill(kPrompt);
  const Clock::duration whole = Clock::now() - begin;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> moment(0.02, 0.9);
  std::vector<double> took;
  for (int round = 0; round < rounds; ++round) {
    session->Reset();
    Clock::time_point ended;
    int32_t status = RONDO_STATUS_OK;
    std::thread caller([&] {
      status = rondo_session_prefill(session->get(), kPrompt.data(), kPrompt.size());
      ended = Clock::now();
    });
    std::this_thread::sleep_for(whole * moment(random));
    begin = Clock::now();
    session->Cancel();
    caller.join();
    if (status == RONDO_STATUS_CANCELLED) took.push_back(Milliseconds(ended - begin));
  }
  std::sort(took.begin(), took.end());
  std::printf("prefill of 512 tokens: %.0f ms; cancelled %zu times", Milliseconds(whole),
              took.size());
  if (!took.empty()) {
    std::printf(": p50 %.2f, p99 %.2f, most %.2f ms", took[took.size() / 2],
                took[took.size() * 99 / 100], took.back());
  }
  std::printf("\n");
}

}  // namespace
}  // namespace rondo::abi_test

int main(int argc, char** argv) {
  namespace tools = rondo::tools;
  if (argc < 2) {
    std::fprintf(
        stderr,
        "usage: rondo_cancel_benchmark MODEL|SHAPE [ROUNDS [THREADS [DECODING [PREFILLING]]]]\n");
    return 2;
  }
  try {
    const std::string subject = argv[1];
    const bool is_shape =
        std::ranges::count(tools::AllShapes(), subject, &tools::NamedShape::name) > 0;
    const tools::Model model = is_shape
                                   ? tools::MakeRandomModel(tools::OpenShape(subject), {}).handle
                                   : tools::OpenModel(subject);
    const auto argument = [&](int i) { return argc > i ? std::max(0, std::atoi(argv[i])) : 0; };
    tools::EngineOptions options;
    options.context = 512;
    options.no_prefix_cache = 1;
    options.threads = static_cast<uint32_t>(argument(3));
    const int decoding = argument(4), prefilling = argument(5);
    options.max_sessions = static_cast<uint32_t>(1 + decoding + prefilling);
    const tools::Engine engine = tools::CreateEngine(model, options);
    tools::Session session(engine);
    std::deque<rondo::abi_test::Neighbour> neighbours;
    for (int i = 0; i < decoding; ++i) neighbours.emplace_back(engine, 1);
    for (int i = 0; i < prefilling; ++i) neighbours.emplace_back(engine, 256);
    rondo::abi_test::Measure(&session, argc > 2 ? std::max(1, std::atoi(argv[2])) : 200);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
