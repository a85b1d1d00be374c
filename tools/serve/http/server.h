// HttpServer: sockets, on one thread. The one place that knows the library that speaks HTTP.
//
// libmicrohttpd serves, because with it one thread has all connections, each in memory of a size
// that is said beforehand; what has nothing to send is suspended and takes no time. It does not
// look whether a suspended connection is still there: this polls for that.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tools/serve/http/exchange.h"
#include "tools/serve/http/listen.h"

namespace rondo::tools::serve {

struct HttpLimits {
  unsigned connections = 1024;              // at once; a few more hear that there are too many
  size_t body_bytes = size_t{32} << 20;     // of one request
  size_t bodies_bytes = size_t{256} << 20;  // of all that are there
  size_t header_bytes = size_t{32} << 10;   // of a connection's memory, in which headers are
  unsigned request_seconds =
      30;  // for a whole request, from the connection's begin or the last reply
  unsigned stall_seconds = 60;  // that a client may leave what it is sent lying
  unsigned ping_seconds = 15;   // of silence, for which a stream has a sign of life
};

// What the server has at the moment.
struct HttpLoad {
  bool is_full = false;  // there are as many connections, or bytes of bodies, as may be
  size_t connections = 0;
};

class HttpServer {
 public:
  // All are called on the I/O thread, and come back quickly.
  struct Handlers {
    // A request whose headers are there: nothing, or a reply in place of its body's being read.
    std::function<std::unique_ptr<Reply>(const Request&, const HttpLoad&)> admit;
    // The reply to one that has a longer body than may be.
    std::function<Reply(const Request&)> too_long;
    // A whole request: who answers the exchange keeps it.
    std::function<void(const std::shared_ptr<Exchange>&)> handle;
  };

  // Listens; throws Error where it cannot.
  HttpServer(const ListenAt& at, const HttpLimits& limits, Handlers handlers);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  // Where it listens: "http://127.0.0.1:8080".
  const std::string& address() const;

  // Serves on this thread, until `goes_on` is false, which is asked several times a second.
  void Run(const std::function<bool()>& goes_on);
  // No connection is taken any more; those that are there go on.
  void Close();
  size_t open_exchanges() const;  // whole requests that are not answered to the end

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rondo::tools::serve
