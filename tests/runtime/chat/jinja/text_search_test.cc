// Searches find what the standard library's find.
#include <gtest/gtest.h>

#include <random>

#include "runtime/chat/jinja/value.h"

namespace rondo::jinja {
namespace {

std::string Text(std::mt19937& random, size_t size, uint32_t rare) {
  std::string text;
  for (size_t i = 0; i < size; ++i) text += random() % rare == 0 ? 'b' : 'a';
  return text;
}

TEST(JinjaTextSearch, FindsTheFirstAndTheLastPlace) {
  std::mt19937 random(1);
  Machine machine{Limits()};
  for (int round = 0; round < 3000; ++round) {
    const uint32_t rare = 2 + random() % 600;
    const std::string text = Text(random, random() % 1500, rare);
    const std::string part = Text(random, random() % 6, round % 2 == 0 ? 2 : rare);
    const size_t from = random() % 1600;
    EXPECT_EQ(Find(machine, text, part), text.find(part));
    EXPECT_EQ(Find(machine, text, part, from), text.find(part, from));
    EXPECT_EQ(FindLast(machine, text, part), text.rfind(part));
  }
  EXPECT_FALSE(machine.failed());
}

}  // namespace
}  // namespace rondo::jinja
