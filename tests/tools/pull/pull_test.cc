// Downloads from a hub on this machine: what is chosen, and hubs that lie.
#include "tools/pull/pull.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/pull/pull_case.h"

namespace rondo::tools {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(PullTest, WhatConvertReadsLiesInTheCache) {
  const fs::path snapshot = Pull();
  EXPECT_EQ(snapshot, HubModelFolder(options_.name) / "snapshots" / kCommit);
  EXPECT_EQ(FindSnapshot(options_.name, "main"), snapshot);
  EXPECT_EQ(ReadBytes(snapshot / "config.json"), "{}");
  ExpectModelIsThere();
  EXPECT_TRUE(fs::is_symlink(snapshot / "model.safetensors"));
  EXPECT_EQ(ReadBytes(Blob(model())), model().bytes);
  EXPECT_FALSE(fs::exists(snapshot / "README.md"));
  EXPECT_FALSE(fs::exists(snapshot / "original"));
  EXPECT_EQ(progress_, (std::pair<uint64_t, uint64_t>(100'002, 100'002)));
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(PullTest, WhatIsThereIsNotLoadedAgain) {
  Pull();
  const size_t before = server_.seen().size();
  Pull();
  EXPECT_EQ(server_.seen().size(), before + 1);  // the list
}

TEST_F(PullTest, PatternsChooseFiles) {
  options_.files = {"original/*", "READ*"};
  const fs::path snapshot = Pull();
  EXPECT_EQ(ReadBytes(snapshot / "original" / "model.safetensors"), "not wanted");
  EXPECT_TRUE(fs::exists(snapshot / "README.md"));
  EXPECT_FALSE(fs::exists(snapshot / "config.json"));
  options_.files = {"*.gguf"};
  EXPECT_THAT(Refusal(), HasSubstr("no file that --file *.gguf stands for"));
}

TEST_F(PullTest, AModelInGgufAloneAsksWhichFile) {
  server_.Replace({{"a.Q4_0.gguf", {"GGUF"}}, {"a.Q8_0.gguf", {"GGUF"}}});
  EXPECT_THAT(Refusal(), HasSubstr("--file: a.Q4_0.gguf, a.Q8_0.gguf"));
}

TEST_F(PullTest, OtherBytesThanListedAreRefused) {
  model().sent = model().bytes;
  model().sent[5000] ^= 1;
  EXPECT_THAT(Refusal(),
              HasSubstr("the hub says " + DigestOf(Digest::Kind::kSha256, model().bytes)));
  ExpectNothingOfTheModelIsThere();
}

TEST_F(PullTest, MoreBytesThanListedAreRefused) {
  model().sent = model().bytes + "and more";
  EXPECT_THAT(Refusal(), HasSubstr("sends more than the 100000 bytes"));
  ExpectNothingOfTheModelIsThere();
}

TEST_F(PullTest, FewerBytesThanListedAreRefused) {
  model().sent = model().bytes.substr(0, 10);
  options_.tries = 4;
  EXPECT_THAT(Refusal(), HasSubstr("fewer bytes than the 100000 it listed"));
  ExpectNothingOfTheModelIsThere();
}

TEST_F(PullTest, StatusesAreExplained) {
  server_.list_status = 404;
  EXPECT_THAT(Refusal(), HasSubstr("org/model at main: " + server_.url() + " has none"));
  server_.list_status = 403;
  EXPECT_THAT(Refusal(), HasSubstr("HF_TOKEN"));
  server_.list_status = 418;
  EXPECT_THAT(Refusal(), HasSubstr("status 418"));
  EXPECT_EQ(server_.seen().size(), 3U);
}

TEST_F(PullTest, TheTokenGoesToTheHubAlone) {
  server_.elsewhere = model().bytes;
  model().redirect = server_.other_url() + "/elsewhere";
  options_.token = "hf_secret";
  Pull();
  ExpectModelIsThere();
  bool elsewhere = false;
  for (const HubServer::Seen& seen : server_.seen()) {
    const bool is_hub = seen.path != "/elsewhere";
    elsewhere = elsewhere || !is_hub;
    EXPECT_EQ(seen.authorization, is_hub ? "Bearer hf_secret" : "") << seen.path;
  }
  EXPECT_TRUE(elsewhere);
}

TEST_F(PullTest, RedirectsEnd) {
  model().redirect = server_.url() + "/org/model/resolve/" + kCommit + "/model.safetensors";
  EXPECT_THAT(Refusal(), HasSubstr("redirect"));
  model().redirect = "file:///etc/passwd";
  EXPECT_THAT(Refusal(), HasSubstr("file"));
}

TEST_F(PullTest, ListsThatLieAreRefused) {
  const auto refuses = [this](const std::function<void(nlohmann::json&)>& damage,
                              const std::string& sentence) {
    nlohmann::json list = server_.Listing();
    damage(list);
    server_.list = list.dump();
    EXPECT_THAT(Refusal(), HasSubstr(sentence));
  };
  using nlohmann::json;
  for (const char* path :
       {"../x.json", "/x.json", "a/../../x.json", "a//x.json", "", ".", "a\\x.json", "x\n.json"}) {
    refuses([&](json& list) { list["siblings"][0]["rfilename"] = path; },
            "cannot lie in a folder of its own");
  }
  refuses([](json& list) { list["siblings"][0]["rfilename"] = std::string(300, 'x'); },
          "cannot lie in a folder of its own");
  refuses([](json& list) { list["siblings"][0]["rfilename"] = 7; }, "no text rfilename");
  refuses([](json& list) { list["siblings"][0]["rfilename"] = list["siblings"][1]["rfilename"]; },
          "twice");
  refuses([](json& list) { list["siblings"][0]["size"] = -1; }, "no usable size");
  refuses([](json& list) { list["siblings"][0]["size"] = uint64_t{1} << 60; }, "no usable size");
  refuses([](json& list) { list["siblings"][0]["blobId"] = "../../x"; }, "no usable checksum");
  refuses([](json& list) { list["siblings"][0]["lfs"] = {{"size", 1}}; }, "no text sha256");
  refuses([](json& list) { list["siblings"] = "all"; }, "no list siblings");
  refuses([](json& list) { list["siblings"] = {1}; }, "a sibling that is no object");
  refuses([](json& list) { list["sha"] = "main"; }, "not 40 hexadecimal digits");
  refuses([](json& list) { list = 5; }, "is no JSON object");
  EXPECT_FALSE(FindSnapshot(options_.name, "main"));
}

TEST_F(PullTest, MoreThanTheDiskHoldsIsRefusedAtOnce) {
  nlohmann::json list = server_.Listing();
  for (nlohmann::json& sibling : list["siblings"]) {
    if (sibling.contains("lfs")) sibling["lfs"]["size"] = uint64_t{1} << 41;
  }
  server_.list = list.dump();
  EXPECT_THAT(Refusal(), HasSubstr("the disk has"));
}

TEST_F(PullTest, RevisionsAreNamesOfBranches) {
  options_.revision = "../../../x";
  EXPECT_THAT(Refusal(), HasSubstr("not the name of a branch"));
}

// As the hub's own clients send it.
TEST_F(PullTest, ARevisionIsOnePartOfTheAddress) {
  options_.revision = "refs/pr/1";
  Pull();
  EXPECT_EQ(server_.seen()[0].target, "/api/models/org/model/revision/refs%2Fpr%2F1?blobs=true");
  EXPECT_TRUE(FindSnapshot(options_.name, "refs/pr/1"));
}

TEST(Digest, IsTheOneThatGitAndSha256sumGive) {
  EXPECT_EQ(DigestOf(Digest::Kind::kGit, "hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
  EXPECT_EQ(DigestOf(Digest::Kind::kSha256, ""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace rondo::tools
