// Versions, statuses, capabilities, and the layout of the structs that cross.
#include <cstddef>
#include <cstring>
#include <set>

#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test::library_test {
namespace {

// Offsets are the ABI: a change here breaks every compiled caller.
constexpr size_t kPointer = sizeof(void*);
static_assert(offsetof(rondo_model_facts, bos_token) == 32);
static_assert(offsetof(rondo_model_facts, file_bytes) == 48);
static_assert(offsetof(rondo_model_facts, tokenizer_bytes) == 64);
static_assert(sizeof(rondo_model_facts) == 80);
static_assert(offsetof(rondo_engine_options, kv_format) == 28);
static_assert(offsetof(rondo_engine_options, kernels) == 32);
static_assert(offsetof(rondo_engine_options, progress) == 32 + kPointer);
static_assert(offsetof(rondo_engine_options, parallel_for) == 48 + 3 * kPointer);
static_assert(offsetof(rondo_engine_options, profile_events) == 44 + 3 * kPointer);
static_assert(offsetof(rondo_engine_options, log) == 48 + 5 * kPointer);
static_assert(offsetof(rondo_engine_options, draft) == 56 + 7 * kPointer);
static_assert(offsetof(rondo_engine_options, draft_head) == 56 + 8 * kPointer);
static_assert(offsetof(rondo_engine_options, cpus) == 64 + 8 * kPointer);
static_assert(offsetof(rondo_engine_options, adapter_rank) == 72 + 9 * kPointer);
static_assert(offsetof(rondo_engine_options, max_input_rows) == 80 + 9 * kPointer);
static_assert(sizeof(rondo_engine_options) == 96 + 9 * kPointer);
static_assert(offsetof(rondo_input, count) == 8 + 2 * kPointer);
static_assert(sizeof(rondo_input) == 16 + 4 * kPointer);
static_assert(offsetof(rondo_adapter_facts, file_bytes) == 16);
static_assert(sizeof(rondo_adapter_facts) == 24);
static_assert(sizeof(rondo_model_part) == 2 * kPointer);
static_assert(offsetof(rondo_grammar_options, memory_bytes) == 16);
static_assert(sizeof(rondo_grammar_options) == 24);
static_assert(offsetof(rondo_memory_plan, arena_bytes) == 8);
static_assert(offsetof(rondo_memory_plan, kv_block_tokens) == 80);
static_assert(offsetof(rondo_memory_plan, kernels) == 104);
static_assert(offsetof(rondo_memory_plan, mapped_bytes) == 112);
static_assert(sizeof(rondo_memory_plan) == 136);
static_assert(offsetof(rondo_memory_region, offset) == 8);
static_assert(offsetof(rondo_memory_region, name) == 32);
static_assert(sizeof(rondo_memory_region) == 80);
static_assert(offsetof(rondo_engine_counters, tokens_prefilled) == 16);
static_assert(offsetof(rondo_engine_counters, parallel_faults) == 40);
static_assert(offsetof(rondo_engine_counters, kv_bytes_total) == 112);
static_assert(offsetof(rondo_engine_counters, drafts_proposed) == 120);
static_assert(sizeof(rondo_engine_counters) == 136);
static_assert(offsetof(rondo_session_counters, tokens_prefilled) == 8);
static_assert(offsetof(rondo_session_counters, drafts_proposed) == 96);
static_assert(sizeof(rondo_session_counters) == 112);
static_assert(offsetof(rondo_profile_event, begin_ns) == 24);
static_assert(offsetof(rondo_profile_event, name) == 48);
static_assert(sizeof(rondo_profile_event) == 56);
static_assert(sizeof(rondo_logit_bias) == 8);
static_assert(offsetof(rondo_session_options, ignore_eos) == 36);
static_assert(offsetof(rondo_session_options, seed) == 48);
static_assert(offsetof(rondo_session_options, logit_bias) == 64);
static_assert(offsetof(rondo_session_options, speculation) == 64 + 4 * kPointer);
static_assert(offsetof(rondo_session_options, grammar) == 72 + 4 * kPointer);
static_assert(offsetof(rondo_session_options, thinking_begin) == 88 + 5 * kPointer);
static_assert(offsetof(rondo_session_options, thinking_tokens) == (88 + 7 * kPointer + 7) / 8 * 8);
static_assert(offsetof(rondo_session_options, adapter) == (96 + 7 * kPointer + 7) / 8 * 8);
static_assert(sizeof(rondo_session_options) == (96 + 8 * kPointer + 7) / 8 * 8);
static_assert(offsetof(rondo_event, reason) == 12);
static_assert(offsetof(rondo_event, bytes) == 16);
static_assert(offsetof(rondo_event, channel) == 32 + 4 * kPointer);
static_assert(sizeof(rondo_event) == 40 + 4 * kPointer);
static_assert(offsetof(rondo_chat_part, text) == 16);
static_assert(sizeof(rondo_chat_part) == 16 + 6 * kPointer);

TEST(LibraryTest, Versions) {
  EXPECT_EQ(rondo_abi_version(), RONDO_ABI_VERSION);
  EXPECT_NE(std::strchr(rondo_version_string(), '.'), nullptr);
}

TEST(LibraryTest, EveryStatusHasItsOwnWords) {
  std::set<std::string> words;
  const int32_t all[] = {RONDO_STATUS_OK,
                         RONDO_STATUS_INVALID_ARGUMENT,
                         RONDO_STATUS_BUFFER_TOO_SMALL,
                         RONDO_STATUS_BUSY,
                         RONDO_STATUS_VERSION_MISMATCH,
                         RONDO_STATUS_IO_ERROR,
                         RONDO_STATUS_NOT_A_MODEL,
                         RONDO_STATUS_NEWER_FORMAT,
                         RONDO_STATUS_CORRUPT,
                         RONDO_STATUS_UNSUPPORTED,
                         RONDO_STATUS_OUT_OF_MEMORY,
                         RONDO_STATUS_ARENA_TOO_SMALL,
                         RONDO_STATUS_ARENA_MISALIGNED,
                         RONDO_STATUS_CONTEXT_FULL,
                         RONDO_STATUS_CANCELLED,
                         RONDO_STATUS_NO_LOGITS,
                         RONDO_STATUS_SNAPSHOT_MISMATCH,
                         RONDO_STATUS_INTERNAL};
  for (const int32_t status : all) words.insert(rondo_status_string(status));
  EXPECT_EQ(words.size(), std::size(all));
  for (const int32_t status : {-1, 0x7fff, INT32_MIN}) {
    EXPECT_STREQ(rondo_status_string(status), "unknown status");
  }
}

TEST(LibraryTest, Query) {
  for (const char* name : {"abi.version", "format.version", "limit.sessions", "limit.rows",
                           "limit.stop_strings", "limit.stop_bytes", "limit.logit_biases",
                           "limit.penalty_tokens", "limit.profile_events", "arena.alignment"}) {
    int64_t value = 0;
    EXPECT_EQ(rondo_query(name, &value), RONDO_STATUS_OK) << name;
    EXPECT_GT(value, 0) << name;
  }
  int64_t value = 7;
  EXPECT_EQ(rondo_query("no.such.thing", &value), RONDO_STATUS_UNSUPPORTED);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(rondo_query(nullptr, &value), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_query("abi.version", nullptr), RONDO_STATUS_INVALID_ARGUMENT);
}

TEST(LibraryTest, RefusesCallersOfAnotherAbi) {
  for (const uint32_t version : {RONDO_ABI_VERSION + 1, RONDO_ABI_VERSION + 0x10000, 0xffffffffu}) {
    auto* model = reinterpret_cast<rondo_model*>(1);
    char why[256];
    EXPECT_EQ(rondo_model_open_path(version, TinyModelPath().c_str(), &model, why, sizeof why),
              RONDO_STATUS_VERSION_MISMATCH);
    EXPECT_EQ(model, nullptr);
    EXPECT_STRNE(why, "");
  }
}

// A struct of a later version: the same fields, then more.
template <typename Options>
struct Later {
  Options options;
  unsigned char more[64];
};

TEST(LibraryTest, OptionsOfOtherVersions) {
  const Model model = OpenTiny();
  Later<rondo_engine_options> later;
  std::memset(&later, 0xff, sizeof later);
  ASSERT_EQ(rondo_engine_options_init(&later.options, sizeof later), RONDO_STATUS_OK);
  EXPECT_EQ(later.options.struct_size, sizeof later);
  for (const unsigned char byte : later.more) EXPECT_EQ(byte, 0);
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  char why[256];
  EXPECT_EQ(rondo_plan(model.get(), &later.options, &plan, why, sizeof why), RONDO_STATUS_OK);
  later.more[40] = 1;
  EXPECT_EQ(rondo_plan(model.get(), &later.options, &plan, why, sizeof why),
            RONDO_STATUS_VERSION_MISMATCH);
  EXPECT_EQ(plan.arena_bytes, 0u);
  rondo_engine_options options = EngineOptions();
  for (const uint32_t size : {0u, 8u, uint32_t{sizeof options} - 1, 100000u}) {
    options.struct_size = size;
    EXPECT_EQ(rondo_plan(model.get(), &options, &plan, why, sizeof why),
              RONDO_STATUS_VERSION_MISMATCH)
        << size;
  }
  EXPECT_EQ(rondo_engine_options_init(&options, 4), RONDO_STATUS_VERSION_MISMATCH);
  EXPECT_EQ(rondo_engine_options_init(&options, 1 << 20), RONDO_STATUS_VERSION_MISMATCH);

  const Engine engine = NewEngine(model.get());
  Later<rondo_session_options> later_session;
  ASSERT_EQ(rondo_session_options_init(&later_session.options, sizeof later_session),
            RONDO_STATUS_OK);
  later_session.more[3] = 1;
  rondo_session* session = nullptr;
  EXPECT_EQ(rondo_session_open(engine.get(), &later_session.options, &session, why, sizeof why),
            RONDO_STATUS_VERSION_MISMATCH);
}

// What a caller of the first version has: structs that end before the newer fields.
TEST(LibraryTest, StructsOfTheFirstVersion) {
  const Model model = OpenTiny();
  constexpr size_t kOptions = offsetof(rondo_engine_options, progress);
  constexpr size_t kPlan = offsetof(rondo_memory_plan, mapped_bytes);
  rondo_engine_options options;
  std::memset(&options, 0xff, sizeof options);
  ASSERT_EQ(rondo_engine_options_init(&options, kOptions), RONDO_STATUS_OK);
  EXPECT_EQ(options.struct_size, kOptions);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(options.progress_user), UINTPTR_MAX);  // not theirs
  options.threads = 1;
  options.context = 64;
  rondo_memory_plan plan;
  std::memset(&plan, 0xff, sizeof plan);
  plan.struct_size = kPlan;
  char why[256];
  ASSERT_EQ(rondo_plan(model.get(), &options, &plan, why, sizeof why), RONDO_STATUS_OK) << why;
  EXPECT_EQ(plan.struct_size, kPlan);
  EXPECT_GT(plan.arena_bytes, 0u);
  EXPECT_EQ(plan.mapped_bytes, UINT64_MAX);
  const Engine engine = NewEngine(model.get(), options);  // the bytes behind are not called
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(rondo_engine_memory(engine.get(), &plan), RONDO_STATUS_OK);
  EXPECT_EQ(plan.mapped_bytes, UINT64_MAX);
}

TEST(LibraryTest, OutputsOfOtherVersions) {
  const Model model = OpenTiny();
  Later<rondo_model_facts> later;
  std::memset(&later, 0xff, sizeof later);
  later.options.struct_size = sizeof later;
  ASSERT_EQ(rondo_model_info(model.get(), &later.options), RONDO_STATUS_OK);
  EXPECT_EQ(later.options.struct_size, sizeof later);
  EXPECT_GT(later.options.vocab_size, 0u);
  for (const unsigned char byte : later.more) EXPECT_EQ(byte, 0);  // not known here
  rondo_model_facts facts = {};
  EXPECT_EQ(rondo_model_info(model.get(), &facts), RONDO_STATUS_VERSION_MISMATCH);
  facts.struct_size = UINT32_MAX;
  EXPECT_EQ(rondo_model_info(model.get(), &facts), RONDO_STATUS_VERSION_MISMATCH);
}

}  // namespace
}  // namespace rondo::abi_test::library_test
