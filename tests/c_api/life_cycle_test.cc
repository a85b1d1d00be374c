// Lives of handles and of the library: closed while they run, over and over, and twice at a time.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/c_api/many_sessions.h"
#include "tests/support/time_limit.h"
#include "tests/temp_folder.h"

namespace rondo::abi_test {
namespace {

#ifdef RONDO_EMULATED
constexpr bool kEmulated = true;
#else
constexpr bool kEmulated = false;
#endif
constexpr int kRounds = kEmulated ? 100 : kSanitized ? 60 : 1000;

// What this process has of the system.
struct Footprint {
  size_t address_space = 0;  // bytes, as the next
  size_t resident = 0;
  size_t mappings = 0;
  size_t files = 0;

  static Footprint Now() {
    Footprint now;
    std::ifstream("/proc/self/statm") >> now.address_space >> now.resident;
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    now.address_space *= page;
    now.resident *= page;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) ++now.mappings;
    const std::filesystem::directory_iterator files("/proc/self/fd");
    now.files = static_cast<size_t>(std::distance(begin(files), end(files)));
    return now;
  }
};

void ExpectNoGrowth(const Footprint& before, const Footprint& after) {
  std::printf(
      "%d times: address space %zu -> %zu KB, resident %zu -> %zu KB, mappings %zu -> "
      "%zu, files %zu -> %zu\n",
      kRounds, before.address_space >> 10, after.address_space >> 10, before.resident >> 10,
      after.resident >> 10, before.mappings, after.mappings, before.files, after.files);
  EXPECT_EQ(after.files, before.files);
  if (kSanitized) return;                          // their allocators keep what was given back
  EXPECT_LE(after.mappings, before.mappings + 2);  // the allocator's arenas
  if (kEmulated) return;  // the emulator keeps some 280 KB of each thread that has ended
  EXPECT_LE(after.address_space, before.address_space + (size_t{1} << 20));
  EXPECT_LE(after.resident, before.resident + (size_t{1} << 20));
}

// Each handle is closed, in any order, while a call on the session runs: it is cancelled, and the
// last one out takes everything with it.
TEST(LifeCycleTest, EverythingIsClosedWhileACallRuns) {
  const TimeLimit limit(60);
  struct Stage {
    std::atomic<bool> running{false}, closed{false};
  };
  std::array<int, 3> order = {0, 1, 2};
  do {
    rondo_model* const model = OpenTiny().release();
    rondo_engine_options options = Many(2);
    options.threads = 2;
    rondo_engine* const engine = NewEngine(model, options).release();
    rondo_session* const session = Open(engine, Sampled(0)).release();
    Stage stage;
    std::thread caller([&] {
      const auto row = [](void* user, size_t, const float*, size_t) {
        auto* const s = static_cast<Stage*>(user);
        s->running = true;
        while (!s->closed) std::this_thread::yield();
      };
      const std::vector<int32_t> ids(100, 7);
      EXPECT_EQ(rondo_session_prefill_logits(session, ids.data(), ids.size(), row, &stage),
                RONDO_STATUS_CANCELLED);
    });
    while (!stage.running) std::this_thread::yield();
    for (const int which : order) {
      if (which == 0) rondo_model_close(model);
      if (which == 1) rondo_engine_close(engine);
      if (which == 2) rondo_session_close(session);
    }
    stage.closed = true;
    caller.join();
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(LifeCycleTest, CancelledInsideOfAPrefill) {
  const TimeLimit limit(60);
  const Model model = OpenTiny();
  rondo_engine_options options = EngineOptions();
  options.max_rows = 4;
  options.threads = 2;
  options.no_prefix_cache = 1;
  const Engine engine = NewEngine(model.get(), options);
  const Session session = NewSession(engine.get());
  const std::vector<int32_t> ids(250, 7);
  int inside = 0;
  for (int round = 0; round < 200 && inside < 5; ++round) {
    std::atomic<int32_t> status{-1};
    std::thread caller(
        [&] { status = rondo_session_prefill(session.get(), ids.data(), ids.size()); });
    uint64_t done = 0, total = 0;
    while (done == 0 && status == -1) rondo_session_progress(session.get(), &done, &total);
    EXPECT_EQ(rondo_session_cancel(session.get()), RONDO_STATUS_OK);
    caller.join();
    uint64_t position = 1;
    ASSERT_EQ(rondo_session_position(session.get(), &position), RONDO_STATUS_OK);
    EXPECT_EQ(position, status == RONDO_STATUS_CANCELLED ? 0 : ids.size());
    inside += status == RONDO_STATUS_CANCELLED;
    ASSERT_EQ(rondo_session_reset(session.get()), RONDO_STATUS_OK);  // it may have come too late
  }
  EXPECT_EQ(inside, 5);
}

TEST(LifeCycleTest, AThousandTimesWithoutGrowth) {
  const TimeLimit limit(600);
  const Model model = OpenTiny();
  rondo_engine_options options = Many(2);
  options.context = 64;
  options.threads = 2;
  Footprint settled;
  for (int round = 0; round < kRounds; ++round) {
    const Model another = OpenTiny();
    const Engine engine = NewEngine(round % 2 == 0 ? model.get() : another.get(), options);
    const Session session = Open(engine.get(), Sampled(0));
    const int32_t id = 5;
    ASSERT_EQ(rondo_session_prefill(session.get(), &id, 1), RONDO_STATUS_OK);
    // The allocator and the threads' stacks have settled then.
    if (round == kRounds / 10) settled = Footprint::Now();
    if (round == kRounds - 1) ExpectNoGrowth(settled, Footprint::Now());
  }
}

// ---- Two copies of the library in one process ----

// A copy of the library's file, which the linker takes for another library.
class Copy {
 public:
  explicit Copy(const std::string& path) : library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    EXPECT_NE(library_, nullptr) << dlerror();
  }
  ~Copy() { dlclose(library_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  static std::string Path(const TempFolder& folder) {
    Dl_info info;
    EXPECT_NE(dladdr(reinterpret_cast<const void*>(&rondo_abi_version), &info), 0);
    std::string path = (folder.path() / "copy.so").string();
    std::filesystem::copy_file(info.dli_fname, path);
    return path;
  }

  template <typename Function>
  Function* Find(const char* name, Function*) const {
    void* const found = dlsym(library_, name);
    EXPECT_NE(found, nullptr) << name;
    return reinterpret_cast<Function*>(found);
  }

  // The first tokens of a generation by this copy.
  std::vector<int32_t> Generate(const std::vector<int32_t>& ids, size_t n) const {
#define RONDO_COPY(name) const auto name = Find("rondo_" #name, &rondo_##name)
    RONDO_COPY(model_open_path);
    RONDO_COPY(engine_create);
    RONDO_COPY(session_open);
    RONDO_COPY(session_prefill);
    RONDO_COPY(session_next);
    RONDO_COPY(session_close);
    RONDO_COPY(engine_close);
    RONDO_COPY(model_close);
#undef RONDO_COPY
    EXPECT_NE(session_next, &rondo_session_next);
    rondo_model* model = nullptr;
    rondo_engine* engine = nullptr;
    rondo_session* session = nullptr;
    rondo_engine_options options = Many(1);
    options.threads = 2;
    const rondo_session_options session_options = Sampled(0);
    EXPECT_EQ(model_open_path(RONDO_ABI_VERSION, TinyModelPath().c_str(), &model, nullptr, 0), 0);
    EXPECT_EQ(engine_create(model, &options, nullptr, 0, &engine, nullptr, 0), 0);
    EXPECT_EQ(session_open(engine, &session_options, &session, nullptr, 0), 0);
    EXPECT_EQ(session_prefill(session, ids.data(), ids.size()), 0);
    std::vector<int32_t> tokens;
    rondo_event event = {};
    event.struct_size = sizeof event;
    while (tokens.size() < n && session_next(session, &event) == 0) tokens.push_back(event.token);
    model_close(model);
    session_close(session);
    engine_close(engine);
    return tokens;
  }

 private:
  void* const library_;
};

TEST(TwoCopiesTest, WorkBesideEachOther) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer knows one copy";
  const TimeLimit limit(60);
  const Model model = OpenTiny();
  const std::vector<int32_t> ids = Prompt(model.get(), 0);
  const TempFolder folder;
  const Copy copy(Copy::Path(folder));
  std::vector<int32_t> expected = Alone(model.get(), 0).tokens;
  expected.resize(10);
  std::thread other([&] { EXPECT_EQ(copy.Generate(ids, 10), expected); });
  EXPECT_EQ(Alone(model.get(), 0).tokens[0], expected[0]);
  other.join();
}

TEST(TwoCopiesTest, LoadedAndUnloadedOverAndOver) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer knows one copy";
  const TimeLimit limit(600);
  const Model model = OpenTiny();
  const std::vector<int32_t> ids = Prompt(model.get(), 0);
  const TempFolder folder;
  const std::string path = Copy::Path(folder);
  const std::vector<int32_t> expected = Copy(path).Generate(ids, 3);
  Footprint settled;
  for (int round = 0; round < kRounds; ++round) {
    EXPECT_EQ(Copy(path).Generate(ids, 3), expected);
    EXPECT_EQ(dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr);  // nothing holds it
    if (round == kRounds / 10) settled = Footprint::Now();
  }
  ExpectNoGrowth(settled, Footprint::Now());
}

}  // namespace
}  // namespace rondo::abi_test
