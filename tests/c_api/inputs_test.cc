// Rows among tokens through rondo.h.
#include <gmock/gmock.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test {
namespace {

using testing::HasSubstr;

class InputsTest : public testing::Test {
 protected:
  InputsTest() {
    rondo_model_facts facts = {};
    facts.struct_size = sizeof facts;
    EXPECT_EQ(rondo_model_info(model_.get(), &facts), RONDO_STATUS_OK);
    hidden_size_ = facts.hidden_size;
    rondo_engine_options options = EngineOptions();
    options.max_input_rows = 20;
    options.max_rows = 16;
    engine_ = NewEngine(model_.get(), options);
    session_ = NewSession(engine_.get());
  }

  rondo_input Tokens() const {
    rondo_input input = {};
    input.struct_size = sizeof input;
    input.ids = ids_.data();
    input.count = ids_.size();
    return input;
  }
  // Values that bfloat16 has, too.
  rondo_input Rows(size_t n) {
    rows_.resize(n * hidden_size_);
    for (size_t i = 0; i < rows_.size(); ++i) rows_[i] = static_cast<float>(i % 7) - 3;
    rondo_input input = {};
    input.struct_size = sizeof input;
    input.rows = rows_.data();
    input.count = n;
    return input;
  }
  std::string Refusal(const std::vector<rondo_input>& inputs, int32_t status) {
    EXPECT_EQ(rondo_session_append_inputs(session_.get(), inputs.data(), inputs.size()), status);
    uint64_t position = 1;
    EXPECT_EQ(rondo_session_position(session_.get(), &position), RONDO_STATUS_OK);
    EXPECT_EQ(position, 0u);
    EXPECT_EQ(rondo_session_append_inputs(session_.get(), inputs.data(), inputs.size()), status);
    return rondo_session_last_error(session_.get());
  }
  std::vector<float> Logits() {
    const float* logits = nullptr;
    size_t count = 0;
    EXPECT_EQ(rondo_session_logits(session_.get(), &logits, &count), RONDO_STATUS_OK)
        << rondo_session_last_error(session_.get());
    return {logits, logits + count};
  }

  Model model_ = OpenTiny();
  Engine engine_;
  Session session_;
  size_t hidden_size_ = 0;
  std::vector<int32_t> ids_ = {5, 6, 7};
  std::vector<float> rows_;
};

TEST_F(InputsTest, BothFormatsAreTheSameRows) {
  const std::vector<rondo_input> floats = {Tokens(), Rows(4), Tokens()};
  ASSERT_EQ(rondo_session_append_inputs(session_.get(), floats.data(), 3), RONDO_STATUS_OK)
      << rondo_session_last_error(session_.get());
  const std::vector<float> expected = Logits();
  uint64_t begin = 1;
  int32_t ids[16];
  size_t count = 0;
  ASSERT_EQ(rondo_session_tokens(session_.get(), &begin, ids, 16, &count), RONDO_STATUS_OK);
  EXPECT_EQ(std::vector<int32_t>(ids, ids + count),
            (std::vector<int32_t>{5, 6, 7, -1, -1, -1, -1, 5, 6, 7}));
  ASSERT_EQ(rondo_session_reset(session_.get()), RONDO_STATUS_OK);

  std::vector<unsigned char> halves(1 + 2 * rows_.size());
  for (size_t i = 0; i < rows_.size(); ++i) {
    std::memcpy(&halves[1 + 2 * i], reinterpret_cast<const char*>(&rows_[i]) + 2, 2);
  }
  rondo_input rows = Rows(4);
  rows.rows = halves.data() + 1;
  rows.row_format = RONDO_ROWS_BFLOAT16;
  // One by one, as together.
  for (const rondo_input& input : {Tokens(), rows, Tokens()}) {
    ASSERT_EQ(rondo_session_append_inputs(session_.get(), &input, 1), RONDO_STATUS_OK);
  }
  EXPECT_EQ(Logits(), expected);
}

TEST_F(InputsTest, RefusalsSayWhichAndWhy) {
  constexpr int32_t kWrong = RONDO_STATUS_INVALID_ARGUMENT;
  rondo_input both = Rows(2), none = Tokens(), odd = Rows(2), reserved = Rows(2), empty = Rows(2);
  both.ids = ids_.data();
  none.ids = nullptr;
  odd.row_format = 2;
  reserved.reserved = 1;
  empty.count = 0;
  EXPECT_THAT(Refusal({Tokens(), both}, kWrong), HasSubstr("input 1: ids and rows"));
  EXPECT_THAT(Refusal({none}, kWrong), HasSubstr("input 0: ids and rows"));
  EXPECT_THAT(Refusal({odd}, kWrong), HasSubstr("input 0: row_format is 2"));
  EXPECT_THAT(Refusal({Tokens(), reserved}, RONDO_STATUS_VERSION_MISMATCH), HasSubstr("reserved"));
  EXPECT_THAT(Refusal({empty}, kWrong), HasSubstr("0 rows"));
  rondo_input whole = Tokens();
  whole.sees_whole = 1;
  EXPECT_THAT(Refusal({whole}, kWrong), HasSubstr("of rows, not of ids"));
  rondo_input many = Rows(20);
  many.sees_whole = 2;
  EXPECT_THAT(Refusal({many}, kWrong), HasSubstr("must be 0 or 1"));
  many.sees_whole = 1;
  EXPECT_THAT(Refusal({many}, kWrong), HasSubstr("max_rows is 16"));
  many.sees_whole = 0;
  many.count = SIZE_MAX;
  EXPECT_THAT(Refusal({many}, kWrong), HasSubstr("too many rows"));
  rondo_input huge = Rows(2);
  huge.count = SIZE_MAX / sizeof(float) / hidden_size_;
  EXPECT_THAT(Refusal({Tokens(), huge}, kWrong), HasSubstr("max_input_rows is 20"));
  const std::vector<rondo_input> too_many(65, Tokens());
  EXPECT_THAT(Refusal(too_many, kWrong), HasSubstr("65 inputs"));
  EXPECT_THAT(Refusal({}, kWrong), HasSubstr("inputs"));
  rondo_input other_size = Tokens();
  other_size.struct_size = 3;
  EXPECT_THAT(Refusal({Tokens(), other_size}, RONDO_STATUS_VERSION_MISMATCH),
              HasSubstr("input 1: rondo_input has struct_size 3"));
  const int32_t coordinates[] = {0, 1, 2, 0, 1 << 24, 2};
  rondo_input far = Rows(2);
  far.coordinates = coordinates;
  EXPECT_THAT(Refusal({far}, kWrong), HasSubstr("coordinate 1 of row 1 is 16777216"));
  EXPECT_THAT(Refusal({Rows(15), Rows(15), Rows(14)}, RONDO_STATUS_KV_POOL_FULL),
              HasSubstr("max_input_rows"));
  EXPECT_EQ(rondo_session_append_inputs(nullptr, &far, 1), RONDO_STATUS_INVALID_ARGUMENT);
}

TEST_F(InputsTest, WithoutTheOptionThereAreNone) {
  rondo_engine_options options = EngineOptions();
  const Engine engine = NewEngine(model_.get(), options);
  const Session session = NewSession(engine.get());
  const rondo_input rows = Rows(1), tokens = Tokens();
  EXPECT_EQ(rondo_session_append_inputs(session.get(), &rows, 1), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(rondo_session_last_error(session.get()), HasSubstr("max_input_rows is 0"));
  EXPECT_EQ(rondo_session_append_inputs(session.get(), &tokens, 1), RONDO_STATUS_OK);
  rondo_memory_plan with = {}, without = {};
  with.struct_size = without.struct_size = sizeof with;
  char message[256];
  EXPECT_EQ(rondo_plan(model_.get(), &options, &without, message, sizeof message), RONDO_STATUS_OK);
  options.max_input_rows = 100;
  EXPECT_EQ(rondo_plan(model_.get(), &options, &with, message, sizeof message), RONDO_STATUS_OK);
  EXPECT_GE(with.sessions_bytes, without.sessions_bytes + 100 * hidden_size_ * sizeof(float));
  int64_t most = 0;
  EXPECT_EQ(rondo_query("limit.input_rows", &most), RONDO_STATUS_OK);
  options.max_input_rows = static_cast<uint32_t>(most) + 1;
  EXPECT_EQ(rondo_plan(model_.get(), &options, &with, message, sizeof message),
            RONDO_STATUS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace rondo::abi_test
