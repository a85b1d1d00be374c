// Rows among tokens: what they give, and what undo, forks, snapshots and drafts make of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/support/test_model.h"

namespace rondo::inputs_model_test {
namespace {

std::vector<int32_t> Ids(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int32_t> ids(n);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % 2048);
  return ids;
}

class Inputs : public testing::Test {
 protected:
  Inputs() : model_(TestData("tiny"), format::TensorFormat::Q8) {}

  static EngineOptions Options() {
    EngineOptions options;
    options.max_input_rows = 200;
    options.max_rows = 40;
    options.max_sessions = 3;
    options.threads = 1;
    return options;
  }
  // Each row is the embedding of a token.
  static InputRowsView View(const std::vector<float>& rows, size_t n, bool sees_whole = false) {
    return {rows.data(), RowFormat::kFloat32, n, nullptr, sees_whole};
  }
  static void Queue(Session* session, const std::vector<Session::Piece>& pieces) {
    const Status status = session->QueuePieces(pieces);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  static std::vector<float> Logits(Session* session) {
    const auto logits = session->Logits();
    EXPECT_TRUE(logits.ok()) << logits.status().message();
    return logits.ok() ? std::vector<float>(logits->begin(), logits->end()) : std::vector<float>();
  }
  static std::vector<int32_t> Generate(Session* session, size_t n) {
    std::vector<int32_t> tokens;
    while (tokens.size() < n) {
      const Result<TokenEvent> event = session->Next();
      EXPECT_TRUE(event.ok()) << event.status().message();
      if (!event.ok()) break;
      tokens.push_back(event->token);
    }
    return tokens;
  }

  TestModel model_;
};

TEST_F(Inputs, RowsThatAreEmbeddingsGiveWhatTokensGive) {
  const auto ids = Ids(100, 1);
  for (const Speculation speculation : {Speculation::kNone, Speculation::kPromptLookup}) {
    SessionOptions options;
    options.speculation = speculation;
    options.ignore_eos = true;
    options.sampler.repetition_penalty = 1.0f;
    const auto engine = model_.NewEngine(Options());
    Session* const plain = NewSession(*engine, options);
    ASSERT_TRUE(plain->Queue(ids).ok());
    Session* const mixed = NewSession(*engine, options);
    const std::span all(ids);
    const std::vector<float> a = EmbeddingsOf(*engine, all.subspan(20, 50));
    const std::vector<float> b = EmbeddingsOf(*engine, all.subspan(70, 5));
    Queue(mixed, {{all.first(20)}, {{}, View(a, 50)}, {{}, View(b, 5)}, {all.subspan(75)}});
    EXPECT_EQ(mixed->position(), 100u);
    EXPECT_EQ(Logits(mixed), Logits(plain));
    EXPECT_EQ(Generate(mixed, 30), Generate(plain, 30));
    EXPECT_EQ(mixed->keys()[19], ids[19]);
    EXPECT_EQ(mixed->keys()[20], InputKey::kNoToken);
    engine->CloseSession(mixed);
    EXPECT_EQ(engine->inputs().free_rows(), 200u);
  }
}

// Only rows are asked what comes next.
TEST_F(Inputs, ARowMayBeTheLast) {
  const auto ids = Ids(30, 2);
  const auto engine = model_.NewEngine(Options());
  Session* const plain = NewSession(*engine);
  ASSERT_TRUE(plain->Queue(ids).ok());
  SessionOptions drafts;
  drafts.speculation = Speculation::kPromptLookup;
  Session* const rows = NewSession(*engine, drafts);
  const std::vector<float> all = EmbeddingsOf(*engine, ids);
  Queue(rows, {{{}, View(all, 30)}});
  const int32_t likely[] = {1, 2, 3};
  ASSERT_TRUE(rows->Propose(likely).ok());
  EXPECT_EQ(Logits(rows), Logits(plain));
  EXPECT_EQ(Generate(rows, 5), Generate(plain, 5));
}

// One prefix is not another's, nor a token's, whatever numbers their rows have in the store.
TEST_F(Inputs, PrefixesAreKnownByDigests) {
  const auto ids = Ids(140, 3), others = Ids(140, 4);
  const auto engine = model_.NewEngine(Options());
  const auto run = [&](const std::vector<int32_t>& of, uint64_t taken_over) {
    const std::span all(of);
    const std::vector<float> rows = EmbeddingsOf(*engine, all.subspan(10, 60));
    Session* const session = NewSession(*engine);
    Queue(session, {{std::span(ids).first(10)}, {{}, View(rows, 60)}, {all.subspan(70)}});
    std::vector<float> logits = Logits(session);
    EXPECT_EQ(session->sequence().taken_over(), taken_over);
    engine->CloseSession(session);
    EXPECT_EQ(engine->inputs().free_rows(), 200u);
    return logits;
  };
  const std::vector<float> first = run(ids, 0);
  const std::vector<float> second = run(others, 0);
  EXPECT_NE(first, second);
  EXPECT_EQ(run(ids, 128), first);
  EXPECT_EQ(run(others, 128), second);
}

TEST_F(Inputs, UndoAndForksHoldRows) {
  const auto ids = Ids(60, 5);
  const auto engine = model_.NewEngine(Options());
  const std::vector<float> rows = EmbeddingsOf(*engine, ids);
  Session* const session = NewSession(*engine);
  Queue(session, {{{}, View(rows, 60)}});
  const std::vector<float> logits = Logits(session);
  Session* const fork = *engine->ForkSession(*session, {});
  engine->CloseSession(session);
  EXPECT_EQ(engine->inputs().free_rows(), 140u);
  ASSERT_TRUE(fork->Undo(25).ok());
  Queue(fork, {{std::span(ids).subspan(35)}});
  EXPECT_EQ(Logits(fork), logits);
  ASSERT_TRUE(fork->Undo(60).ok());
  EXPECT_EQ(engine->inputs().free_rows(), 200u);
}

TEST_F(Inputs, SnapshotsNameRowsAndGoOnWithoutThem) {
  const auto ids = Ids(60, 6);
  SessionOptions options;
  options.ignore_eos = true;
  const auto engine = model_.NewEngine(Options());
  const std::vector<float> rows = EmbeddingsOf(*engine, std::span(ids).first(50));
  Session* const session = NewSession(*engine, options);
  Queue(session, {{{}, View(rows, 50)}, {std::span(ids).subspan(50)}});
  Generate(session, 3);
  size_t bytes = 0;
  EXPECT_FALSE(session->Save({}, &bytes).ok());
  std::vector<uint8_t> snapshot(bytes);
  ASSERT_TRUE(session->Save(snapshot, &bytes).ok());
  const std::vector<int32_t> next = Generate(session, 8);
  // Here the rows are still there; in another engine they are not.
  const auto other = model_.NewEngine(Options());
  for (Engine* const at : {engine.get(), other.get()}) {
    Session* const restored = NewSession(*at, options);
    const Status status = restored->Restore(snapshot);
    ASSERT_TRUE(status.ok()) << status.message();
    std::vector<uint8_t> again(snapshot.size());
    ASSERT_TRUE(restored->Save(again, &bytes).ok());
    EXPECT_EQ(again, snapshot);
    EXPECT_EQ(Generate(restored, 8), next);
    const Status undone = restored->Undo(28);
    EXPECT_EQ(undone.ok(), at == engine.get());
    if (undone.ok()) {
      EXPECT_EQ(Logits(restored).size(), 2048u);
    }
  }
  // Its last position is a row.
  ASSERT_TRUE(session->Undo(21).ok());
  const std::vector<float> logits = Logits(session);
  EXPECT_FALSE(session->Save({}, &bytes).ok());
  snapshot.resize(bytes);
  ASSERT_TRUE(session->Save(snapshot, &bytes).ok());
  Session* const gone = NewSession(*other, options);
  ASSERT_TRUE(gone->Restore(snapshot).ok());
  EXPECT_EQ(gone->Logits().status().code(), StatusCode::kUnsupported);
  EXPECT_EQ(gone->Next().status().code(), StatusCode::kUnsupported);
  // Once anybody has the rows again it is as it was.
  Session* const helper = NewSession(*other, options);
  Queue(helper, {{{}, View(rows, 50)}});
  EXPECT_EQ(Logits(gone), logits);
  ASSERT_TRUE(gone->Undo(20).ok());
  ASSERT_TRUE(session->Undo(20).ok());
  EXPECT_EQ(Logits(gone), Logits(session));
  other->CloseSession(helper);
  ASSERT_TRUE(gone->Queue(std::span(ids).subspan(50)).ok());
  ASSERT_TRUE(session->Queue(std::span(ids).subspan(50)).ok());
  EXPECT_EQ(Logits(gone), Logits(session));
  EngineOptions none = Options();
  none.max_input_rows = 0;
  const auto without = model_.NewEngine(none);
  EXPECT_STREQ(NewSession(*without)->Restore(snapshot).message(),
               "the snapshot has inputs, but engine option max_input_rows is 0");
}

// A longer distance of all that follows turns all of it alike: only rounding differs.
TEST_F(Inputs, CoordinatesAreDistances) {
  const TestModel exact(TestData("tiny"), format::TensorFormat::F32);
  EngineOptions options = Options();
  options.kv_format = KvFormat::kFloat32;
  const auto ids = Ids(50, 7);
  const auto engine = exact.NewEngine(options);
  const std::vector<float> rows = EmbeddingsOf(*engine, std::span(ids).first(4));
  const auto logits = [&](int32_t first, int32_t step) {
    std::vector<int32_t> coordinates;
    for (int32_t i = 0; i < 4; ++i) coordinates.insert(coordinates.end(), 3, first + i * step);
    InputRowsView view = View(rows, 4);
    view.coordinates = coordinates.data();
    Session* const session = NewSession(*engine);
    Queue(session, {{{}, view}, {std::span(ids).subspan(4)}});
    std::vector<float> result = Logits(session);
    EXPECT_EQ(session->keys().shift(session->position()), first + 3 * step + 1 - 4);
    engine->CloseSession(session);
    return result;
  };
  const auto farthest = [](const std::vector<float>& a, const std::vector<float>& b) {
    float most = 0;
    for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
    return most;
  };
  const std::vector<float> plain = logits(0, 1);
  EXPECT_LT(farthest(plain, logits(20, 1)), 1e-3f);
  EXPECT_GT(farthest(plain, logits(0, 7)), 1e-2f);
  EXPECT_GT(farthest(plain, logits(0, 0)), 1e-2f);
}

TEST_F(Inputs, RowsThatSeeEachOtherAreOfOnePass) {
  const auto ids = Ids(70, 8);
  const auto logits = [&](const EngineOptions& options, bool sees_whole) {
    const auto engine = model_.NewEngine(options);
    const std::span all(ids);
    const std::vector<float> rows = EmbeddingsOf(*engine, all.subspan(7, 30));
    Session* const session = NewSession(*engine);
    Queue(session, {{all.first(7)}, {{}, View(rows, 30, sees_whole)}, {all.subspan(37)}});
    std::vector<float> result = Logits(session);
    if (sees_whole) {
      EXPECT_THAT(session->Undo(50).message(), testing::HasSubstr("positions [7, 37)"));
      EXPECT_TRUE(session->Undo(33).ok());
      EXPECT_FALSE(session->Undo(1).ok());
      EXPECT_TRUE(session->Undo(30).ok());
    }
    return result;
  };
  EngineOptions options = Options();
  const std::vector<float> expected = logits(options, true);
  EXPECT_NE(logits(options, false), expected);
  for (const uint32_t max_rows : {30u, 31u, 36u, 64u, 128u}) {
    for (const uint32_t rows_per_step : {1u, 16u}) {
      options.max_rows = max_rows;
      options.rows_per_step = rows_per_step;
      options.threads = 1 + max_rows % 2;
      EXPECT_EQ(logits(options, true), expected) << max_rows;
    }
  }
}

// The first rows alone would lead to another coordinate.
TEST_F(Inputs, WhatHasCoordinatesIsUndoneWhole) {
  const auto ids = Ids(16, 10);
  const auto engine = model_.NewEngine(Options());
  const std::span all(ids);
  const std::vector<float> rows = EmbeddingsOf(*engine, all.subspan(5, 6));
  for (const int32_t jump : {0, 9}) {
    std::vector<int32_t> coordinates;
    for (int32_t i = 0; i < 6; ++i)
      coordinates.insert(coordinates.end(), 3, i + (i == 2 ? jump : 0));
    InputRowsView view = View(rows, 6);
    view.coordinates = coordinates.data();
    Session* const session = NewSession(*engine);
    Queue(session, {{all.first(5)}, {{}, view}, {all.subspan(11)}});
    Logits(session);
    const Status part = session->Undo(7);
    EXPECT_THAT(part.message(), testing::HasSubstr(jump == 0 ? "" : "or have coordinates"));
    EXPECT_EQ(part.ok(), jump == 0);
    EXPECT_TRUE(session->Undo(session->position() - 5).ok());
    engine->CloseSession(session);
  }
}

// Beside sessions that decode it waits for no longer than a prompt does, and they go on.
TEST_F(Inputs, RowsThatSeeEachOtherGetTheirPass) {
  EngineOptions options = Options();
  options.rows_per_step = 2;
  const auto ids = Ids(40, 9);
  const auto engine = model_.NewEngine(options);
  SessionOptions endless;
  endless.ignore_eos = true;
  std::vector<Session*> sessions;
  for (int i = 0; i < 2; ++i) {
    sessions.push_back(NewSession(*engine, endless));
    ASSERT_TRUE(sessions.back()->Prefill(std::span(ids).first(3)).ok());
  }
  const std::vector<float> rows = EmbeddingsOf(*engine, ids);
  sessions.push_back(NewSession(*engine, endless));
  Queue(sessions.back(), {{{}, View(rows, 40, true)}});
  int steps = 0, tokens = 0;
  for (bool done = false; !done && steps < 100; ++steps) {
    ASSERT_TRUE(Session::Step(engine.get(), sessions).ok());
    for (Session* session : sessions) {
      const Result<TokenEvent> event = session->TakeEvent();
      ASSERT_TRUE(event.ok()) << event.status().message();
      if (session == sessions.back()) done = event->token >= 0;
      if (session != sessions.back() && event->token >= 0) ++tokens;
    }
  }
  EXPECT_LT(steps, 20);
  EXPECT_GE(tokens, 2 * (steps - 1));
}

TEST_F(Inputs, RefusalsNameThePiece) {
  const auto ids = Ids(10, 10);
  const auto engine = model_.NewEngine(Options());
  Session* const session = NewSession(*engine);
  std::vector<float> rows = EmbeddingsOf(*engine, ids);
  const auto message = [&](const std::vector<Session::Piece>& pieces) {
    const Status status = session->QueuePieces(pieces);
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(session->position(), 0u);
    EXPECT_EQ(engine->inputs().free_rows(), 200u);
    return std::string(status.message());
  };
  const int32_t bad[] = {1, 2048};
  EXPECT_NE(message({{ids}, {bad}}).find("input 1: token id 2048"), std::string::npos);
  EXPECT_NE(message({}).find("0 inputs were given"), std::string::npos);
  rows[5] = INFINITY;
  EXPECT_NE(message({{ids}, {{}, View(rows, 10)}}).find("input 1: value 5 of row 0"),
            std::string::npos);
  rows.assign(rows.size() * 30, 0.5f);
  EXPECT_NE(message({{{}, View(rows, 41, true)}}).find("max_rows is 40"), std::string::npos);
  EXPECT_NE(message({{{}, View(rows, 201)}}).find("max_input_rows is 200"), std::string::npos);
  EXPECT_NE(message({{{}, View(rows, 150)}, {{}, View(rows, 151)}}).find("are free"),
            std::string::npos);
}

}  // namespace
}  // namespace rondo::inputs_model_test
