// The built tool as a process whose input and output are pipes.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <string>

#include "tests/support/places.h"

namespace rondo {

class ToolProcess {
 public:
  // `arguments` as typed in a shell.
  explicit ToolProcess(const std::string& arguments) {
    int in[2], out[2];
    if (pipe(in) != 0 || pipe(out) != 0) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ == 0) {
      dup2(in[0], 0);
      dup2(out[1], 1);
      for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
      for (int fd : {in[0], in[1], out[0], out[1]}) close(fd);
      const std::string command = std::string("exec '") + kToolProgram + "' " + arguments;
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    in_ = in[1];
    out_ = out[0];
  }
  void Write(const std::string& text) {
    ASSERT_EQ(write(in_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  // What comes until at least `bytes` are there, the output ends or nothing comes for a minute.
  std::string Read(size_t bytes) {
    std::string text;
    char buffer[4096];
    pollfd fd = {out_, POLLIN, 0};
    while (text.size() < bytes && poll(&fd, 1, 60'000) > 0) {
      const ssize_t n = read(out_, buffer, sizeof buffer);
      if (n <= 0) break;
      text.append(buffer, static_cast<size_t>(n));
    }
    return text;
  }
  void Signal(int signal) const { kill(pid_, signal); }
  void EndInput() {
    if (in_ >= 0) close(in_);
    in_ = -1;
  }
  // The exit code; -1 for a signal.
  int Wait() {
    EndInput();
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = 0;
  int in_ = -1, out_ = -1;
};

}  // namespace rondo
