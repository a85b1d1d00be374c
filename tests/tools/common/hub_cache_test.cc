#include "tools/common/hub_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace rondo::tools {
namespace {

// In the places that Hugging Face's own clients look into, their values expanded as there.
TEST(HubCache, FoldersAsTheHubsOwnClientsFindThem) {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"}) {
    unsetenv(name);
  }
  setenv("HOME", "/h", 1);
  setenv("RONDO_TEST_PART", "p", 1);
  EXPECT_EQ(HubCacheFolder(), "/h/.cache/huggingface/hub");
  setenv("XDG_CACHE_HOME", "~/x", 1);
  EXPECT_EQ(HubCacheFolder(), "/h/x/huggingface/hub");
  setenv("HF_HOME", "$HOME/y", 1);
  EXPECT_EQ(HubCacheFolder(), "/h/y/hub");
  setenv("HUGGINGFACE_HUB_CACHE", "/${RONDO_TEST_PART}q/$RONDO_TEST_PART", 1);
  EXPECT_EQ(HubCacheFolder(), "/pq/p");
  setenv("HF_HUB_CACHE", "~/hub", 1);
  EXPECT_EQ(HubCacheFolder(), "/h/hub");
  // What stands for nothing stays.
  setenv("HF_HUB_CACHE", "/a~/$RONDO_TEST_UNSET/${RONDO_TEST_PART/$", 1);
  EXPECT_EQ(HubCacheFolder(), "/a~/$RONDO_TEST_UNSET/${RONDO_TEST_PART/$");
  unsetenv("HF_HUB_CACHE");
  unsetenv("HUGGINGFACE_HUB_CACHE");
  unsetenv("HF_HOME");
  unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace rondo::tools
