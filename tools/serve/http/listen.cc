#include "tools/serve/http/listen.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "tools/common/error.h"

namespace rondo::tools::serve {
namespace {

constexpr int kBacklog = 1024;

[[noreturn]] void FailAt(const std::string& address) {
  Fail("cannot listen at ", address, ": ", std::strerror(errno));
}

int NewSocket(int family, const std::string& address) {
  const int made = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) FailAt(address);
  return made;
}

// By the names of systemd's protocol: sd_listen_fds(3).
int GivenSocket() {
  const char* const pid = std::getenv("LISTEN_PID");
  const char* const count = std::getenv("LISTEN_FDS");
  if (pid == nullptr || count == nullptr || std::to_string(getpid()) != pid) return -1;
  if (std::string(count) != "1") Fail("LISTEN_FDS is ", count, ", but one socket is expected");
  constexpr int kFirst = 3;
  return kFirst;
}

std::string Address(const std::string& host, uint16_t port) {
  const bool is_v6 = host.find(':') != host.npos;
  return "http://" + (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

uint16_t PortOf(int socket) {
  sockaddr_storage name = {};
  socklen_t length = sizeof name;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&name), &length) != 0) return 0;
  const auto* const v4 = reinterpret_cast<const sockaddr_in*>(&name);
  const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(&name);
  return ntohs(name.ss_family == AF_INET6 ? v6->sin6_port : v4->sin_port);
}

Listening ListenAtPort(const std::string& host, uint16_t port) {
  addrinfo wanted = {}, *list = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  const std::string number = std::to_string(port);
  if (const int why = getaddrinfo(host.c_str(), number.c_str(), &wanted, &list); why != 0) {
    Fail("cannot listen at ", host, ": ", gai_strerror(why));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> free_list(list, freeaddrinfo);
  const std::string address = Address(host, port);
  const int made = NewSocket(list->ai_family, address);
  const int yes = 1;
  setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(made, list->ai_addr, list->ai_addrlen) != 0 || listen(made, kBacklog) != 0) {
    const int why = errno;
    close(made);
    errno = why;
    FailAt(address);
  }
  return {made, Address(host, PortOf(made))};
}

Listening ListenAtPath(const std::string& path) {
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  if (path.size() >= sizeof name.sun_path) {
    Fail("the socket's name ", path, " has ", path.size(), " bytes, at most ",
         sizeof name.sun_path - 1, " are possible");
  }
  path.copy(name.sun_path, path.size());
  const auto* const address = reinterpret_cast<const sockaddr*>(&name);
  struct stat file = {};
  if (lstat(path.c_str(), &file) == 0 && S_ISSOCK(file.st_mode)) {
    const int probe = NewSocket(AF_UNIX, path);
    const bool is_dead = connect(probe, address, sizeof name) != 0 && errno == ECONNREFUSED;
    close(probe);
    if (is_dead) unlink(path.c_str());
  }
  const int made = NewSocket(AF_UNIX, path);
  if (bind(made, address, sizeof name) != 0 || listen(made, kBacklog) != 0) {
    const int why = errno;
    close(made);
    errno = why;
    FailAt(path);
  }
  return {made, "unix:" + path};
}

}  // namespace

bool IsAddress(const std::string& host) {
  in6_addr number;  // the larger one
  if (!host.starts_with('[')) return inet_pton(AF_INET, host.c_str(), &number) == 1;
  return host.ends_with(']') &&
         inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &number) == 1;
}

Listening Listen(const ListenAt& at) {
  if (const int given = GivenSocket(); given >= 0) {
    return {given, "the socket that was given (LISTEN_FDS)"};
  }
  return at.unix_path.empty() ? ListenAtPort(at.host, at.port) : ListenAtPath(at.unix_path);
}

}  // namespace rondo::tools::serve
