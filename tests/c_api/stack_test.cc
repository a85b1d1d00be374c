// How much of a thread's stack calls take: some hosts give them 128 KiB, as a package by which
// JavaScript calls libraries does.
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "tests/c_api/tiny_model.h"
#include "tests/support/sanitized.h"

namespace rondo::abi_test::stack_test {
namespace {

// Bytes of a stack that `call` changes; with a sanitizer, whose frames are others, 0.
size_t StackOf(const std::function<void()>& call) {
  if (kSanitized) {
    call();
    return 0;
  }
  constexpr size_t kBytes = size_t{1} << 20;
  constexpr unsigned char kUntouched = 0xa5;
  auto* const stack = static_cast<unsigned char*>(std::aligned_alloc(1 << 16, kBytes));
  std::memset(stack, kUntouched, kBytes);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  EXPECT_EQ(pthread_attr_setstack(&attributes, stack, kBytes), 0);
  pthread_t thread;
  const auto run = [](void* self) -> void* {
    (*static_cast<const std::function<void()>*>(self))();
    return nullptr;
  };
  EXPECT_EQ(
      pthread_create(&thread, &attributes, run, const_cast<void*>(static_cast<const void*>(&call))),
      0);
  EXPECT_EQ(pthread_join(thread, nullptr), 0);
  size_t untouched = 0;
  while (untouched < kBytes && stack[untouched] == kUntouched) ++untouched;
  std::free(stack);
  return kBytes - untouched;
}

TEST(Stack, HostsWith128KiBCanCall) {
  constexpr size_t kMost = size_t{112} << 10;  // with room for the host's own frames
  Model model;
  Engine engine;
  Session session;
  EXPECT_LT(StackOf([&] { model = OpenTiny(); }), kMost);
  ASSERT_NE(model, nullptr);
  EXPECT_LT(StackOf([&] { engine = NewEngine(model.get()); }), kMost);
  ASSERT_NE(engine, nullptr);
  EXPECT_LT(StackOf([&] { session = NewSession(engine.get()); }), kMost);
  const std::vector<int32_t> ids = Ids(model.get(), "Once upon a time");
  EXPECT_LT(StackOf([&] {
              EXPECT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()),
                        RONDO_STATUS_OK);
              Generate(session.get(), 20);
            }),
            kMost);
}

}  // namespace
}  // namespace rondo::abi_test::stack_test
