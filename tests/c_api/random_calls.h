// RandomCalls: calls of a session in any order with any arguments, as `random` has them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "rondo/rondo.h"

namespace rondo::abi_test {

// Each answer is one that the call may give, and the position is always what the successful calls
// made it.
class RandomCalls {
 public:
  RandomCalls(rondo_engine* engine, rondo_session* session, uint32_t vocab_size,
              std::function<uint32_t()> random)
      : engine_(engine), session_(session), vocab_size_(vocab_size), random_(std::move(random)) {}

  void Step() {
    switch (random_() % 13) {
      case 0: {
        std::vector<int32_t> ids(random_() % 90);
        for (int32_t& id : ids) id = AnyId();
        const int32_t status = rondo_session_prefill(session_, ids.data(), ids.size());
        if (status == RONDO_STATUS_OK) position_ += ids.size();
        Expect(status, {RONDO_STATUS_OK, RONDO_STATUS_INVALID_ARGUMENT, RONDO_STATUS_CONTEXT_FULL,
                        RONDO_STATUS_CANCELLED});
        break;
      }
      case 1:
      case 2:
      case 3: {
        rondo_event event = {};
        event.struct_size = random_() % 20 == 0 ? 12 : sizeof event;
        const int32_t status = rondo_session_next(session_, &event);
        if (status == RONDO_STATUS_OK && event.token >= 0 && event.reason != RONDO_REASON_EOS) {
          ++position_;
        }
        Expect(status, {RONDO_STATUS_OK, RONDO_STATUS_NO_LOGITS, RONDO_STATUS_CANCELLED,
                        RONDO_STATUS_VERSION_MISMATCH});
        break;
      }
      case 4: {
        const int32_t status = rondo_session_accept(session_, AnyId());
        if (status == RONDO_STATUS_OK) ++position_;
        Expect(status, {RONDO_STATUS_OK, RONDO_STATUS_INVALID_ARGUMENT, RONDO_STATUS_CONTEXT_FULL,
                        RONDO_STATUS_CANCELLED});
        break;
      }
      case 5:
      case 6: {
        const uint64_t n = random_() % 50 == 0 ? UINT64_MAX - random_() % 3 : random_() % 40;
        const int32_t status = rondo_session_undo(session_, n);
        if (status == RONDO_STATUS_OK) position_ -= n;
        Expect(status, {RONDO_STATUS_OK, RONDO_STATUS_INVALID_ARGUMENT});
        break;
      }
      case 7: {
        const float* logits = nullptr;
        size_t count = 0;
        const int32_t status = rondo_session_logits(session_, &logits, &count);
        EXPECT_EQ(count, status == RONDO_STATUS_OK ? vocab_size_ : 0);
        Expect(status, {RONDO_STATUS_OK, RONDO_STATUS_NO_LOGITS, RONDO_STATUS_CANCELLED});
        break;
      }
      case 8:
        if (random_() % 4 == 0) Expect(rondo_session_cancel(session_), {RONDO_STATUS_OK});
        break;
      case 9: {
        std::vector<int32_t> ids(random_() % 90);
        for (int32_t& id : ids) id = AnyId();
        const int32_t status = rondo_session_append(session_, ids.data(), ids.size());
        if (status == RONDO_STATUS_OK) position_ += ids.size();
        Expect(status, {RONDO_STATUS_OK, RONDO_STATUS_INVALID_ARGUMENT, RONDO_STATUS_CONTEXT_FULL});
        break;
      }
      case 10: {
        // A token is part of the sequence from the step on, whoever hands out its event.
        Expect(rondo_engine_step(engine_, &session_, 1, nullptr, 0), {RONDO_STATUS_OK});
        rondo_event event = {};
        event.struct_size = sizeof event;
        Expect(random_() % 4 == 0 ? rondo_session_next(session_, &event)
                                  : rondo_session_event(session_, &event),
               {RONDO_STATUS_OK, RONDO_STATUS_NO_LOGITS, RONDO_STATUS_CANCELLED});
        ASSERT_EQ(rondo_session_position(session_, &position_), RONDO_STATUS_OK);
        break;
      }
      case 11: {  // what was kept comes back, or is refused where it is damaged; or it is kept anew
        if (snapshot_.empty() || random_() % 2 == 0) {
          size_t bytes = 0;
          Expect(rondo_session_save(session_, nullptr, 0, &bytes), {RONDO_STATUS_BUFFER_TOO_SMALL});
          snapshot_.resize(bytes);
          Expect(rondo_session_save(session_, snapshot_.data(), bytes, &bytes), {RONDO_STATUS_OK});
          snapshot_position_ = position_;
          break;
        }
        const bool damaged = random_() % 3 == 0;
        const size_t at = random_() % snapshot_.size();
        if (damaged) snapshot_[at] = static_cast<unsigned char>(snapshot_[at] ^ 0x10);
        const int32_t status = rondo_session_restore(session_, snapshot_.data(), snapshot_.size());
        EXPECT_EQ(status == RONDO_STATUS_OK, !damaged) << rondo_session_last_error(session_);
        if (damaged) snapshot_[at] = static_cast<unsigned char>(snapshot_[at] ^ 0x10);
        if (status == RONDO_STATUS_OK) position_ = snapshot_position_;
        break;
      }
      default:
        if (random_() % 8 == 0) {
          Expect(rondo_session_reset(session_), {RONDO_STATUS_OK});
          position_ = 0;
        }
        break;
    }
    uint64_t position = 0;
    ASSERT_EQ(rondo_session_position(session_, &position), RONDO_STATUS_OK);
    ASSERT_EQ(position, position_);
  }

 private:
  int32_t AnyId() {
    return random_() % 200 == 0 ? static_cast<int32_t>(random_())
                                : static_cast<int32_t>(random_() % vocab_size_);
  }
  void Expect(int32_t status, std::initializer_list<int32_t> known) {
    EXPECT_NE(std::find(known.begin(), known.end(), status), known.end())
        << rondo_status_string(status) << ": " << rondo_session_last_error(session_);
  }

  rondo_engine* engine_;
  rondo_session* session_;
  uint32_t vocab_size_;
  std::function<uint32_t()> random_;
  uint64_t position_ = 0;
  std::vector<unsigned char> snapshot_;
  uint64_t snapshot_position_ = 0;
};

}  // namespace rondo::abi_test
