// ApiError: why a request is not answered, as every protocol that is spoken here tells it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "tools/common/error.h"
#include "tools/serve/http/exchange.h"

namespace rondo::tools::serve {

using Json = nlohmann::ordered_json;

// what() is a sentence for whoever wrote the request.
class ApiError : public Error {
 public:
  ApiError(int status, const std::string& sentence, std::string pointer = "", std::string code = "")
      : Error(sentence), status_(status), pointer_(std::move(pointer)), code_(std::move(code)) {}

  int status() const { return status_; }
  const std::string& pointer() const { return pointer_; }  // of what in the body; RFC 6901
  const std::string& code() const { return code_; }        // for programs; may be empty
  int retry_after() const { return retry_after_; }         // seconds; 0: it is of no use
  ApiError&& RetryAfter(int seconds) && {
    retry_after_ = seconds;
    return std::move(*this);
  }
  // More for programs, beside the sentence.
  const Json& facts() const { return facts_; }
  ApiError&& With(Json facts) && {
    facts_ = std::move(facts);
    return std::move(*this);
  }

 private:
  int status_;
  std::string pointer_, code_;
  int retry_after_ = 0;
  Json facts_ = Json::object();
};

// "invalid_request_error" of 400.
const char* ErrorType(int status);

// {"error": {"message", "type", "param", "code"}}, as OpenAI's clients read it; with "type":
// "error" around, so do Anthropic's.
Json ErrorBody(const ApiError& error);
Reply ErrorReply(const ApiError& error);

}  // namespace rondo::tools::serve
