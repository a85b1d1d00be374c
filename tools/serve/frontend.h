// Frontend: requests to those who answer them, and what holds for all: keys, hosts, limits.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/serve/handler.h"
#include "tools/serve/http/server.h"
#include "tools/serve/workers.h"

namespace rondo::tools::serve {

// Who is told of replies from 400 on. [any thread]
using RefusedTold = void (*)(const std::string& path, int status);

struct FrontendOptions {
  std::vector<std::string> keys;   // of which a request has one; empty: none is asked for
  std::vector<std::string> hosts;  // names by which it may be called, beside those of this machine
  bool vllm_metrics = false;
  RefusedTold refused = nullptr;
};

class Frontend {
 public:
  Frontend(const Service& service, Workers* workers, FrontendOptions options);

  HttpServer::Handlers Handlers();
  // From here on it is not ready: nothing new is begun.
  void Drain() { draining_ = true; }

 private:
  std::unique_ptr<Reply> Admit(const Request& request, const HttpLoad& load);
  void Handle(const std::shared_ptr<Exchange>& exchange);
  bool HasKey(const Request& request) const;
  bool IsAllowedHost(const std::string& host) const;
  Reply AnswerAtOnce(const std::string& path) const;
  Reply ModelsReply() const;
  Reply ModelReply(const std::string& name) const;
  Reply MetricsReply() const;

  const Service service_;
  Workers* const workers_;
  const FrontendOptions options_;
  std::atomic<bool> draining_ = false;
  std::atomic<size_t> connections_ = 0;
};

}  // namespace rondo::tools::serve
