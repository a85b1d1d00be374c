// What names a model, and a hub.
#include "tools/pull/model_address.h"

#include <gtest/gtest.h>

namespace rondo::tools {
namespace {

TEST(ModelAddress, IsANameOrWhatABrowserShows) {
  const std::string hub = "https://hub.example";
  const auto read = [&](const std::string& text) -> std::string {
    const auto address = ParseModelAddress(text, hub);
    if (!address) return "none";
    return address->name.text() + " " + address->revision + " " + address->file;
  };
  EXPECT_EQ(read("org/model"), "org/model  ");
  EXPECT_EQ(read(hub + "/org/model"), "org/model  ");
  EXPECT_EQ(read(hub + "/org/model/"), "org/model  ");
  EXPECT_EQ(read(hub + "/org/model?library=x#files"), "org/model  ");
  EXPECT_EQ(read(hub + "/org/model/tree/v2"), "org/model v2 ");
  EXPECT_EQ(read(hub + "/org/model/tree/refs%2Fpr%2F1/folder"), "org/model refs/pr/1 ");
  EXPECT_EQ(read(hub + "/org/model/blob/main/a/x.gguf"), "org/model main a/x.gguf");
  EXPECT_EQ(read(hub + "/org/model/resolve/main/x%20y.gguf?download=true"),
            "org/model main x y.gguf");
  for (const char* text :
       {"/org", "/org/model/resolve", "/org/model/resolve/main", "/org/model/resolve/main/../x",
        "/org/model/discussions/1", "/org/model/tree/..", "/o g/model", "//model"}) {
    EXPECT_EQ(read(hub + text), "none") << text;
  }
  EXPECT_EQ(read("https://hub.example.other/org/model"), "none");
  EXPECT_EQ(read("org/model/tree/main"), "none");
}

TEST(HubAddress, IsHttpsWhereNothingElseIsSaid) {
  EXPECT_EQ(HubAddress("mirror.example"), "https://mirror.example");
  EXPECT_EQ(HubAddress("localhost:8080/hub/"), "https://localhost:8080/hub");
  EXPECT_EQ(HubAddress("HTTPS://mirror.example//"), "https://mirror.example");
  EXPECT_EQ(HubAddress("http://127.0.0.1:80"), "http://127.0.0.1:80");
  for (const char* text : {"", "/", "ftp://mirror.example", "file:///etc", "://x"}) {
    EXPECT_FALSE(HubAddress(text)) << text;
  }
}

TEST(HubName, IsTwoPlainParts) {
  EXPECT_EQ(ParseHubName("org/model-1.5_B")->model, "model-1.5_B");
  for (const char* text :
       {"model", "/model", "org/", "org/a/b", "../model", "org/..", "o g/m", ""}) {
    EXPECT_FALSE(ParseHubName(text)) << text;
  }
  EXPECT_FALSE(ParseHubName("org/" + std::string(97, 'x')));
}

}  // namespace
}  // namespace rondo::tools
