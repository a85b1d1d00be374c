// What becomes of connections on which nothing happens.
#include "tools/serve/http/server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <future>
#include <thread>

#include "tools/system/files.h"

namespace rondo::tools::serve {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Clock = std::chrono::steady_clock;

constexpr seconds kPatience(60);

// On a thread of its own. The test answers its one request.
class TestServer {
 public:
  explicit TestServer(const HttpLimits& limits)
      : server_(
            {"127.0.0.1", 0, ""}, limits,
            {[](const Request&, const HttpLoad&) { return std::unique_ptr<Reply>(); },
             [](const Request&) { return Reply(); },
             [this](const std::shared_ptr<Exchange>& exchange) { asked_.set_value(exchange); }}),
        thread_([this] { server_.Run([this] { return goes_on_.load(); }); }) {}
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;
  ~TestServer() {
    goes_on_ = false;
    thread_.join();
  }

  uint16_t port() const {
    const std::string& address = server_.address();
    return static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  }
  std::shared_ptr<Exchange> Asked() { return asked_.get_future().get(); }

 private:
  std::promise<std::shared_ptr<Exchange>> asked_;
  HttpServer server_;
  std::atomic<bool> goes_on_ = true;
  std::thread thread_;
};

// Asks at once.
class Client {
 public:
  explicit Client(const TestServer& server) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const int little = 4096;
    setsockopt(socket_.number(), SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
    sockaddr_in name = {};
    name.sin_family = AF_INET;
    name.sin_port = htons(server.port());
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_.number(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
    constexpr std::string_view kAsked = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    EXPECT_EQ(send(socket_.number(), kAsked.data(), kAsked.size(), 0), ssize_t{kAsked.size()});
  }

  // All that comes until it has `text`, or to the end.
  const std::string& ReadTo(std::string_view text) {
    char piece[1000];
    while (got_.find(text) == got_.npos) {
      const ssize_t count = recv(socket_.number(), piece, sizeof piece, 0);
      if (count <= 0) break;
      got_.append(piece, static_cast<size_t>(count));
    }
    return got_;
  }

 private:
  const Descriptor socket_;
  std::string got_;
};

TEST(ServerTest, CutsAClientThatReadsNothing) {
  HttpLimits limits;
  limits.stall_seconds = 1;
  TestServer server(limits);
  const Client client(server);
  const std::shared_ptr<Exchange> exchange = server.Asked();
  exchange->Begin();
  const std::string piece(1000, 'x');
  Clock::time_point last_room = Clock::now();
  while (!exchange->gone()) {
    if (exchange->has_room()) {
      exchange->Write(piece);
      last_room = Clock::now();
    } else {
      std::this_thread::sleep_for(milliseconds(1));
    }
    ASSERT_LT(Clock::now() - last_room, kPatience);
  }
  EXPECT_GE(Clock::now() - last_room, milliseconds(500));
}

constexpr std::string_view kPing = ": ping\n\n";

HttpLimits PingsEachSecond() {
  HttpLimits limits;
  limits.ping_seconds = 1;
  return limits;
}

TEST(ServerTest, PingsAStreamThatWasPromised) {
  TestServer server(PingsEachSecond());
  Client client(server);
  const std::shared_ptr<Exchange> exchange = server.Asked();
  const Clock::time_point begin = Clock::now();
  exchange->Promise({200, "text/event-stream", "", {}}, std::string(kPing));
  EXPECT_THAT(client.ReadTo(kPing), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("event-stream")));
  EXPECT_GE(Clock::now() - begin, milliseconds(900));
  EXPECT_FALSE(exchange->Answer({500, "application/json", "{}", {}})) << "it has begun";
  exchange->Begin();  // of no account now
  const Clock::time_point written = Clock::now();
  exchange->Write("data: 1\n\n");
  client.ReadTo("data: 1\n\n\r\n8\r\n: ping\n\n");
  EXPECT_GE(Clock::now() - written, milliseconds(900));
  exchange->Write("data: 2\n\n");
  exchange->End();
  EXPECT_THAT(client.ReadTo("0\r\n\r\n"), HasSubstr(": ping\n\n\r\n9\r\ndata: 2\n\n"));
}

TEST(ServerTest, PingsNobodyElse) {
  TestServer server(PingsEachSecond());
  Client client(server);
  const std::shared_ptr<Exchange> exchange = server.Asked();
  std::this_thread::sleep_for(milliseconds(2500));
  EXPECT_TRUE(exchange->Answer({200, "application/json", "{}", {}}));
  EXPECT_THAT(client.ReadTo("{}"), Not(HasSubstr("ping")));
}

}  // namespace
}  // namespace rondo::tools::serve
