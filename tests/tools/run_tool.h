// Runs the built tool as a user would, and the tiny model for it.
#pragma once

#if !defined(_WIN32)
#include <sys/wait.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/places.h"
#include "tests/temp_folder.h"

namespace rondo {

struct ToolResult {
  int code;  // the exit code, or -1 for a signal
  std::string out;
  std::string err;
};

class ToolRunner {
 public:
  // `arguments` as typed in a shell.
  ToolResult operator()(const std::string& arguments) const {
    std::string command = std::string("'") + kToolProgram + "' " + arguments + " > '" +
                          (folder_ / "out").string() + "' 2> '" + (folder_ / "err").string() + "'";
#if defined(_WIN32)
    // The shell knows one kind of quotes, and takes those around all for its own.
    std::replace(command.begin(), command.end(), '\'', '"');
    command = "\"" + command + "\"";
    const int code = std::system(command.c_str());  // NOLINT(cert-env33-c): what is tested
#else
    const int status = std::system(command.c_str());  // NOLINT(cert-env33-c): what is tested
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
#endif
    return {code, Read("out"), Read("err")};
  }
  // A file of this test's own.
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  // Converts a checkpoint folder; returns the model's path, in quotes.
  std::string Convert(const std::string& directory, const std::string& weights) const {
    const std::string path = Path(weights + ".rondo");
    const ToolResult result =
        (*this)("convert '" + directory + "' -o '" + path + "' --weights " + weights);
    if (result.code != 0) throw std::runtime_error(result.err);
    return "'" + path + "'";
  }

 private:
  TempFolder folder_;
};

}  // namespace rondo
