#include "tests/tools/traced_tool.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace rondo {

std::map<std::string, std::string> Contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    contents[entry.path().filename().string()] = {std::istreambuf_iterator<char>(file),
                                                  std::istreambuf_iterator<char>()};
  }
  return contents;
}

}  // namespace rondo

#if !defined(__linux__)

namespace rondo {

bool CanTrace() { return false; }
TracedRun RunTraced(const std::vector<std::string>&, const Tracing&) {
  throw std::runtime_error("no process is traced here");
}

}  // namespace rondo

#else

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>

#include "tests/support/places.h"

namespace rondo {
namespace {

// From here on openat with O_TMPFILE fails as it does where the file system knows no such files.
void ForbidNamelessFiles() {
  constexpr uint32_t kFlag = O_TMPFILE & ~O_DIRECTORY;
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kFlag, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program = {static_cast<unsigned short>(std::size(filter)), filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    _exit(126);
  }
}

[[noreturn]] void BeTool(const std::vector<std::string>& arguments, bool nameless_files) {
  std::vector<char*> argv = {const_cast<char*>(kToolProgram)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const int null = open("/dev/null", O_RDWR);
  for (const int fd : {0, 1, 2}) dup2(null, fd);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  if (!nameless_files) ForbidNamelessFiles();
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(125);
  raise(SIGSTOP);
  execv(kToolProgram, argv.data());
  _exit(127);
}

// Whether the process, stopped at a system call, is about to catch SIGHUP.
bool NotesSignals(pid_t pid) {
  __ptrace_syscall_info info = {};
  return ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) > 0 &&
         info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == __NR_rt_sigaction &&
         info.entry.args[0] == SIGHUP && info.entry.args[1] != 0;
}

}  // namespace

bool CanTrace() {
#ifdef RONDO_EMULATED
  return false;
#else
  return RunTraced({"--version"}, {}).exit_code == 0;
#endif
}

TracedRun RunTraced(const std::vector<std::string>& arguments, const Tracing& tracing) {
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("no process");
  if (pid == 0) BeTool(arguments, tracing.nameless_files);
  TracedRun run;
  int status = 0;
  waitpid(pid, &status, 0);
  ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  bool counting = false;
  int deliver = 0;
  while (WIFSTOPPED(status)) {
    const bool at_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
    if (at_call && counting && ++run.stops == tracing.stop) {
      kill(pid, tracing.signal);
      ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
      waitpid(pid, &status, 0);
      break;
    }
    if (at_call && !counting) counting = NotesSignals(pid);
    // The trap of execve and the first stop are the tracer's; other signals go on to the tool.
    deliver = at_call || WSTOPSIG(status) == SIGTRAP || WSTOPSIG(status) == SIGSTOP
                  ? 0
                  : WSTOPSIG(status);
    ptrace(PTRACE_SYSCALL, pid, nullptr, deliver);
    if (waitpid(pid, &status, 0) < 0) throw std::runtime_error("the traced tool is gone");
  }
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) run.signal = WTERMSIG(status);
  return run;
}

}  // namespace rondo

#endif
