// Terminal: the built tool on a terminal of its own, and a person at the keys.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include "tests/support/places.h"

namespace rondo {

class Terminal {
 public:
  // `locale`: of the environment's LC_ALL; null: it names none at all.
  Terminal(const std::string& arguments, const char* locale) {
    winsize size = {24, 100, 0, 0};
    if (openpty(&master_, &slave_, nullptr, nullptr, &size) != 0) {
      throw std::runtime_error("no terminal");
    }
    pid_ = fork();
    if (pid_ == 0) {
      close(master_);
      login_tty(slave_);
      for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) unsetenv(name);
      if (locale != nullptr) setenv("LC_ALL", locale, 1);
      setenv("TERM", "xterm", 1);
      setenv("HOME", "/", 1);  // no ~/.editrc of whoever tests
      for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
      const std::string command = std::string("exec '") + kToolProgram + "' " + arguments;
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
  }
  ~Terminal() {
    if (pid_ > 0) kill(pid_, SIGKILL), waitpid(pid_, nullptr, 0);
    close(master_);
    close(slave_);
  }

  void Type(const std::string& keys) const {
    ASSERT_EQ(write(master_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  // Until the terminal hands out keys one by one: a line is being edited.
  void WaitForEditing() {
    WaitUntil("a prompt", [&] { return !IsCooked(); });
  }
  // Until `text` was shown, behind what was waited for before.
  void WaitFor(const std::string& text) {
    WaitUntil(text, [&] { return screen_.find(text, seen_) != std::string::npos; });
    seen_ = screen_.find(text, seen_) + text.size();
  }
  void WaitForBytes(size_t count) {
    WaitUntil("an answer", [&] { return screen_.size() >= seen_ + count; });
    seen_ = screen_.size();
  }
  void Signal(int signal) const { kill(pid_, signal); }
  // The exit code; -1 for a signal. Nothing where the tool does not end.
  std::optional<int> Wait() {
    int status = 0;
    WaitUntil("the end", [&] { return waitpid(pid_, &status, WNOHANG) == pid_; });
    if (testing::Test::HasFatalFailure()) return std::nullopt;
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  // Whether the terminal is as the tool found it: whole lines, shown as they are typed.
  bool IsCooked() const {
    termios modes = {};
    return tcgetattr(slave_, &modes) == 0 && (modes.c_lflag & ICANON) != 0;
  }
  const std::string& screen() const { return screen_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kPatience{120};  // sanitizers are slow

  template <typename Condition>
  void WaitUntil(const std::string& what, const Condition& condition) {
    const Clock::time_point give_up = Clock::now() + kPatience;
    while (!condition()) {
      ASSERT_LT(Clock::now(), give_up) << "no " << what << " on the screen:\n" << screen_;
      pollfd output = {master_, POLLIN, 0};
      if (poll(&output, 1, 20) <= 0) continue;
      char buffer[4096];
      const ssize_t got = read(master_, buffer, sizeof buffer);
      if (got > 0) screen_.append(buffer, static_cast<size_t>(got));
    }
  }

  int master_ = -1, slave_ = -1;
  pid_t pid_ = 0;
  std::string screen_;
  size_t seen_ = 0;
};

}  // namespace rondo
