// Downloads from a hub on this machine, which behaves, breaks off or lies.
#include "tools/pull/pull.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/support/environment.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/random_checkpoint.h"
#include "tests/tools/error_of.h"
#include "tests/tools/pull/hub_server.h"
#include "tests/tools/run_tool.h"
#include "tools/pull/model_address.h"

namespace rondo::tools {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string ReadBytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string Bytes(size_t n) {
  std::string bytes;
  for (size_t i = 0; i < n; ++i) bytes += static_cast<char>(i * 31 + i / 256 * 7);
  return bytes;
}

class PullTest : public testing::Test {
 protected:
  PullTest() {
    SetVariable("HF_HUB_CACHE", cache_.path().c_str());
    options_.name = {"org", "model"};
    options_.hub = server_.url();
    options_.wait_ms = 1;
    server_.files["config.json"] = {"{}"};
    server_.files["model.safetensors"] = {Bytes(100'000), true};
    server_.files["original/model.safetensors"] = {"not wanted", true};
    server_.files["README.md"] = {"not wanted"};
  }
  ~PullTest() override { UnsetVariable("HF_HUB_CACHE"); }

  fs::path Pull() {
    return tools::Pull(
        options_,
        [this](uint64_t done, uint64_t total) {
          progress_ = {done, total};
        },
        [this](const std::string& note) { notes_.push_back(note); });
  }
  std::string Refusal() {
    return SentenceOf([this] { Pull(); });
  }
  HubServer::File& model() { return server_.files["model.safetensors"]; }
  fs::path Blob(const HubServer::File& file) const {
    return HubModelFolder(options_.name) / "blobs" / DigestOf(Digest::Kind::kSha256, file.bytes);
  }
  void ExpectModelIsThere() {
    const auto snapshot = FindSnapshot(options_.name, "main");
    ASSERT_TRUE(snapshot);
    EXPECT_EQ(ReadBytes(*snapshot / "model.safetensors"), model().bytes);
  }
  void ExpectNothingOfTheModelIsThere() {
    EXPECT_FALSE(fs::exists(Blob(model())));
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

TEST_F(PullTest, ABrokenDownloadIsGoneOnWith) {
  model().breaks_at = 40'000;
  Pull();
  ExpectModelIsThere();
  EXPECT_THAT(Ranges(), ElementsAre("", "bytes=40000-"));
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_THAT(notes_[0], HasSubstr("trying again"));
}

TEST_F(PullTest, TheNextRunGoesOnWithABrokenDownload) {
  model().breaks_at = 40'000;
  options_.tries = 1;
  EXPECT_THAT(Refusal(), HasSubstr("tried 1 time"));
  ExpectNothingOfTheModelIsThere();
  Pull();
  ExpectModelIsThere();
  EXPECT_THAT(Ranges(), ElementsAre("", "bytes=40000-"));
}

TEST_F(PullTest, AServerWithoutRangesSendsAllAgain) {
  model().breaks_at = 40'000;
  model().ignores_range = true;
  Pull();
  ExpectModelIsThere();
}

TEST_F(PullTest, WhatADamagedDownloadLeftIsLoadedAnew) {
  fs::create_directories(Blob(model()).parent_path());
  std::ofstream(Blob(model()).string() + ".incomplete") << std::string(50'000, 'x');
  Pull();
  ExpectModelIsThere();
  EXPECT_THAT(Ranges(), ElementsAre("bytes=50000-", ""));
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_THAT(notes_[0], HasSubstr("damaged"));
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

TEST_F(PullTest, ABusyServerIsAskedAgain) {
  model().refusals = 2;
  Pull();
  ExpectModelIsThere();
  EXPECT_EQ(notes_.size(), 2U);
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

TEST_F(PullTest, AServerThatIsNotThereIsNamed) {
  options_.hub = "http://127.0.0.1:1";
  options_.tries = 2;
  EXPECT_THAT(Refusal(), HasSubstr("http://127.0.0.1:1/api/models/org/model"));
}

TEST_F(PullTest, AHubWithoutAnAddressIsAskedOnce) {
  options_.hub = "http://no-such-host.invalid";
  EXPECT_THAT(Refusal(), HasSubstr("; what was downloaded before `rondo convert org/model` takes"));
  EXPECT_THAT(notes_, IsEmpty());
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

TEST_F(PullTest, TheToolDownloadsAndConverts) {
  TempFolder checkpoint;
  convert::WriteRandomCheckpoint(checkpoint.path(), {});
  std::map<std::string, HubServer::File> files;
  for (const char* name : {"config.json", "model.safetensors"}) {
    files[name] = {ReadBytes(checkpoint / name), true};
  }
  server_.Replace(files);
  const ToolRunner tool;
  const std::string output = tool.Path("x.rondo");
  const ToolResult before = tool("convert org/model -o '" + output + "'");
  EXPECT_EQ(before.code, 1);
  EXPECT_THAT(before.err, HasSubstr("`rondo pull org/model` downloads it"));

  const ToolResult pulled = tool("pull org/model --hub " + server_.url() + " -o '" + output + "'");
  EXPECT_EQ(pulled.code, 0) << pulled.err;
  EXPECT_THAT(pulled.out, HasSubstr("x.rondo: LlamaForCausalLM"));
  const std::string bytes = ReadBytes(output);
  EXPECT_THAT(tool("inspect '" + output + "'").out, HasSubstr("model"));

  const ToolResult again = tool("convert org/model -o '" + output + "'");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(ReadBytes(output), bytes);
}

// Nothing is asked of the hub.
TEST_F(PullTest, TheToolChecksBeforeItDownloads) {
  const ToolRunner tool;
  tool.Write("mine", "what somebody wrote");
  const std::string hub = " --hub " + server_.url();
  const auto refused = [&](const std::string& arguments, int code) {
    const ToolResult result = tool("pull " + arguments);
    EXPECT_EQ(result.code, code) << result.err;
    return result.err;
  };
  EXPECT_THAT(refused("org/model -o '" + tool.Path("mine") + "'" + hub, 1),
              HasSubstr("mine exists and is not a Rondo file; choose another name, or replace it"));
  EXPECT_THAT(refused("org/model -o /no/such/folder/x" + hub, 1),
              HasSubstr("cannot create /no/such/folder/x"));
  EXPECT_THAT(refused("model" + hub, 2), HasSubstr("expected ORG/MODEL\n"));
  EXPECT_THAT(refused("https://other.example/org/model" + hub, 2),
              HasSubstr("no address of a model in the hub " + server_.url() +
                        ", expected ORG/MODEL or " + server_.url() + "/ORG/MODEL; --hub names"));
  SetVariable("HF_HUB_OFFLINE", "1");
  EXPECT_THAT(refused("org/model -o '" + tool.Path("x") + "'" + hub, 1),
              HasSubstr("HF_HUB_OFFLINE is set, so nothing is downloaded"));
  UnsetVariable("HF_HUB_OFFLINE");
  EXPECT_THAT(server_.seen(), IsEmpty());
}

TEST_F(PullTest, TheToolTakesAnAddress) {
  server_.Replace({{"a [1].Q4_0.gguf", {"GGUF"}}, {"a.Q8_0.gguf", {"GGUF"}}});
  const ToolRunner tool;
  const ToolResult pulled =
      tool("pull '" + server_.url() +
           "/org/model/resolve/main/a%20%5B1%5D.Q4_0.gguf?download=true' -o '" + tool.Path("x") +
           "' --hub " + server_.url() + "/");
  EXPECT_EQ(pulled.code, 1);  // it is no model
  const auto snapshot = FindSnapshot(options_.name, "main");
  ASSERT_TRUE(snapshot);
  EXPECT_TRUE(fs::exists(*snapshot / "a [1].Q4_0.gguf"));
  EXPECT_FALSE(fs::exists(*snapshot / "a.Q8_0.gguf"));
}

TEST_F(PullTest, TheAddressOfAPartStandsForAllParts) {
  server_.Replace({{"a-00001-of-00002.gguf", {"GGUF"}},
                   {"a-00002-of-00002.gguf", {"GGUF"}},
                   {"b-00001-of-00002.gguf", {"GGUF"}}});
  const ToolRunner tool;
  const ToolResult pulled =
      tool("pull " + server_.url() + "/org/model/blob/main/a-00001-of-00002.gguf --hub " +
           server_.url() + " -o '" + tool.Path("x") + "'");
  EXPECT_EQ(pulled.code, 1);  // it is no model
  const auto snapshot = FindSnapshot(options_.name, "main");
  ASSERT_TRUE(snapshot);
  EXPECT_TRUE(fs::exists(*snapshot / "a-00001-of-00002.gguf"));
  EXPECT_TRUE(fs::exists(*snapshot / "a-00002-of-00002.gguf"));
  EXPECT_FALSE(fs::exists(*snapshot / "b-00001-of-00002.gguf"));
}

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

TEST(HubName, IsTwoPlainParts) {
  EXPECT_EQ(ParseHubName("org/model-1.5_B")->model, "model-1.5_B");
  for (const char* text :
       {"model", "/model", "org/", "org/a/b", "../model", "org/..", "o g/m", ""}) {
    EXPECT_FALSE(ParseHubName(text)) << text;
  }
  EXPECT_FALSE(ParseHubName("org/" + std::string(97, 'x')));
}

TEST(Digest, IsTheOneThatGitAndSha256sumGive) {
  EXPECT_EQ(DigestOf(Digest::Kind::kGit, "hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
  EXPECT_EQ(DigestOf(Digest::Kind::kSha256, ""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace rondo::tools
