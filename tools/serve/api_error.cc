#include "tools/serve/api_error.h"

namespace rondo::tools::serve {

const char* ErrorType(int status) {
  switch (status) {
    case 400:
    case 405:
    case 413:
    case 415:
      return "invalid_request_error";
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 429:
      return "rate_limit_error";
    case 503:
      return "overloaded_error";
    default:
      return "api_error";
  }
}

Json ErrorBody(const ApiError& error) {
  Json inner = {{"message", error.what()},
                {"type", ErrorType(error.status())},
                {"param", nullptr},
                {"code", nullptr}};
  if (!error.pointer().empty()) inner["param"] = error.pointer();
  if (!error.code().empty()) inner["code"] = error.code();
  inner.update(error.facts());
  return {{"type", "error"}, {"error", std::move(inner)}};
}

Reply ErrorReply(const ApiError& error) {
  Reply reply;
  reply.status = error.status();
  reply.body = ErrorBody(error).dump(-1, ' ', false, Json::error_handler_t::replace);
  if (error.retry_after() > 0) {
    reply.headers.push_back({"Retry-After", std::to_string(error.retry_after())});
  }
  if (error.status() == 401) reply.headers.push_back({"WWW-Authenticate", "Bearer"});
  return reply;
}

}  // namespace rondo::tools::serve
