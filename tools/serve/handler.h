// What handlers of requests have at hand.
#pragma once

#include <memory>

#include "tools/common/long_texts.h"
#include "tools/serve/fields.h"
#include "tools/serve/generation.h"
#include "tools/serve/http/exchange.h"
#include "tools/serve/media_source.h"
#include "tools/serve/metrics.h"
#include "tools/serve/models.h"
#include "tools/serve/stepper.h"

namespace rondo::tools::serve {

struct Service {
  Models& models;
  Stepper& stepper;
  Metrics& metrics;
  const MediaSource& media;
  CutTold cut_told;
};

// Each answers a whole request, on one of the workers' threads; it throws ApiError or another
// exception in place of it.
using Handler = void (*)(const Service& service, const std::shared_ptr<Exchange>& exchange);

// Of a path of POST; null: there is none.
Handler FindHandler(const std::string& path);

// Calls the handler; what it throws is the answer.
void Run(Handler handler, const Service& service, const std::shared_ptr<Exchange>& exchange);

// Hands those of a request to the stepper. Throws ApiError where as many wait as may.
void Start(const Service& service, std::vector<std::unique_ptr<Generation>> generations);
void Start(const Service& service, std::unique_ptr<Generation> generation);

void AnswerJson(Exchange* exchange, const Json& body);

// POST /v1/...
void ChatCompletions(const Service& service, const std::shared_ptr<Exchange>& exchange);
void Completions(const Service& service, const std::shared_ptr<Exchange>& exchange);
void Embeddings(const Service& service, const std::shared_ptr<Exchange>& exchange);
void Rerank(const Service& service, const std::shared_ptr<Exchange>& exchange);
void Score(const Service& service, const std::shared_ptr<Exchange>& exchange);
void Responses(const Service& service, const std::shared_ptr<Exchange>& exchange);
void CountResponseTokens(const Service& service, const std::shared_ptr<Exchange>& exchange);
void Messages(const Service& service, const std::shared_ptr<Exchange>& exchange);
void CountMessageTokens(const Service& service, const std::shared_ptr<Exchange>& exchange);
// POST /...
void TokenizeText(const Service& service, const std::shared_ptr<Exchange>& exchange);
void DetokenizeIds(const Service& service, const std::shared_ptr<Exchange>& exchange);
void ApplyTemplate(const Service& service, const std::shared_ptr<Exchange>& exchange);

}  // namespace rondo::tools::serve
