// The socket that a server listens at.
#pragma once

#include <cstdint>
#include <string>

namespace rondo::tools::serve {

struct ListenAt {
  std::string host = "127.0.0.1";
  uint16_t port = 8080;   // 0: one that is free
  std::string unix_path;  // not empty: in place of host and port
};

struct Listening {
  int socket = -1;
  std::string address;  // "http://127.0.0.1:8080", "unix:/run/rondo.sock"
};

// A host, as requests name it, that is a number ("[::1]") and no name.
bool IsAddress(const std::string& host);

// One that the system's manager opened for this process (LISTEN_FDS) goes before `at`. Throws
// Error. A socket file that nobody listens at any more is replaced.
Listening Listen(const ListenAt& at);

}  // namespace rondo::tools::serve
