// HubServer: a model hub on this machine, which can be told to misbehave.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <httplib.h>
#include <nlohmann/json.hpp>

#include "tools/pull/digest.h"

namespace rondo::tools {

inline constexpr const char* kCommit = "0123456789abcdef0123456789abcdef01234567";

inline std::string DigestOf(Digest::Kind kind, const std::string& bytes) {
  Digest digest(kind, bytes.size());
  digest.Add(bytes);
  return digest.Finish();
}

// Serves ORG/MODEL at `main`. What it is to serve is set between requests.
class HubServer {
 public:
  struct File {
    std::string bytes;
    bool large = false;  // in the store for large files
    // How it misbehaves:
    std::string sent = {};  // other bytes than those listed; empty: those
    size_t breaks_at = 0;   // the first answer ends after so many bytes; 0: whole
    size_t every = 0;       // each answer ends after so many bytes; 0: whole
    bool ignores_range = false;
    int refusals = 0;              // so many answers are status 503
    std::string retry_after = {};  // what those say of when to come again
    std::string redirect = {};     // to here in place of an answer
  };

  HubServer() {
    port_ = server_.bind_to_any_port("127.0.0.1");
    server_.Get("/api/models/org/model/revision/(main|refs/pr/1)",
                [this](const httplib::Request& request, httplib::Response& response) {
                  Note(request);
                  response.status = list_status;
                  response.set_content(list ? *list : Listing().dump(), "application/json");
                });
    server_.Get(R"(/org/model/resolve/([0-9a-f]+)/(.+))",
                [this](const httplib::Request& request, httplib::Response& response) {
                  Note(request);
                  Serve(request, response);
                });
    server_.Get("/elsewhere", [this](const httplib::Request& request, httplib::Response& response) {
      Note(request);
      response.set_content(elsewhere, "application/octet-stream");
    });
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  HubServer(const HubServer&) = delete;
  HubServer& operator=(const HubServer&) = delete;
  ~HubServer() {
    server_.stop();
    thread_.join();
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // The same server under another name: another host to whoever keeps a token for one.
  std::string other_url() const { return "http://localhost:" + std::to_string(port_); }

  nlohmann::json Listing() const {
    nlohmann::json siblings = nlohmann::json::array();
    for (const auto& [name, file] : files) {
      nlohmann::json sibling = {{"rfilename", name},
                                {"size", file.bytes.size()},
                                {"blobId", DigestOf(Digest::Kind::kGit, file.bytes)}};
      if (file.large) {
        sibling["lfs"] = {{"size", file.bytes.size()},
                          {"sha256", DigestOf(Digest::Kind::kSha256, file.bytes)}};
      }
      siblings.push_back(sibling);
    }
    return {{"sha", kCommit}, {"siblings", siblings}};
  }

  // A request of another process happens after it, which nothing but the lock tells the server's
  // threads.
  void Replace(std::map<std::string, File> all) {
    const std::lock_guard lock(mutex_);
    files = std::move(all);
  }

  std::map<std::string, File> files;
  std::optional<std::string> list;  // in place of Listing()
  int list_status = 200;
  std::string elsewhere;

  struct Seen {
    std::string path, range, authorization, host;
    std::string target;  // the path as it was sent
  };
  std::vector<Seen> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  void Note(const httplib::Request& request) {
    const std::lock_guard lock(mutex_);
    seen_.push_back({request.path, request.get_header_value("Range"),
                     request.get_header_value("Authorization"), request.get_header_value("Host"),
                     request.target});
  }

  void Serve(const httplib::Request& request, httplib::Response& response) {
    const std::lock_guard lock(mutex_);
    const auto found = files.find(request.matches[2]);
    if (request.matches[1] != kCommit || found == files.end()) {
      response.status = 404;
      return;
    }
    File& file = found->second;
    if (file.refusals > 0) {
      --file.refusals;
      response.status = 503;
      if (!file.retry_after.empty()) response.set_header("Retry-After", file.retry_after);
      return;
    }
    if (!file.redirect.empty()) {
      response.set_redirect(file.redirect);
      return;
    }
    const std::string& bytes = file.sent.empty() ? file.bytes : file.sent;
    if (file.ignores_range) const_cast<httplib::Request&>(request).ranges.clear();
    const size_t first =
        request.ranges.empty() ? 0 : static_cast<size_t>(request.ranges.front().first);
    size_t end = bytes.size();
    if (file.breaks_at > 0) end = std::exchange(file.breaks_at, 0);
    if (file.every > 0) end = std::min(end, first + file.every);
    if (end < bytes.size()) {
      response.set_content_provider(bytes.size(), "application/octet-stream",
                                    [bytes, end](size_t offset, size_t, httplib::DataSink& sink) {
                                      if (offset >= end) return false;
                                      sink.write(bytes.data() + offset, end - offset);
                                      return true;
                                    });
      return;
    }
    response.set_content(bytes, "application/octet-stream");
  }

  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
  mutable std::mutex mutex_;
  std::vector<Seen> seen_;
};

}  // namespace rondo::tools
