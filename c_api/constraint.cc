#include "c_api/constraint.h"

#include "c_api/chat_request.h"
#include "runtime/chat/calls/chat_grammar.h"

namespace rondo::c_api {
namespace {

Status Wrong(const char* what, int64_t value, const char* expected) {
  return Status::Error(StatusCode::kInvalidArgument, "session option %s is %lld; %s", what,
                       static_cast<long long>(value), expected);
}

Status ReadGrammar(const rondo_session_options& o, const OpenModel& model,
                   const OpenGrammar* grammar, ConstraintOptions* options) {
  if (o.grammar_begin < RONDO_GRAMMAR_BEGIN_AT_ONCE ||
      o.grammar_begin > RONDO_GRAMMAR_BEGIN_AFTER_THINKING) {
    return Wrong("grammar_begin", o.grammar_begin,
                 "it must be 0 (at once), 1 (after a token) or 2 (after thinking)");
  }
  RONDO_RETURN_IF_ERROR(
      ReadFlag("session option grammar_goes_on", o.grammar_goes_on, &options->goes_on));
  if (grammar == nullptr) {
    const bool asked = o.grammar_begin != 0 || o.grammar_token != 0 || o.grammar_goes_on != 0;
    return asked ? Status::Error(StatusCode::kInvalidArgument,
                                 "session options say where a grammar begins, but grammar is NULL")
                 : Status();
  }
  if (grammar->model != &model) {
    return Status::Error(StatusCode::kInvalidArgument, "the grammar is of another model");
  }
  const bool by_token = o.grammar_begin == RONDO_GRAMMAR_BEGIN_AFTER_TOKEN;
  const uint32_t vocab_size = model.file.model().vocab_size();
  if (by_token ? o.grammar_token < 0 || static_cast<uint32_t>(o.grammar_token) >= vocab_size
               : o.grammar_token != 0) {
    return Wrong("grammar_token", o.grammar_token,
                 by_token ? "the vocabulary has no such token"
                          : "it must be 0 unless grammar_begin is 1 (after a token)");
  }
  if (o.grammar_begin == RONDO_GRAMMAR_BEGIN_AFTER_THINKING && o.thinking == 0) {
    return Wrong("grammar_begin", o.grammar_begin, "that needs thinking to be 1");
  }
  options->grammar = grammar->grammar;
  options->begin = static_cast<GrammarBegin>(o.grammar_begin);
  options->token = o.grammar_token;
  options->ends = o.ignore_eos == 0;
  return Status();
}

// What the model's own template puts around a thought.
Status ReadMarks(const OpenModel& model, TemplateMarks* marks, ThinkingOptions* options) {
  rondo_chat_options theirs = {};
  theirs.struct_size = sizeof theirs;
  theirs.local_time = RONDO_CHAT_NO_CLOCK;
  HeapArray<ChatToken> tokens;
  ChatRequest request;
  RONDO_RETURN_IF_ERROR(ReadAnswerOptions(model, &theirs, &tokens, &request));
  struct Found {
    TemplateMarks* marks;
    ThinkingOptions* options;
  } found = {marks, options};
  const auto take = [](void* user, std::string_view begin, std::string_view end) {
    const Found& into = *static_cast<const Found*>(user);
    if (begin.empty() || begin.size() > into.marks->begin.size() ||
        end.size() > into.marks->end.size()) {
      return Status::Error(StatusCode::kUnsupported,
                           "thinking is 1, but the model's chat template shows no thoughts; "
                           "thinking_begin and thinking_end can tell what they are");
    }
    begin.copy(into.marks->begin.data(), begin.size());
    end.copy(into.marks->end.data(), end.size());
    into.options->begin = {into.marks->begin.data(), begin.size()};
    into.options->end = {into.marks->end.data(), end.size()};
    return Status();
  };
  return ReadChatThinking(request, {take, &found});
}

Status ReadThinking(const rondo_session_options& o, const OpenModel& model, TemplateMarks* marks,
                    ThinkingOptions* options) {
  RONDO_RETURN_IF_ERROR(ReadFlag("session option thinking", o.thinking, &options->on));
  const bool named = o.thinking_begin != nullptr || o.thinking_end != nullptr;
  if (o.thinking == 0) {
    if (!named && o.thinking_tokens == 0) return Status();
    return Status::Error(StatusCode::kInvalidArgument,
                         "session option %s is set, but thinking is 0",
                         named ? "thinking_begin or thinking_end" : "thinking_tokens");
  }
  options->most_tokens = o.thinking_tokens;
  if (!named) return ReadMarks(model, marks, options);
  if (o.thinking_begin == nullptr) return NullArgument("session option thinking_begin");
  if (o.thinking_end == nullptr) return NullArgument("session option thinking_end");
  options->begin = o.thinking_begin;
  options->end = o.thinking_end;
  return Status();
}

}  // namespace

Result<ConstraintOptions> ReadConstraint(const rondo_session_options& o, const OpenModel& model,
                                         const OpenGrammar* grammar, TemplateMarks* marks) {
  ConstraintOptions options;
  RONDO_RETURN_IF_ERROR(ReadGrammar(o, model, grammar, &options));
  RONDO_RETURN_IF_ERROR(ReadThinking(o, model, marks, &options.thinking));
  return options;
}

}  // namespace rondo::c_api
