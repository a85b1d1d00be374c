#include "tools/serve/frontend.h"

#include <algorithm>
#include <iterator>

#include "tools/serve/http/listen.h"
#include "tools/serve/openai/usage.h"
#include "tools/serve/page/page.h"

namespace rondo::tools::serve {
namespace {

struct Route {
  std::string_view path;
  Handler handler;
};

constexpr Route kPosts[] = {
    {"/v1/chat/completions", ChatCompletions},
    {"/v1/completions", Completions},
    {"/v1/embeddings", Embeddings},
    {"/v1/rerank", Rerank},
    {"/v1/score", Score},
    {"/v1/responses", Responses},
    {"/v1/responses/input_tokens", CountResponseTokens},
    {"/v1/messages", Messages},
    {"/v1/messages/count_tokens", CountMessageTokens},
    {"/tokenize", TokenizeText},
    {"/detokenize", DetokenizeIds},
    {"/apply-template", ApplyTemplate},
};

constexpr std::string_view kGets[] = {"/",        "/health",  "/ready",
                                      "/version", "/metrics", "/v1/models"};
constexpr std::string_view kOneModel = "/v1/models/";

bool IsPage(const std::string& path) { return FindPage(path) != nullptr; }

bool IsGet(const std::string& path) {
  return IsPage(path) || path.starts_with(kOneModel) ||
         std::find(std::begin(kGets), std::end(kGets), path) != std::end(kGets);
}

// The path as it is known here: without /v1 it is found, too, as clients' base addresses differ.
std::string Known(const std::string& path) {
  const std::string whole = "/v1" + path;
  return FindHandler(whole) != nullptr || IsGet(whole) ? whole : path;
}

// Health is anybody's to ask for, and the page has nothing that is anybody's.
bool NeedsNoKey(const std::string& path) {
  return path == "/health" || path == "/ready" || IsPage(path);
}

// Whatever the case of its letters, as names of HTTP are read.
bool BeginsWith(std::string_view text, std::string_view begin) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return text.size() >= begin.size() &&
         std::equal(begin.begin(), begin.end(), text.begin(),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

// In a time that does not tell where they differ.
bool AreEqual(std::string_view a, std::string_view b) {
  unsigned char different = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size(); ++i) {
    different |= static_cast<unsigned char>(a[i] ^ (b.empty() ? 0 : b[i % b.size()]));
  }
  return different == 0;
}

void Count(Metrics& metrics, RefusedTold refused, const std::string& path, int status) {
  metrics.CountReply(path, status);
  if (status >= 400 && refused != nullptr) refused(path, status);
}

Reply JsonReply(const Json& body, int status = 200) {
  Reply reply;
  reply.status = status;
  reply.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  return reply;
}

}  // namespace

Handler FindHandler(const std::string& path) {
  const auto* const found = std::find_if(std::begin(kPosts), std::end(kPosts),
                                         [&](const Route& route) { return route.path == path; });
  return found == std::end(kPosts) ? nullptr : found->handler;
}

void AnswerJson(Exchange* exchange, const Json& body) { exchange->Answer(JsonReply(body)); }

void Run(Handler handler, const Service& service, const std::shared_ptr<Exchange>& exchange) {
  if (exchange->gone()) return;
  try {
    handler(service, exchange);
  } catch (const ApiError& error) {
    exchange->Answer(ErrorReply(error));
  } catch (const std::exception& error) {
    exchange->Answer(ErrorReply(ApiError(500, error.what())));
  }
}

void Start(const Service& service, std::vector<std::unique_ptr<Generation>> generations) {
  if (service.stepper.Add(std::move(generations))) return;
  throw ApiError(429, "as many requests wait as may", "", "queue_full").RetryAfter(1);
}

void Start(const Service& service, std::unique_ptr<Generation> generation) {
  std::vector<std::unique_ptr<Generation>> one;
  one.push_back(std::move(generation));
  Start(service, std::move(one));
}

Frontend::Frontend(const Service& service, Workers* workers, FrontendOptions options)
    : service_(service), workers_(workers), options_(std::move(options)) {}

HttpServer::Handlers Frontend::Handlers() {
  return {[this](const Request& request, const HttpLoad& load) { return Admit(request, load); },
          [](const Request&) {
            return ErrorReply(ApiError(413, "the body is longer than may be", "", "body_too_long"));
          },
          [this](const std::shared_ptr<Exchange>& exchange) { Handle(exchange); }};
}

bool Frontend::HasKey(const Request& request) const {
  if (options_.keys.empty()) return true;
  constexpr std::string_view kBearer = "bearer ";
  const std::string& said = request.authorization;
  const std::string given =
      BeginsWith(said, kBearer) ? said.substr(kBearer.size()) : request.api_key;
  bool found = false;
  for (const std::string& key : options_.keys) found = AreEqual(given, key) || found;
  return found;
}

// A page of a stranger, whose name leads here, shall not speak with this server: what the browser
// asked for is not a name of this machine (DNS rebinding). An address leads nowhere else.
bool Frontend::IsAllowedHost(const std::string& host) const {
  if (host.empty()) return true;
  std::string name = host;
  const size_t colon = name.rfind(':');
  if (colon != name.npos && name.find(']', colon) == name.npos) name.resize(colon);
  const auto is_its = [&name](std::string_view one) {
    return one.size() == name.size() && BeginsWith(name, one);
  };
  return is_its("localhost") || IsAddress(name) ||
         std::any_of(options_.hosts.begin(), options_.hosts.end(), is_its);
}

std::unique_ptr<Reply> Frontend::Admit(const Request& request, const HttpLoad& load) {
  connections_ = load.connections;
  const std::string path = Known(request.path);
  const auto refuse = [&](const ApiError& error, Header header = {}) {
    auto reply = std::make_unique<Reply>(ErrorReply(error));
    if (!header.name.empty()) reply->headers.push_back(std::move(header));
    Count(service_.metrics, options_.refused,
          IsGet(path) || FindHandler(path) != nullptr ? path : "other", reply->status);
    return reply;
  };
  if (!IsAllowedHost(request.host)) {
    return refuse(ApiError(
        403,
        "the Host " + request.host + " is no name of this server: start it with --host-name NAME",
        "", "host_not_allowed"));
  }
  const bool is_post = FindHandler(path) != nullptr, is_get = IsGet(path);
  if (!is_post && !is_get) {
    return refuse(ApiError(404, "there is nothing at " + path, "", "path_not_found"));
  }
  if (!NeedsNoKey(path) && !HasKey(request)) {
    const bool has_any = !request.authorization.empty() || !request.api_key.empty();
    return refuse(ApiError(
        401,
        has_any ? "the key is none of this server's" : "a key is needed: Authorization: Bearer KEY",
        "", "invalid_api_key"));
  }
  const bool is_method =
      is_post ? request.method == "POST" : request.method == "GET" || request.method == "HEAD";
  if (!is_method) {
    return refuse(
        ApiError(405, path + " takes " + (is_post ? "POST" : "GET") + ", not " + request.method, "",
                 "method_not_allowed"),
        {"Allow", is_post ? "POST" : "GET, HEAD"});
  }
  if (!is_post) return nullptr;
  // Forms and plain texts are what a stranger's page may send without asking.
  if (!BeginsWith(request.content_type, "application/json")) {
    return refuse(
        ApiError(415,
                 "the body must be of the Content-Type application/json (curl: -H 'Content-Type: "
                 "application/json')",
                 "", "content_type"));
  }
  if (draining_) {
    return refuse(ApiError(503, "the server is going down", "", "shutting_down").RetryAfter(5));
  }
  if (load.is_full) {
    return refuse(ApiError(429, "there are as many connections, or bytes of requests, as may be",
                           "", "too_busy")
                      .RetryAfter(1));
  }
  return nullptr;
}

void Frontend::Handle(const std::shared_ptr<Exchange>& exchange) {
  const std::string path = Known(exchange->request().path);
  const std::string counted = path.starts_with(kOneModel) ? std::string(kOneModel) : path;
  // Exchanges outlive this, as what is broken off at the end is answered then.
  exchange->OnAnswer([&metrics = service_.metrics, refused = options_.refused,
                      counted](int status) { Count(metrics, refused, counted, status); });
  const Handler handler = FindHandler(path);
  if (handler == nullptr) {
    exchange->Answer(AnswerAtOnce(path));
    return;
  }
  // It outlives this.
  const auto work = [service = service_, exchange, handler] { Run(handler, service, exchange); };
  if (workers_->Add(work)) return;
  exchange->Answer(
      ErrorReply(ApiError(429, "as many requests wait as may", "", "queue_full").RetryAfter(1)));
}

Reply Frontend::AnswerAtOnce(const std::string& path) const {
  try {
    if (path == "/health") return JsonReply({{"status", "ok"}});
    if (path == "/ready") {
      return draining_ ? JsonReply({{"status", "draining"}}, 503)
                       : JsonReply({{"status", "ready"}});
    }
    if (path == "/version") {
      return JsonReply({{"version", rondo_version_string()}, {"abi", rondo_abi_version()}});
    }
    if (path == "/metrics") return MetricsReply();
    if (path == "/v1/models") return ModelsReply();
    if (path.starts_with(kOneModel)) return ModelReply(path.substr(kOneModel.size()));
    if (const Page* const page = FindPage(path)) {
      Reply reply;
      reply.type = page->type;
      reply.body = page->text;
      reply.headers.push_back(
          {"Content-Security-Policy",
           "default-src 'self'; img-src 'self' blob: data:; frame-ancestors 'none'"});
      return reply;
    }
    return ErrorReply(ApiError(404, "there is nothing at " + path, "", "path_not_found"));
  } catch (const ApiError& error) {
    return ErrorReply(error);
  }
}

namespace {

Json ModelJson(const ModelCard& card, const std::string& name, bool is_adapter, bool is_loaded) {
  const char* const kind = card.kind == ModelKind::kPredicts ? "generate"
                           : card.kind == ModelKind::kEmbeds ? "embed"
                                                             : "score";
  Json json = {{"id", name},
               {"object", "model"},
               {"created", 0},
               {"owned_by", "rondo"},
               {"max_model_len", card.context},
               {"task", kind},
               {"modalities", card.sees ? Json{"text", "image"} : Json::array({"text"})},
               {"has_chat", card.has_chat},
               {"arena_bytes", card.bytes},
               {"sessions", card.wish.sessions},
               {"loaded", is_loaded}};
  if (is_adapter) json["parent"] = card.wish.name;
  return json;
}

}  // namespace

Reply Frontend::ModelsReply() const {
  Json data = Json::array();
  const std::vector<ModelCard>& cards = service_.models.cards();
  for (size_t i = 0; i < cards.size(); ++i) {
    const bool is_loaded = service_.models.IsLoaded(i);
    data.push_back(ModelJson(cards[i], cards[i].wish.name, false, is_loaded));
    for (const AdapterWish& one : cards[i].wish.adapters) {
      data.push_back(ModelJson(cards[i], one.name, true, is_loaded));
    }
  }
  return JsonReply({{"object", "list"}, {"data", std::move(data)}});
}

Reply Frontend::ModelReply(const std::string& name) const {
  const std::vector<ModelCard>& cards = service_.models.cards();
  for (size_t i = 0; i < cards.size(); ++i) {
    const auto& adapters = cards[i].wish.adapters;
    const bool is_adapter = std::any_of(adapters.begin(), adapters.end(),
                                        [&](const AdapterWish& one) { return one.name == name; });
    if (cards[i].wish.name != name && !is_adapter) continue;
    return JsonReply(ModelJson(cards[i], name, is_adapter, service_.models.IsLoaded(i)));
  }
  throw ApiError(404, "there is no model " + name, "", "model_not_found");
}

Reply Frontend::MetricsReply() const {
  Metrics::Gauges gauges;
  const Stepper::Load load = service_.stepper.load();
  gauges.queued = load.queued + workers_->queued();
  gauges.running = load.running;
  gauges.connections = connections_;
  for (const std::shared_ptr<ServedModel>& model : service_.models.Loaded()) {
    const rondo_engine_counters stats = model->engine().Stats();
    Metrics::Gauges::OfModel its;
    its.name = model->name();
    its.kv_share = stats.kv_bytes_total == 0 ? 0
                                             : static_cast<double>(stats.kv_bytes_used) /
                                                   static_cast<double>(stats.kv_bytes_total);
    its.prefix_hits = stats.prefix_hits;
    its.drafts_proposed = stats.drafts_proposed;
    its.drafts_accepted = stats.drafts_accepted;
    its.passes = stats.passes;
    its.rows = stats.rows;
    its.context = model->memory().context;
    its.sessions = model->memory().max_sessions;
    gauges.models.push_back(its);
  }
  Reply reply;
  reply.type = "text/plain; version=0.0.4; charset=utf-8";
  reply.body = service_.metrics.Text(gauges, options_.vllm_metrics);
  return reply;
}

}  // namespace rondo::tools::serve
