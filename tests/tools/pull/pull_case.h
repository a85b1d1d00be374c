// PullTest: a hub on this machine, and a cache of a test's own.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/environment.h"
#include "tests/temp_folder.h"
#include "tests/tools/error_of.h"
#include "tests/tools/pull/hub_server.h"
#include "tools/pull/pull.h"

namespace rondo::tools {

inline std::string ReadBytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::string Bytes(size_t n) {
  std::string bytes;
  for (size_t i = 0; i < n; ++i) bytes += static_cast<char>(i * 31 + i / 256 * 7);
  return bytes;
}

class PullTest : public testing::Test {
 protected:
  PullTest() {
    SetVariable("HF_HUB_CACHE", cache_.path().c_str());
    SetVariable("HF_TOKEN_PATH", (cache_ / "token").c_str());  // not the tester's own
    options_.name = {"org", "model"};
    options_.hub = server_.url();
    options_.wait_ms = 1;
    server_.files["config.json"] = {"{}"};
    server_.files["model.safetensors"] = {Bytes(100'000), true};
    server_.files["original/model.safetensors"] = {"not wanted", true};
    server_.files["README.md"] = {"not wanted"};
  }
  ~PullTest() override {
    UnsetVariable("HF_HUB_CACHE");
    UnsetVariable("HF_TOKEN_PATH");
  }

  Pulled PullAll() {
    return tools::Pull(
        options_,
        [this](uint64_t done, uint64_t total) {
          progress_ = {done, total};
        },
        [this](const std::string& note) { notes_.push_back(note); });
  }
  std::filesystem::path Pull() { return PullAll().snapshot; }
  std::string Refusal() {
    return SentenceOf([this] { Pull(); });
  }
  HubServer::File& model() { return server_.files["model.safetensors"]; }
  std::filesystem::path Blob(const HubServer::File& file) const {
    return HubModelFolder(options_.name) / "blobs" / DigestOf(Digest::Kind::kSha256, file.bytes);
  }
  void ExpectModelIsThere() {
    const auto snapshot = FindSnapshot(options_.name, "main");
    ASSERT_TRUE(snapshot);
    EXPECT_EQ(ReadBytes(*snapshot / "model.safetensors"), model().bytes);
  }
  void ExpectNothingOfTheModelIsThere() {
    EXPECT_FALSE(std::filesystem::exists(Blob(model())));
    EXPECT_FALSE(FindSnapshot(options_.name, "main"));
  }
  // The ranges that were asked for of the model's file.
  std::vector<std::string> Ranges() const {
    std::vector<std::string> ranges;
    for (const HubServer::Seen& seen : server_.seen()) {
      if (seen.path.ends_with("/model.safetensors")) ranges.push_back(seen.range);
    }
    return ranges;
  }

  TempFolder cache_;
  HubServer server_;
  PullOptions options_;
  std::pair<uint64_t, uint64_t> progress_;
  std::vector<std::string> notes_;
};

}  // namespace rondo::tools
