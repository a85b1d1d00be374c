#include "tools/serve/http/server.h"

#include <microhttpd.h>
#include <poll.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <vector>

#include "tools/common/error.h"

namespace rondo::tools::serve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kSpareConnections =
    64;                                // of which health checks live where all others are taken
constexpr int kLookMilliseconds = 50;  // at what no event tells

// Numbers of exchanges that have something to send; any thread adds one.
class WakeList {
 public:
  WakeList() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (event_ < 0) throw Error("the system gives no event to wait for");
  }
  WakeList(const WakeList&) = delete;
  WakeList& operator=(const WakeList&) = delete;
  ~WakeList() { close(event_); }

  int descriptor() const { return event_; }
  void Add(uint64_t number) {
    const std::lock_guard lock(mutex_);
    numbers_.push_back(number);
    if (numbers_.size() > 1) return;  // the event tells of all
    const uint64_t one = 1;
    [[maybe_unused]] const auto written = write(event_, &one, sizeof one);
  }
  std::vector<uint64_t> TakeAll() {
    const std::lock_guard lock(mutex_);
    uint64_t count = 0;
    [[maybe_unused]] const auto got = read(event_, &count, sizeof count);
    return std::exchange(numbers_, {});
  }

 private:
  const int event_;
  std::mutex mutex_;
  std::vector<uint64_t> numbers_;
};

std::string HeaderOf(MHD_Connection* connection, const char* name) {
  const char* const value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? "" : value;
}

// Headers that say where the body ends.
int CountLengths(MHD_Connection* connection) {
  int count = 0;
  const auto look = [](void* user, MHD_ValueKind, const char* name, const char*) {
    const auto is = [name](const char* other) { return strcasecmp(name, other) == 0; };
    if (is(MHD_HTTP_HEADER_CONTENT_LENGTH) || is(MHD_HTTP_HEADER_TRANSFER_ENCODING)) {
      ++*static_cast<int*>(user);
    }
    return MHD_YES;
  };
  MHD_get_connection_values(connection, MHD_HEADER_KIND, look, &count);
  return count;
}

int SocketOf(MHD_Connection* connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

MHD_Result Queue(MHD_Connection* connection, const Reply& reply, MHD_Response* response) {
  if (response == nullptr) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply.type.c_str());
  MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  for (const Header& header : reply.headers) {
    MHD_add_response_header(response, header.name.c_str(), header.value.c_str());
  }
  const MHD_Result queued =
      MHD_queue_response(connection, static_cast<unsigned>(reply.status), response);
  MHD_destroy_response(response);
  return queued;
}

MHD_Result QueueWhole(MHD_Connection* connection, const Reply& reply) {
  return Queue(connection, reply,
               MHD_create_response_from_buffer(
                   reply.body.size(), const_cast<char*>(reply.body.data()), MHD_RESPMEM_MUST_COPY));
}

}  // namespace

struct HttpServer::Parts {
  // A connection, which takes one request after the other.
  struct Connection {
    int socket = -1;
    Clock::time_point since;  // it has waited for a whole request
    bool is_asking = true;    // it has not sent a whole one yet
  };
  // A request of it.
  struct Call {
    Parts* parts;
    MHD_Connection* connection;
    uint64_t number;
    Request request;
    size_t body_bytes = 0;
    bool is_refused = false;  // it has its reply; the body is not looked at
    bool is_suspended = false;
    std::shared_ptr<Exchange> exchange;  // once it is whole
  };

  Parts(const ListenAt& at, const HttpLimits& its_limits, Handlers its_handlers)
      : limits(its_limits), handlers(std::move(its_handlers)), listening(Listen(at)) {
    const unsigned most = limits.connections + kSpareConnections;
    daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr,
                              &Parts::Access, this, MHD_OPTION_LISTEN_SOCKET, listening.socket,
                              MHD_OPTION_CONNECTION_LIMIT, most, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                              limits.header_bytes, MHD_OPTION_STRICT_FOR_CLIENT, 1,
                              MHD_OPTION_CONNECTION_TIMEOUT, limits.stall_seconds,
                              MHD_OPTION_NOTIFY_CONNECTION, &Parts::Connected, this,
                              MHD_OPTION_NOTIFY_COMPLETED, &Parts::Completed, this, MHD_OPTION_END);
    if (daemon == nullptr) Fail("cannot serve at ", listening.address);
    events = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
  }
  ~Parts() {
    for (auto& [number, call] : calls) {  // the library is stopped without suspended connections
      if (call->exchange) call->exchange->CutOff();
      Resume(call);
    }
    MHD_run(daemon);
    MHD_stop_daemon(daemon);
  }

  static void Connected(void* self, MHD_Connection* connection, void**,
                        MHD_ConnectionNotificationCode code) {
    auto* const parts = static_cast<Parts*>(self);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
      parts->connections[connection] = {SocketOf(connection), Clock::now(), true};
    } else {
      parts->connections.erase(connection);
    }
  }

  static MHD_Result Access(void* self, MHD_Connection* connection, const char* path,
                           const char* method, const char*, const char* data, size_t* bytes,
                           void** context) {
    try {
      auto* const parts = static_cast<Parts*>(self);
      if (*context == nullptr) return parts->Begin(connection, path, method, context);
      auto* const call = static_cast<Call*>(*context);
      if (*bytes == 0) return call->is_refused ? MHD_YES : parts->GoOn(call);
      if (!parts->MayGrow(*call, *bytes)) return MHD_NO;  // its length was not told
      call->request.body.append(data, *bytes);
      call->body_bytes += *bytes;
      parts->bodies += *bytes;
      *bytes = 0;
      return MHD_YES;
    } catch (const std::exception&) {  // no memory: the connection is closed
      return MHD_NO;
    }
  }

  // A request's headers are there.
  MHD_Result Begin(MHD_Connection* connection, const char* path, const char* method,
                   void** context) {
    if (CountLengths(connection) > 1) return MHD_NO;  // a proxy may see the body's end elsewhere
    auto call = std::make_unique<Call>();
    call->parts = this;
    call->connection = connection;
    call->number = ++last_number;
    Request& request = call->request;
    request.method = method;
    request.path = path;
    request.host = HeaderOf(connection, MHD_HTTP_HEADER_HOST);
    request.authorization = HeaderOf(connection, MHD_HTTP_HEADER_AUTHORIZATION);
    request.api_key = HeaderOf(connection, "x-api-key");
    request.content_type = HeaderOf(connection, MHD_HTTP_HEADER_CONTENT_TYPE);
    std::unique_ptr<Reply> refusal = handlers.admit(request, Load());
    if (refusal == nullptr && IsTooLong(connection)) {
      refusal = std::make_unique<Reply>(handlers.too_long(request));
    }
    call->is_refused = refusal != nullptr;
    calls[call->number] = call.get();
    *context = call.get();
    const Call* const kept = call.release();
    return kept->is_refused ? QueueWhole(connection, *refusal) : MHD_YES;
  }

  bool MayGrow(const Call& call, size_t bytes) const {
    return bytes <= limits.body_bytes - std::min(call.body_bytes, limits.body_bytes) &&
           bytes <= limits.bodies_bytes - std::min(bodies, limits.bodies_bytes);
  }

  bool IsTooLong(MHD_Connection* connection) const {
    const std::string length = HeaderOf(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return length.size() > 15 ||
           (!length.empty() && std::strtoull(length.c_str(), nullptr, 10) > limits.body_bytes);
  }

  // The request is whole, or its connection was resumed.
  MHD_Result GoOn(Call* call) {
    if (call->exchange == nullptr) {
      if (const auto found = connections.find(call->connection); found != connections.end()) {
        found->second.is_asking = false;
      }
      call->request.time = std::chrono::duration_cast<std::chrono::seconds>(
                               std::chrono::system_clock::now().time_since_epoch())
                               .count();
      call->request.id_seed = uint64_t{random()} << 32 | random();
      call->exchange = std::make_shared<Exchange>(
          std::move(call->request), [list = wakes, number = call->number] { list->Add(number); });
      handlers.handle(call->exchange);
    }
    switch (call->exchange->stage()) {
      case Exchange::Stage::kAnswered:
        return QueueWhole(call->connection, call->exchange->reply());
      case Exchange::Stage::kStreams:
        return Queue(call->connection, call->exchange->reply(),
                     MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kPieceBytes, &Parts::Read,
                                                       call, nullptr));
      case Exchange::Stage::kWaiting:
        if (call->exchange->gone()) return MHD_NO;
        Suspend(call);
        return MHD_YES;
    }
    return MHD_NO;
  }

  static ssize_t Read(void* self, uint64_t, char* to, size_t most) {
    auto* const call = static_cast<Call*>(self);
    const std::ptrdiff_t got = call->exchange->Take(to, most);
    if (got > 0) return got;
    if (got == -1) return MHD_CONTENT_READER_END_OF_STREAM;
    if (got == -2 || call->exchange->gone()) return MHD_CONTENT_READER_END_WITH_ERROR;
    call->parts->Suspend(call);
    return 0;
  }

  static void Completed(void* self, MHD_Connection* connection, void** context,
                        MHD_RequestTerminationCode code) {
    auto* const parts = static_cast<Parts*>(self);
    const std::unique_ptr<Call> call(static_cast<Call*>(*context));
    *context = nullptr;
    if (call == nullptr) return;
    parts->calls.erase(call->number);
    parts->bodies -= call->body_bytes;
    if (call->exchange && code != MHD_REQUEST_TERMINATED_COMPLETED_OK) call->exchange->SetGone();
    if (const auto found = parts->connections.find(connection); found != parts->connections.end()) {
      found->second.since = Clock::now();
      found->second.is_asking = true;
    }
  }

  void Suspend(Call* call) {
    call->is_suspended = true;
    MHD_suspend_connection(call->connection);
  }
  void Resume(Call* call) {
    if (!std::exchange(call->is_suspended, false)) return;
    MHD_resume_connection(call->connection);
  }

  // Waits for sockets, for who answers, or a moment.
  void Wait() {
    std::vector<pollfd> polled = {{events, POLLIN, 0}, {wakes->descriptor(), POLLIN, 0}};
    std::vector<uint64_t> numbers;
    for (const auto& [number, call] : calls) {
      if (call->exchange == nullptr || call->exchange->gone()) continue;
      polled.push_back({SocketOf(call->connection), POLLRDHUP, 0});
      numbers.push_back(number);
    }
    MHD_UNSIGNED_LONG_LONG timer = 0;
    int milliseconds = kLookMilliseconds;
    if (MHD_get_timeout(daemon, &timer) == MHD_YES) {
      milliseconds = static_cast<int>(std::min<uint64_t>(timer, kLookMilliseconds));
    }
    poll(polled.data(), polled.size(), milliseconds);
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (polled[i + 2].revents != 0) Leave(numbers[i]);
    }
    for (const uint64_t number : wakes->TakeAll()) {
      if (const auto found = calls.find(number); found != calls.end()) Resume(found->second);
    }
  }

  // The client has gone, or will not read what comes.
  void Leave(uint64_t number) {
    Call* const call = calls.at(number);
    call->exchange->SetGone();
    shutdown(SocketOf(call->connection), SHUT_RDWR);
    Resume(call);
  }

  // A request must come whole within its time, however busily it dribbles; and of one whose client
  // has gone nothing more comes, of which the library is not always told.
  void EndSlowRequests() {
    const Clock::time_point before = Clock::now() - std::chrono::seconds(limits.request_seconds);
    std::vector<pollfd> asking;
    for (const auto& [connection, its] : connections) {
      if (!its.is_asking) continue;
      if (its.since < before) {
        shutdown(its.socket, SHUT_RDWR);
      } else {
        asking.push_back({its.socket, POLLRDHUP, 0});
      }
    }
    poll(asking.data(), asking.size(), 0);
    for (const pollfd& one : asking) {
      int unread = 0;
      if (one.revents == 0 || ioctl(one.fd, FIONREAD, &unread) != 0 || unread > 0) continue;
      shutdown(one.fd, SHUT_RDWR);
    }
  }

  void PingSilentStreams() {
    const Clock::time_point before = Clock::now() - std::chrono::seconds(limits.ping_seconds);
    for (const auto& [number, call] : calls) {
      if (call->exchange) call->exchange->Ping(before);
    }
  }

  HttpLoad Load() const {
    const bool is_full =
        connections.size() > limits.connections || bodies > limits.bodies_bytes - limits.body_bytes;
    return {is_full, connections.size()};
  }

  static constexpr size_t kPieceBytes = 16384;

  const HttpLimits limits;
  const Handlers handlers;
  const Listening listening;
  const std::shared_ptr<WakeList> wakes = std::make_shared<WakeList>();
  MHD_Daemon* daemon = nullptr;
  int events = -1;
  std::map<MHD_Connection*, Connection> connections;
  std::map<uint64_t, Call*> calls;  // the library's contexts own them
  uint64_t last_number = 0;
  std::random_device random;
  size_t bodies = 0;  // bytes
};

HttpServer::HttpServer(const ListenAt& at, const HttpLimits& limits, Handlers handlers)
    : parts_(std::make_unique<Parts>(at, limits, std::move(handlers))) {}

HttpServer::~HttpServer() = default;

const std::string& HttpServer::address() const { return parts_->listening.address; }

void HttpServer::Run(const std::function<bool()>& goes_on) {
  for (Clock::time_point next_look = Clock::now(); goes_on();) {
    MHD_run(parts_->daemon);
    parts_->Wait();
    const Clock::time_point now = Clock::now();
    if (now < next_look) continue;
    next_look = now + std::chrono::milliseconds(kLookMilliseconds);
    parts_->EndSlowRequests();
    parts_->PingSilentStreams();
  }
}

void HttpServer::Close() { MHD_quiesce_daemon(parts_->daemon); }

size_t HttpServer::open_exchanges() const {
  const auto is_whole = [](const auto& entry) { return entry.second->exchange != nullptr; };
  return static_cast<size_t>(std::count_if(parts_->calls.begin(), parts_->calls.end(), is_whole));
}

}  // namespace rondo::tools::serve
