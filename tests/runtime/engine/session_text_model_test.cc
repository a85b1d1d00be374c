// The text of a session follows from its tokens alone: what was undone leaves no trace in it.
#include <gtest/gtest.h>

#include "tests/support/test_model.h"

namespace rondo {
namespace {

EngineOptions Options() {
  EngineOptions options;
  options.context = 256;
  options.max_sessions = 2;
  options.threads = 1;
  return options;
}

std::string NextText(Session* session) {
  const auto event = session->Next();
  EXPECT_TRUE(event.ok()) << event.status().message();
  return event.ok() ? std::string(event->text) : "";
}

// A decoder that drops the first space of a text does so where the text begins: behind tokens
// that are all special, whatever was there before.
TEST(SessionText, BeginsWhereTheTokensThatAreLeftHaveNone) {
  const auto folder = SharedData("trained/stories260K");
  RONDO_SKIP_WITHOUT(folder);
  const TestModel model(folder, format::TensorFormat::Q8);
  const auto engine = model.NewEngine(Options());
  const std::vector<int32_t> bos = {1}, prompt = {1, 400, 401};
  Session* const fresh = NewSession(*engine);
  ASSERT_TRUE(fresh->Prefill(bos).ok());
  const std::string first = NextText(fresh), second = NextText(fresh);
  ASSERT_NE(first[0], ' ');

  Session* const session = NewSession(*engine);
  ASSERT_TRUE(session->Prefill(bos).ok());
  EXPECT_EQ(NextText(session), first);
  ASSERT_TRUE(session->Undo(1).ok());
  EXPECT_EQ(NextText(session), first) << "the only text was undone";
  EXPECT_EQ(NextText(session), second);
  ASSERT_TRUE(session->Undo(1).ok());
  EXPECT_EQ(NextText(session), second) << "some text is left";
  ASSERT_TRUE(session->Undo(3).ok());
  ASSERT_TRUE(session->Prefill(bos).ok());
  EXPECT_EQ(NextText(session), first) << "all was undone";
  session->Reset();
  ASSERT_TRUE(session->Prefill(prompt).ok());
  ASSERT_TRUE(session->Undo(2).ok());
  EXPECT_EQ(NextText(session), first) << "a prompt's text was undone";

  // What was cancelled, forked or saved says nothing else.
  session->Reset();
  ASSERT_TRUE(session->Prefill(bos).ok());
  session->Cancel();
  ASSERT_EQ(session->Prefill(prompt).code(), StatusCode::kCancelled);
  engine->CloseSession(fresh);
  Session* const fork = *engine->ForkSession(*session, {});
  std::vector<uint8_t> snapshot(1 << 20);
  size_t bytes;
  ASSERT_TRUE(session->Save(snapshot, &bytes).ok());
  EXPECT_EQ(NextText(session), first) << "a prefill was cancelled";
  EXPECT_EQ(NextText(fork), first) << "a fork";
  ASSERT_TRUE(session->Restore(std::span(snapshot).first(bytes)).ok());
  EXPECT_EQ(NextText(session), first) << "a snapshot";
}

// What the tokens that are left hold back, as it may become a stop string, is not lost.
TEST(SessionText, HoldsBackWhatTheTokensThatAreLeftDid) {
  const TestModel model(TestData("tiny"), format::TensorFormat::Q8);
  const auto engine = model.NewEngine(Options());
  const std::vector<int32_t> prompt = {0, 400, 401};
  Session* const plain = NewSession(*engine);
  ASSERT_TRUE(plain->Prefill(prompt).ok());
  std::string pieces[4];
  for (std::string& piece : pieces) piece = NextText(plain);
  const std::string stop = pieces[0] + pieces[1] + pieces[2] + "no";
  const std::string_view stops[] = {stop};
  SessionOptions options;
  options.stop_strings = stops;
  Session* const session = NewSession(*engine, options);
  ASSERT_TRUE(session->Prefill(prompt).ok());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(NextText(session), "");
  ASSERT_TRUE(session->Undo(1).ok());
  EXPECT_EQ(NextText(session), "");
  EXPECT_EQ(NextText(session), pieces[0] + pieces[1] + pieces[2] + pieces[3]);
}

}  // namespace
}  // namespace rondo
