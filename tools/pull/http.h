// HTTP for `rondo pull`: the only code of Rondo that opens a connection, by libcurl.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace rondo::tools {

// How requests are made; the same for all of a pull.
struct HttpOptions {
  std::string token;  // sent to the hub's own host alone, never where it redirects; or empty
  long timeout_seconds = 60;  // without a byte
};

// What became of a request that a server answered.
struct HttpReply {
  long status = 0;
  std::string body;      // of Get, and of a Download that was refused: its beginning
  long retry_after = 0;  // the seconds that Retry-After says, as a number or a date; 0: none
};

// A server that cannot be reached, or breaks off: worth another try.
class ConnectionLost : public std::exception {
 public:
  struct Details {
    bool no_such_host = false;  // no address is known for the server's name
    long retry_after = 0;       // seconds that the server asks for; 0: it does not say
  };
  explicit ConnectionLost(std::string why) : ConnectionLost(std::move(why), {}) {}
  ConnectionLost(std::string why, const Details& details)
      : why_(std::move(why)), details_(details) {}
  const char* what() const noexcept override { return why_.c_str(); }
  const Details& details() const { return details_; }

 private:
  std::string why_;
  Details details_;
};

// One connection at a time, kept alive between requests. Redirects are followed, to https alone
// where the hub is reached by https. All calls throw ConnectionLost, Error (what the server sent
// breaks the rules of HTTP, or is too large) or Interrupted.
class HttpClient {
 public:
  explicit HttpClient(const HttpOptions& options);
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient();

  // At most `most` bytes.
  HttpReply Get(const std::string& url, uint64_t most);

  // Bytes [from, size) of a file of `size`. `begin` is told where they begin before the first ones
  // come: `from`, or 0 where the server sends all of it anew. Status 200 or 206: all was handed to
  // `sink`, as many as were asked for. Any other: nothing was.
  HttpReply Download(const std::string& url, uint64_t from, uint64_t size,
                     const std::function<void(uint64_t from)>& begin,
                     const std::function<void(std::string_view bytes)>& sink);

 private:
  struct Transfer;
  HttpReply Run(const std::string& url, Transfer& transfer);

  const HttpOptions options_;
  void* handle_;
};

}  // namespace rondo::tools
