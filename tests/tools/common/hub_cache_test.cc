#include "tools/common/hub_cache.h"

#include <gtest/gtest.h>

#include "tests/support/environment.h"
#include "tools/system/environment.h"

namespace rondo::tools {
namespace {

// In the places that Hugging Face's own clients look into, their values expanded as there.
TEST(HubCache, FoldersAsTheHubsOwnClientsFindThem) {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"}) {
    UnsetVariable(name);
  }
  SetVariable(kHomeVariable, "/h");
  SetVariable("RONDO_TEST_PART", "p");
  EXPECT_EQ(HubCacheFolder(), "/h/.cache/huggingface/hub");
  SetVariable("XDG_CACHE_HOME", "~/x");
  EXPECT_EQ(HubCacheFolder(), "/h/x/huggingface/hub");
  SetVariable("HF_HOME", "$HOME/y");
  EXPECT_EQ(HubCacheFolder(), "/h/y/hub");
  SetVariable("HUGGINGFACE_HUB_CACHE", "/${RONDO_TEST_PART}q/$RONDO_TEST_PART");
  EXPECT_EQ(HubCacheFolder(), "/pq/p");
  SetVariable("HF_HUB_CACHE", "~/hub");
  EXPECT_EQ(HubCacheFolder(), "/h/hub");
  // What stands for nothing stays.
  SetVariable("HF_HUB_CACHE", "/a~/$RONDO_TEST_UNSET/${RONDO_TEST_PART/$");
  EXPECT_EQ(HubCacheFolder(), "/a~/$RONDO_TEST_UNSET/${RONDO_TEST_PART/$");
  UnsetVariable("HF_HUB_CACHE");
  UnsetVariable("HUGGINGFACE_HUB_CACHE");
  UnsetVariable("HF_HOME");
  UnsetVariable("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace rondo::tools
