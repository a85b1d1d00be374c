#include "tools/pull/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <stdexcept>

#include "rondo/rondo.h"
#include "tools/common/error.h"
#include "tools/common/interrupt.h"

namespace rondo::tools {
namespace {

constexpr long kConnectSeconds = 30;
constexpr long kMostRedirects = 10;
constexpr size_t kMostRefusalBytes = 4096;

// Once in a process, before any thread needs it.
void StartCurl() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) Fail("libcurl cannot be used: ", curl_easy_strerror(code));
}

template <typename Value>
void Set(CURL* handle, CURLoption option, Value value) {
  const CURLcode code = curl_easy_setopt(handle, option, value);
  if (code != CURLE_OK) {
    Fail("libcurl does not take option ", static_cast<int>(option), ": ", curl_easy_strerror(code));
  }
}

}  // namespace

// A request under way. What a callback throws ends the transfer and is thrown again behind it.
struct HttpClient::Transfer {
  CURL* handle = nullptr;
  uint64_t from = 0, size = 0;  // of a download: what is asked for
  bool is_download = false;
  const std::function<void(uint64_t)>* begin = nullptr;
  const std::function<void(std::string_view)>* sink = nullptr;
  uint64_t most = 0;  // bytes that may come in all
  uint64_t come = 0;
  bool begun = false;
  std::string body;
  std::exception_ptr failure;

  long status() const {
    long code = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
    return code;
  }

  // A date that is past asks for nothing.
  long retry_after() const {
    curl_off_t seconds = 0;
    curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds);
    return static_cast<long>(std::clamp<curl_off_t>(seconds, 0, std::numeric_limits<long>::max()));
  }

  // The position that a 206 says it begins with must be the one that was asked for.
  void CheckRange() const {
    curl_header* header = nullptr;
    const bool found =
        curl_easy_header(handle, "content-range", 0, CURLH_HEADER, -1, &header) == CURLHE_OK;
    const std::string said = found ? header->value : "no Content-Range";
    const std::string wanted = "bytes " + std::to_string(from) + "-" + std::to_string(size - 1);
    if (said != wanted + "/" + std::to_string(size) && said != wanted + "/*") {
      Fail("the server answers \"", said, "\", expected \"", wanted, "/", size, "\"");
    }
  }

  void Take(std::string_view bytes) {
    const long code = status();
    if (!is_download || (code != 200 && code != 206)) {
      if (!is_download && bytes.size() > most - come) {
        Fail("the server sends more than ", most, " bytes");
      }
      come += bytes.size();
      if (is_download) bytes = bytes.substr(0, kMostRefusalBytes - body.size());
      body += bytes;
      return;
    }
    if (!begun) {
      begun = true;
      if (code == 206) CheckRange();
      const uint64_t first = code == 206 ? from : 0;
      most = size - first;
      (*begin)(first);
    }
    if (bytes.size() > most - come) Fail("the server sends more than the ", size, " bytes it said");
    come += bytes.size();
    (*sink)(bytes);
  }

  // True where the transfer may go on.
  template <typename Action>
  bool Try(const Action& action) {
    try {
      CheckInterrupt();
      action();
      return true;
    } catch (...) {
      failure = std::current_exception();
      return false;
    }
  }

  static size_t OnBytes(char* bytes, size_t one, size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    return transfer.Try([&] { transfer.Take({bytes, one * count}); }) ? one * count : 0;
  }
  static int OnProgress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<Transfer*>(user)->Try([] {}) ? 0 : 1;
  }
};

HttpClient::HttpClient(const HttpOptions& options) : options_(options) {
  StartCurl();
  handle_ = curl_easy_init();
  if (handle_ == nullptr) Fail("libcurl has no memory");
}

HttpClient::~HttpClient() { curl_easy_cleanup(handle_); }

HttpReply HttpClient::Run(const std::string& url, Transfer& transfer) {
  CURL* const handle = handle_;
  transfer.handle = handle;
  curl_easy_reset(handle);  // connections stay
  const char* const protocols = url.starts_with("https:") ? "https" : "http,https";
  Set(handle, CURLOPT_URL, url.c_str());
  Set(handle, CURLOPT_PROTOCOLS_STR, protocols);
  Set(handle, CURLOPT_REDIR_PROTOCOLS_STR, protocols);
  Set(handle, CURLOPT_FOLLOWLOCATION, 1L);
  Set(handle, CURLOPT_MAXREDIRS, kMostRedirects);
  Set(handle, CURLOPT_NOSIGNAL, 1L);
  Set(handle, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  Set(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  Set(handle, CURLOPT_LOW_SPEED_TIME, options_.timeout_seconds);
  const std::string agent = std::string("rondo/") + rondo_version_string();
  Set(handle, CURLOPT_USERAGENT, agent.c_str());
  if (!options_.token.empty()) {
    Set(handle, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    Set(handle, CURLOPT_XOAUTH2_BEARER, options_.token.c_str());
  }
  std::string range;
  if (transfer.is_download && transfer.from > 0) {
    range = std::to_string(transfer.from) + "-";
    Set(handle, CURLOPT_RANGE, range.c_str());
  }
  Set(handle, CURLOPT_WRITEFUNCTION, Transfer::OnBytes);
  Set(handle, CURLOPT_WRITEDATA, &transfer);
  Set(handle, CURLOPT_NOPROGRESS, 0L);
  Set(handle, CURLOPT_XFERINFOFUNCTION, Transfer::OnProgress);
  Set(handle, CURLOPT_XFERINFODATA, &transfer);
  char why[CURL_ERROR_SIZE] = "";
  Set(handle, CURLOPT_ERRORBUFFER, why);

  const CURLcode code = curl_easy_perform(handle);
  if (transfer.failure) std::rethrow_exception(transfer.failure);
  const std::string reason = *why != '\0' ? why : curl_easy_strerror(code);
  switch (code) {
    case CURLE_OK:
      break;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_TOO_MANY_REDIRECTS:
    case CURLE_PEER_FAILED_VERIFICATION:
      Fail(url, ": ", reason);
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      throw ConnectionLost(url + ": " + reason, {.no_such_host = true});
    default:
      throw ConnectionLost(url + ": " + reason);
  }
  return {transfer.status(), std::move(transfer.body), transfer.retry_after()};
}

HttpReply HttpClient::Get(const std::string& url, uint64_t most) {
  Transfer transfer;
  transfer.most = most;
  return Run(url, transfer);
}

HttpReply HttpClient::Download(const std::string& url, uint64_t from, uint64_t size,
                               const std::function<void(uint64_t)>& begin,
                               const std::function<void(std::string_view)>& sink) {
  Transfer transfer;
  transfer.is_download = true;
  transfer.from = from;
  transfer.size = size;
  transfer.begin = &begin;
  transfer.sink = &sink;
  HttpReply reply = Run(url, transfer);
  const bool sent = reply.status == 200 || reply.status == 206;
  if (sent && (transfer.begun ? transfer.come != transfer.most : size != from)) {
    throw ConnectionLost(url + ": the server broke off");
  }
  return reply;
}

}  // namespace rondo::tools
