// How engines come by their weights: progress and cancelling, and files that need no loading.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

#include "tests/c_api/tiny_model.h"
#include "tests/support/places.h"
#include "tests/temp_folder.h"

namespace rondo::abi_test::load_test {
namespace {

struct Heard {
  std::vector<std::pair<uint64_t, uint64_t>> calls;
  size_t cancel_at = SIZE_MAX;  // the call that answers so
  rondo_model* model = nullptr;
};

int32_t Hear(void* user, uint64_t done, uint64_t total) {
  Heard& heard = *static_cast<Heard*>(user);
  rondo_model_facts facts = {};
  facts.struct_size = sizeof facts;
  EXPECT_EQ(rondo_model_info(heard.model, &facts), RONDO_STATUS_OK);
  heard.calls.emplace_back(done, total);
  return heard.calls.size() > heard.cancel_at ? -1 : 0;
}

TEST(LoadTest, ProgressGoesUpToTheTotal) {
  const Model model = OpenTiny();
  Heard heard;
  heard.model = model.get();
  rondo_engine_options options = EngineOptions();
  options.progress = Hear;
  options.progress_user = &heard;
  const Engine engine = NewEngine(model.get(), options);
  ASSERT_GT(heard.calls.size(), 2u);
  uint64_t last = 0;
  for (const auto& [done, total] : heard.calls) {
    EXPECT_EQ(total, heard.calls.back().first);
    EXPECT_GT(done, last);
    last = done;
  }
  const size_t calls = heard.calls.size();
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  char why[256];
  EXPECT_EQ(rondo_plan(model.get(), &options, &plan, why, sizeof why), RONDO_STATUS_OK);
  Generate(NewSession(engine.get()).get(), 0);
  EXPECT_EQ(heard.calls.size(), calls);  // of creation only
}

TEST(LoadTest, CancellingLeavesNothing) {
  const Model model = OpenTiny();
  rondo_engine_options options = EngineOptions();
  options.progress = Hear;
  for (const size_t at : {0u, 1u, 2u}) {
    options.threads = at == 0 ? 2 : 1;  // of two, the other may load all, and one call be the last
    Heard heard;
    heard.model = model.get();
    heard.cancel_at = at;
    options.progress_user = &heard;
    rondo_engine* engine = nullptr;
    char why[256] = "";
    EXPECT_EQ(rondo_engine_create(model.get(), &options, nullptr, 0, &engine, why, sizeof why),
              RONDO_STATUS_CANCELLED);
    EXPECT_EQ(engine, nullptr);
    EXPECT_NE(std::strstr(why, "cancelled"), nullptr) << why;
    EXPECT_LE(heard.calls.size(), at + 1);
  }
  options.progress = nullptr;
  NewEngine(model.get(), options);
}

// Whatever threads the work is done on, and whoever works meanwhile: it is told on the thread that
// creates, and never inside of a task of the host's.
TEST(LoadTest, ProgressWithThePoolOfTheHost) {
  struct Host {
    std::thread::id creator = std::this_thread::get_id();
    bool in_pool = false;
    size_t calls = 0, elsewhere = 0, in_tasks = 0, cancel_at = SIZE_MAX;

    static int32_t Hear(void* user, uint64_t, uint64_t) {
      Host& host = *static_cast<Host*>(user);
      host.elsewhere += std::this_thread::get_id() != host.creator;
      host.in_tasks += host.in_pool;
      return host.calls++ >= host.cancel_at;
    }
    static void OnThreads(void* user, size_t count, rondo_task task, void* context) {
      static_cast<Host*>(user)->in_pool = true;
      std::vector<std::thread> threads;
      for (size_t i = 0; i < count; ++i) threads.emplace_back([=] { task(context, i); });
      for (std::thread& thread : threads) thread.join();
      static_cast<Host*>(user)->in_pool = false;
    }
    static void InTurn(void* user, size_t count, rondo_task task, void* context) {
      static_cast<Host*>(user)->in_pool = true;
      for (size_t i = count; i-- > 0;) task(context, i);
      static_cast<Host*>(user)->in_pool = false;
    }
  };
  const Model model = OpenTiny();
  for (const auto pool : {Host::OnThreads, Host::InTurn}) {
    for (const size_t cancel_at : {SIZE_MAX, size_t{0}, size_t{1}}) {
      Host host;
      host.cancel_at = cancel_at;
      rondo_engine_options options = EngineOptions();
      options.threads = 2;
      options.progress = Host::Hear;
      options.progress_user = &host;
      options.parallel_for = pool;
      options.parallel_user = &host;
      rondo_engine* made = nullptr;
      const int32_t status =
          rondo_engine_create(model.get(), &options, nullptr, 0, &made, nullptr, 0);
      const Engine engine(made);
      EXPECT_EQ(status, host.calls > cancel_at ? RONDO_STATUS_CANCELLED : RONDO_STATUS_OK);
      EXPECT_EQ(host.elsewhere, 0u);
      EXPECT_EQ(host.in_tasks, 0u);
      EXPECT_GE(host.calls, 1u);
    }
  }
}

// The engine holds what it is made from, whatever becomes of the caller's handle.
TEST(LoadTest, TheCallbackMayCloseTheModel) {
  for (const bool cancel : {false, true}) {
    rondo_model* model = OpenTiny().release();
    const std::vector<int32_t> ids = Ids(model, "Once upon a time");
    struct Closing {
      rondo_model* model;
      bool cancel;
    } closing = {model, cancel};
    rondo_engine_options options = EngineOptions();
    options.progress_user = &closing;
    options.progress = [](void* user, uint64_t done, uint64_t total) -> int32_t {
      Closing& c = *static_cast<Closing*>(user);
      rondo_model_close(std::exchange(c.model, nullptr));
      return c.cancel && done == total;
    };
    rondo_engine* made = nullptr;
    char why[256] = "";
    EXPECT_EQ(rondo_engine_create(model, &options, nullptr, 0, &made, why, sizeof why),
              cancel ? RONDO_STATUS_CANCELLED : RONDO_STATUS_OK)
        << why;
    const Engine engine(made);
    if (cancel) {
      EXPECT_EQ(made, nullptr);
      continue;
    }
    const Session session = NewSession(engine.get());
    ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
    EXPECT_EQ(Generate(session.get(), 5).tokens.size(), 5u);
  }
}

// Memory of the caller has no file that its pages could come back from.
TEST(LoadTest, LeavesTheCallersMemoryAsItWas) {
  const std::vector<unsigned char> whole = ReadFile(TinyModelPath());
  ASSERT_GT(whole.size(), 100000u);  // with tensors of several pages
  constexpr size_t kPage = 65536;
  void* memory = std::aligned_alloc(kPage, (whole.size() + kPage - 1) / kPage * kPage);
  std::memcpy(memory, whole.data(), whole.size());
  rondo_model* opened = nullptr;
  char why[256] = "";
  ASSERT_EQ(
      rondo_model_open_memory(RONDO_ABI_VERSION, memory, whole.size(), &opened, why, sizeof why),
      RONDO_STATUS_OK)
      << why;
  Model model(opened);
  for (int i = 0; i < 2; ++i) {
    NewEngine(model.get());
    ASSERT_EQ(std::memcmp(memory, whole.data(), whole.size()), 0);
  }
  model.reset();
  std::free(memory);
}

class PackedTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string command = std::string("'") + kToolProgram + "' pack '" + TinyModelPath() +
                                "' -o '" + path_ + "' > /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  static Generated Tell(rondo_model* model) {
    const Engine engine = NewEngine(model);
    rondo_session_options options = SessionOptions();
    options.max_tokens = 40;
    const Session session = NewSession(engine.get(), options);
    const std::vector<int32_t> ids = Ids(model, "Once upon a time");
    EXPECT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
    return Generate(session.get());
  }
  static rondo_memory_plan Plan(const rondo_model* model) {
    const rondo_engine_options options = EngineOptions();
    rondo_memory_plan plan = {};
    plan.struct_size = sizeof plan;
    char why[256];
    EXPECT_EQ(rondo_plan(model, &options, &plan, why, sizeof why), RONDO_STATUS_OK) << why;
    return plan;
  }

  TempFolder folder_;
  std::string path_ = (folder_ / "packed.rondo").string();
};

TEST_F(PackedTest, PathDescriptorAndMemoryTellTheSame) {
  const Generated expected = Tell(OpenTiny().get());
  ASSERT_GT(expected.tokens.size(), 10u);
  char why[256] = "";
  rondo_model* model = nullptr;
  ASSERT_EQ(rondo_model_open_path(RONDO_ABI_VERSION, path_.c_str(), &model, why, sizeof why),
            RONDO_STATUS_OK)
      << why;
  const Model from_path(model);
  EXPECT_EQ(Tell(from_path.get()).tokens, expected.tokens);
  const rondo_memory_plan plan = Plan(from_path.get());
  EXPECT_EQ(plan.weights_bytes, 0u);
  EXPECT_GT(plan.mapped_bytes, 0u);
  EXPECT_EQ(Plan(OpenTiny().get()).mapped_bytes, 0u);

  // Inside of another file, at no multiple of a page.
  const std::vector<unsigned char> whole = ReadFile(path_);
  const std::string package = (folder_ / "package").string();
  {
    std::ofstream out(package, std::ios::binary);
    out << std::string(64 * 3, 'x');
    out.write(reinterpret_cast<const char*>(whole.data()),
              static_cast<std::streamsize>(whole.size()));
  }
  const int fd = open(package.c_str(), O_RDONLY);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(rondo_model_open_fd(RONDO_ABI_VERSION, fd, 64 * 3, UINT64_MAX, &model, why, sizeof why),
            RONDO_STATUS_OK)
      << why;
  close(fd);
  const Model from_descriptor(model);
  EXPECT_EQ(Tell(from_descriptor.get()).tokens, expected.tokens);

  void* memory = std::aligned_alloc(64, (whole.size() + 63) / 64 * 64);
  std::memcpy(memory, whole.data(), whole.size());
  ASSERT_EQ(
      rondo_model_open_memory(RONDO_ABI_VERSION, memory, whole.size(), &model, why, sizeof why),
      RONDO_STATUS_OK)
      << why;
  EXPECT_EQ(Tell(Model(model).get()).tokens, expected.tokens);
  std::free(memory);
}

TEST_F(PackedTest, OtherKernelsAreRefusedInOneSentence) {
  char why[256] = "";
  rondo_model* opened = nullptr;
  ASSERT_EQ(rondo_model_open_path(RONDO_ABI_VERSION, path_.c_str(), &opened, why, sizeof why),
            RONDO_STATUS_OK);
  const Model model(opened);
  if (std::strcmp(Plan(model.get()).kernels, "scalar") == 0) GTEST_SKIP() << "no other kernels";
  rondo_engine_options options = EngineOptions();
  options.kernels = "scalar";
  rondo_engine* engine = nullptr;
  EXPECT_EQ(rondo_engine_create(model.get(), &options, nullptr, 0, &engine, why, sizeof why),
            RONDO_STATUS_UNSUPPORTED);
  EXPECT_EQ(engine, nullptr);
  EXPECT_NE(std::strstr(why, "rondo pack --cpu scalar"), nullptr) << why;
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  EXPECT_EQ(rondo_plan(model.get(), &options, &plan, why, sizeof why), RONDO_STATUS_UNSUPPORTED);
}

}  // namespace
}  // namespace rondo::abi_test::load_test
