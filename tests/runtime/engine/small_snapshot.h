// A small snapshot to be damaged, and sessions to restore it in.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "runtime/base/checksum.h"
#include "runtime/engine/snapshot.h"
#include "tests/runtime/model/damaged_model.h"
#include "tests/runtime/model/operator_models.h"

namespace rondo {

// An engine of the small model and one session of it.
class SmallSession {
 public:
  explicit SmallSession(ContextPolicy policy, KvFormat kv_format = KvFormat::kInt8)
      : SmallSession(policy, kv_format, SmallModel("")) {}
  // Of a model with states, or with latent vectors in place of keys.
  SmallSession(ContextPolicy policy, const char* operator_model)
      : SmallSession(policy, KvFormat::kInt8, Converted(OperatorModelNamed(operator_model))) {}
  SmallSession(ContextPolicy policy, KvFormat kv_format, const ModelBytes& model)
      : bytes_(model), file_(*ModelFile::Open(bytes_.bytes())) {
    EngineOptions options;
    options.kernels = "scalar";
    options.policy = policy;
    options.context = 128;
    options.max_rows = 16;
    options.threads = 1;
    options.kv_format = kv_format;
    options.max_input_rows = 40;
    auto engine = Engine::Create(file_, nullptr, options, nullptr, 0);
    if (!engine.ok()) throw std::runtime_error(engine.status().message());
    engine_ = std::move(*engine);
    session_ = *engine_->OpenSession({});
  }
  Session* operator->() { return session_; }
  size_t free_input_rows() const { return engine_->inputs().free_rows(); }

  void Prefill(size_t n) {
    std::vector<int32_t> ids(n);
    for (size_t i = 0; i < n; ++i) ids[i] = static_cast<int32_t>(i * 7 % 12);
    EXPECT_TRUE(session_->Prefill(ids).ok());
  }
  // Text around two inputs; of the second the rows see each other.
  void PrefillInputs() {
    const size_t n = engine_->inputs().width();
    std::vector<float> rows(9 * n);
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i % 5) - 2;
    const std::vector<int32_t> ids = {1, 2, 3};
    const int32_t coordinates[] = {0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1};
    EXPECT_TRUE(session_
                    ->QueuePieces({{{ids},
                                    {{}, {rows.data(), RowFormat::kFloat32, 4, coordinates, false}},
                                    {ids},
                                    {{}, {rows.data(), RowFormat::kFloat32, 9, nullptr, true}},
                                    {ids}}})
                    .ok());
    EXPECT_TRUE(session_->Logits().ok());
  }
  // All that the session is, but for its logits.
  std::vector<uint8_t> Save() const {
    size_t bytes = 0;
    EXPECT_EQ(session_->Save({}, &bytes).code(), StatusCode::kBufferTooSmall);
    std::vector<uint8_t> snapshot(bytes);
    EXPECT_TRUE(session_->Save(snapshot, &bytes).ok());
    return snapshot;
  }

 private:
  const ModelBytes bytes_;
  const ModelFile file_;
  std::unique_ptr<Engine> engine_;
  Session* session_;
};

// Gives altered bytes their length and checksum, so that what lies behind these checks is reached.
inline void Seal(std::vector<uint8_t>* snapshot) {
  if (snapshot->size() < sizeof(SnapshotHeader) + sizeof(uint64_t)) return;
  const uint64_t size = snapshot->size();
  std::memcpy(snapshot->data() + offsetof(SnapshotHeader, bytes), &size, sizeof size);
  const size_t end = snapshot->size() - sizeof(uint64_t);
  const uint64_t checksum = Checksum({snapshot->data(), end});
  std::memcpy(snapshot->data() + end, &checksum, sizeof checksum);
}

// Restores any bytes: what is refused leaves the session alone, what is taken can be gone on with.
inline bool RestoreAny(SmallSession& session, std::span<const uint8_t> bytes) {
  const std::vector<uint8_t> before = session.Save();
  const Status status = session->Restore(bytes);
  if (!status.ok()) {
    EXPECT_NE(status.message()[0], '\0');
    EXPECT_EQ(session.Save(), before) << status.message();
    return false;
  }
  static_cast<void>(session->Next());
  static_cast<void>(session->Accept(3));
  static_cast<void>(session->Logits());
  static_cast<void>(session->Undo(5));
  static_cast<void>(session->Logits());
  session.Save();
  return true;
}

}  // namespace rondo
