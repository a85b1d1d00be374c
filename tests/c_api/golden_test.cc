// Model files of every recorded version of the format: today's library opens them, and they
// generate what they did when they were written.
#include <array>
#include <set>

#include "tests/c_api/tiny_model.h"
#include "tests/support/places.h"

namespace rondo::abi_test {
namespace {

constexpr int64_t kFirstRecorded = 4;

struct Golden {
  const char* name;  // in tests/data/golden
  int64_t version;
  int32_t token;  // generated again and again, with these log-probabilities
  std::array<float, 4> logprobs;
};
constexpr Golden kGolden[] = {
    {"format-4-q8.rondo", 4, 21, {-2.05518f, -1.88162f, -1.99967f, -2.08520f}},
    {"format-4-q4.rondo", 4, 21, {-1.81010f, -1.71075f, -1.77440f, -1.81942f}},
};

int64_t CurrentVersion() {
  int64_t version = 0;
  EXPECT_EQ(rondo_query("format.version", &version), RONDO_STATUS_OK);
  return version;
}

TEST(GoldenTest, EveryVersionIsThere) {
  std::set<int64_t> versions;
  for (const Golden& golden : kGolden) versions.insert(golden.version);
  for (int64_t version = kFirstRecorded; version <= CurrentVersion(); ++version) {
    EXPECT_TRUE(versions.contains(version)) << "no golden file has format version " << version;
  }
}

TEST(GoldenTest, OpensAndGenerates) {
  for (const Golden& golden : kGolden) {
    SCOPED_TRACE(golden.name);
    const std::string path = std::string(kTestData) + "/golden/" + golden.name;
    rondo_model* opened = nullptr;
    char why[256];
    const int32_t status =
        rondo_model_open_path(RONDO_ABI_VERSION, path.c_str(), &opened, why, sizeof why);
    const Model model(opened);
    if (golden.version > CurrentVersion()) {
      EXPECT_EQ(status, RONDO_STATUS_NEWER_FORMAT) << why;
      continue;
    }
    ASSERT_EQ(status, RONDO_STATUS_OK) << why;
    const Engine engine = NewEngine(model.get());
    rondo_session_options options = SessionOptions();
    options.logprobs = 1;
    const Session session = NewSession(engine.get(), options);
    const int32_t ids[] = {1, 2, 3, 5, 8, 13, 21, 34, 55};
    ASSERT_EQ(rondo_session_prefill(session.get(), ids, std::size(ids)), RONDO_STATUS_OK);
    rondo_event event = {};
    event.struct_size = sizeof event;
    for (const float expected : golden.logprobs) {
      ASSERT_EQ(rondo_session_next(session.get(), &event), RONDO_STATUS_OK);
      EXPECT_EQ(event.token, golden.token);
      EXPECT_NEAR(event.logprob, expected, 1e-4);
    }
  }
}

}  // namespace
}  // namespace rondo::abi_test
