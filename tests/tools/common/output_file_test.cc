#include "tools/common/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#if !defined(_WIN32)
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <filesystem>
#include <fstream>

#include "tests/temp_folder.h"
#include "tests/tools/error_of.h"
#include "tests/tools/traced_tool.h"
#include "tools/common/error.h"
#include "tools/system/name_beside.h"
#include "tools/system/process.h"

namespace rondo::tools {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr FileKind kList = {"a list", "LIST"};

class OutputFileTest : public testing::Test {
 protected:
  void Put(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  std::map<std::string, std::string> Folder() const { return Contents(folder_.path()); }
  // The sentence with which writing to `target` is refused; empty where it is not.
  std::string Refusal(const fs::path& target, Replace replace) const {
    return SentenceOf([&] { WriteFile(target, kList, replace, "LIST of mine"); });
  }

  TempFolder folder_;
};

TEST_F(OutputFileTest, AppearsWholeOrNotAtAll) {
  {
    OutputFile file(folder_ / "x", kList, Replace::kSameKind);
    file.Write("____ of many");
    file.Rewrite(std::vector<uint8_t>{'L', 'I', 'S', 'T'});
    EXPECT_EQ(file.bytes(), 12u);
    std::ifstream unfinished(file.unfinished_path());
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(unfinished), {}), "LIST of many");
    EXPECT_FALSE(fs::exists(folder_ / "x"));
    file.Commit();
  }
  EXPECT_EQ(Folder(), (std::map<std::string, std::string>{{"x", "LIST of many"}}));
  {
    OutputFile file(folder_ / "x", kList, Replace::kSameKind);
    file.Write("LIST that nobody wants");
  }
  EXPECT_EQ(Folder(), (std::map<std::string, std::string>{{"x", "LIST of many"}}));
}

// As long as names may be, and of characters of three bytes, which no cut may break.
TEST_F(OutputFileTest, NamesAreAsLongAsTheSystemHasThem) {
  std::string signs;
  for (int i = 0; i < 84; ++i) signs += "\u4e8c";
  for (const std::string& name : {std::string(250, 'x'), std::string(255, 'x'), signs + "ab"}) {
    EXPECT_EQ(Refusal(folder_ / name, Replace::kSameKind), "");
    EXPECT_EQ(Refusal(folder_ / name, Replace::kSameKind), "");  // in its place
    EXPECT_EQ(Folder(), (std::map<std::string, std::string>{{name, "LIST of mine"}}));
    fs::remove(folder_ / name);
  }
}

TEST(NameBeside, IsOfOneFileAndOfItsFolder) {
  const std::string process = std::to_string(ProcessId());
  EXPECT_EQ(NameBeside("a/b.rondo"), "a/b.rondo.partial-" + process);
  EXPECT_EQ(NameBeside("b"), "b.partial-" + process);
  const fs::path one = NameBeside(std::string(250, 'x') + "1");
  EXPECT_NE(one, NameBeside(std::string(250, 'x') + "2"));
  EXPECT_LT(one.native().size(), 143u);
}

TEST_F(OutputFileTest, ReplacesItsOwnKindOnly) {
  Put("mine", "LIST of old");
  Put("empty", "");
  Put("foreign", "LISP");
  Put("short", "LI");
  EXPECT_EQ(Refusal(folder_ / "mine", Replace::kSameKind), "");
  EXPECT_EQ(Refusal(folder_ / "empty", Replace::kSameKind), "");
  for (const char* name : {"foreign", "short"}) {
    EXPECT_EQ(Refusal(folder_ / name, Replace::kSameKind),
              (folder_ / name).string() +
                  " exists and is not a list; choose another name, or replace it with --force");
  }
  EXPECT_EQ(Folder(), (std::map<std::string, std::string>{{"mine", "LIST of mine"},
                                                          {"empty", "LIST of mine"},
                                                          {"foreign", "LISP"},
                                                          {"short", "LI"}}));
  EXPECT_EQ(Refusal(folder_ / "foreign", Replace::kAnyFile), "");
  EXPECT_EQ(Folder().at("foreign"), "LIST of mine");
}

TEST_F(OutputFileTest, WhatComesMeanwhileIsNotReplacedEither) {
  OutputFile file(folder_ / "x", kList, Replace::kSameKind);
  file.Write("LIST");
  Put("x", "somebody else's");
  EXPECT_THROW(file.Commit(), Error);
  EXPECT_EQ(Folder().at("x"), "somebody else's");
}

TEST_F(OutputFileTest, OnlyFilesAreReplaced) {
#if defined(_WIN32)
  GTEST_SKIP() << "links are for administrators here, and no folder holds a pipe";
#else
  Put("file", "LIST");
  fs::create_directory(folder_ / "folder");
  fs::create_symlink("file", folder_ / "link");
  fs::create_symlink("nothing", folder_ / "dangling");
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  for (const Replace replace : {Replace::kSameKind, Replace::kAnyFile}) {
    EXPECT_THAT(Refusal(folder_ / "folder", replace), HasSubstr("/folder is a folder"));
    EXPECT_THAT(Refusal(folder_ / "link", replace), HasSubstr("/link is a symbolic link"));
    EXPECT_THAT(Refusal(folder_ / "dangling", replace), HasSubstr("/dangling is a symbolic link"));
    EXPECT_THAT(Refusal(folder_ / "pipe", replace), HasSubstr("/pipe is not a regular file"));
    EXPECT_THAT(Refusal(folder_ / "none" / "x", replace),
                AllOf(HasSubstr("cannot create "), HasSubstr("none/x: No such file")));
    EXPECT_THAT(Refusal(folder_ / "file" / "x", replace),
                AllOf(HasSubstr("cannot create "), HasSubstr("file/x: Not a directory")));
  }
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
#endif
}

TEST_F(OutputFileTest, AFolderThatCannotBeWrittenIsSaid) {
#if defined(_WIN32)
  GTEST_SKIP() << "a folder's permissions are lists of accounts here";
#else
  const fs::path target = geteuid() == 0 ? fs::path("/proc/x") : folder_ / "locked" / "x";
  fs::create_directory(folder_ / "locked");
  fs::permissions(folder_ / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THAT(Refusal(target, Replace::kSameKind), HasSubstr("cannot create " + target.string()));
#endif
}

}  // namespace
}  // namespace rondo::tools
