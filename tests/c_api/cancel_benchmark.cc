// How long rondo_session_cancel from another thread takes to end a prefill of 512 tokens:
//   rondo_cancel_benchmark MODEL [ROUNDS [THREADS]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "rondo/rondo.h"

namespace {

using Clock = std::chrono::steady_clock;

double Milliseconds(Clock::duration d) {
  return std::chrono::duration<double, std::milli>(d).count();
}

int Fail(const char* why) {
  std::fprintf(stderr, "%s\n", why);
  return 1;
}

int Measure(rondo_session* session, int rounds) {
  const std::vector<int32_t> ids(512, 5);
  auto begin = Clock::now();
  if (rondo_session_prefill(session, ids.data(), ids.size()) != RONDO_STATUS_OK) {
    return Fail(rondo_session_last_error(session));
  }
  const Clock::duration whole = Clock::now() - begin;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> moment(0.02, 0.9);
  std::vector<double> took;
  for (int round = 0; round < rounds; ++round) {
    if (rondo_session_reset(session) != RONDO_STATUS_OK) return Fail("not reset");
    Clock::time_point ended;
    int32_t status = RONDO_STATUS_OK;
    std::thread caller([&] {
      status = rondo_session_prefill(session, ids.data(), ids.size());
      ended = Clock::now();
    });
    std::this_thread::sleep_for(whole * moment(random));
    begin = Clock::now();
    rondo_session_cancel(session);
    caller.join();
    if (status == RONDO_STATUS_CANCELLED) took.push_back(Milliseconds(ended - begin));
  }
  if (took.empty()) return Fail("every prefill ended before it was cancelled");
  std::sort(took.begin(), took.end());
  std::printf(
      "prefill of 512 tokens: %.0f ms; cancelled %zu times: p50 %.2f, p99 %.2f, most %.2f ms\n",
      Milliseconds(whole), took.size(), took[took.size() / 2], took[took.size() * 99 / 100],
      took.back());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return Fail("usage: rondo_cancel_benchmark MODEL [ROUNDS [THREADS]]");
  char why[256];
  rondo_model* model = nullptr;
  rondo_engine* engine = nullptr;
  rondo_session* session = nullptr;
  rondo_engine_options options;
  rondo_session_options session_options;
  if (rondo_engine_options_init(&options, sizeof options) != RONDO_STATUS_OK ||
      rondo_session_options_init(&session_options, sizeof session_options) != RONDO_STATUS_OK) {
    return Fail("a library of another version");
  }
  options.context = 512;
  options.no_prefix_cache = 1;
  options.threads = argc > 3 ? static_cast<uint32_t>(std::atoi(argv[3])) : 0;
  int result = 1;
  if (rondo_model_open_path(RONDO_ABI_VERSION, argv[1], &model, why, sizeof why) ||
      rondo_engine_create(model, &options, nullptr, 0, &engine, why, sizeof why) ||
      rondo_session_open(engine, &session_options, &session, why, sizeof why)) {
    std::fprintf(stderr, "%s\n", why);
  } else {
    result = Measure(session, argc > 2 ? std::max(1, std::atoi(argv[2])) : 200);
  }
  rondo_session_close(session);
  rondo_engine_close(engine);
  rondo_model_close(model);
  return result;
}
