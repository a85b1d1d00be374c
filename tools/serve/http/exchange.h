// Exchange: one HTTP request and its reply, between the thread that has the sockets and those that
// answer.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::tools::serve {

struct Header {
  std::string name, value;
};

struct Request {
  std::string method, path;
  std::string body;
  std::string host, authorization, api_key, content_type;  // headers; may be empty
  int64_t time = 0;      // when it came, in seconds of Unix's clock
  uint64_t id_seed = 0;  // of the ids in its reply
};

struct Reply {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<Header> headers;
};

class Exchange {
 public:
  using Clock = std::chrono::steady_clock;

  // Bytes of a stream that wait for the client, beside the piece that makes them so many.
  static constexpr size_t kMostWaiting = size_t{64} << 10;

  // `wake` tells the I/O thread that there is something to send; any thread calls it.
  Exchange(Request request, std::function<void()> wake)
      : request_(std::move(request)), wake_(std::move(wake)) {}

  const Request& request() const { return request_; }
  // Its body, once: what was read need not stay.
  std::string TakeBody() { return std::move(request_.body); }

  // ---- Whoever answers; any thread, one at a time ----------------------------------------------
  // The whole reply, once. False: one in pieces has begun.
  bool Answer(Reply reply);
  // Or one in pieces: Promise, Begin, Write until there is no room or nothing more, End. What is
  // written to a client that has gone goes nowhere. Whenever a promised one is silent for a while
  // `ping` is written to it, and begins it, so that nobody on the way takes it for dead.
  void Promise(Reply reply, std::string ping);
  void Begin();
  void Write(std::string_view bytes);
  void End();
  // False: the client reads more slowly than it is written to.
  bool has_room() const { return waiting_.load() < kMostWaiting; }
  // `call` is called once, beside those of before, on the I/O thread, when the client has gone
  // before the end, or at once where it has.
  void OnGone(std::function<void()> call);
  bool gone() const { return gone_.load(); }
  // What was begun is broken off: the client sees that it is not whole.
  void CutOff();
  // `call` is told the status when there is a reply.
  void OnAnswer(std::function<void(int)> call) { on_answer_ = std::move(call); }

  // ---- The I/O thread ---------------------------------------------------------------------------
  enum class Stage { kWaiting, kAnswered, kStreams };
  Stage stage() const;
  const Reply& reply() const { return reply_; }
  // As many bytes as there are and fit: 0: none yet; -1: the end; -2: broken off.
  std::ptrdiff_t Take(char* to, size_t most);
  // Where something was promised, and nothing written since `before`.
  void Ping(Clock::time_point before);
  void SetGone();

 private:
  bool Set(Stage stage, Reply reply);

  Request request_;
  const std::function<void()> wake_;
  mutable std::mutex mutex_;
  Stage stage_ = Stage::kWaiting;
  Reply reply_, promised_;
  std::string ping_;   // empty: nothing was promised
  std::string bytes_;  // not taken yet
  Clock::time_point written_ = Clock::now();
  bool over_ = false, cut_ = false;
  std::vector<std::function<void()>> on_gone_;
  std::function<void(int)> on_answer_;
  std::atomic<size_t> waiting_ = 0;  // bytes_.size()
  std::atomic<bool> gone_ = false;
};

}  // namespace rondo::tools::serve
