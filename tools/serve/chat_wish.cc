#include "tools/serve/chat_wish.h"

#include <algorithm>

#include "tools/common/bytes.h"
#include "tools/common/picture_file.h"
#include "tools/common/sampling.h"
#include "tools/dialogue/chat_ids.h"
#include "tools/serve/generation_fields.h"
#include "tools/system/wall_clock.h"

namespace rondo::tools::serve {
namespace {

// Of larger files' pixels nobody would wait for.
constexpr PictureLimits kPictures = {64'000'000, uint64_t{64} << 20};

std::string Dump(const Json& value) {
  return value.empty() ? "" : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Without messages.
rondo::Chat ChatOf(const ChatWish& wish) {
  rondo::Chat chat;
  chat.flags = wish.continues ? RONDO_CHAT_CONTINUE_FINAL
               : wish.asks    ? RONDO_CHAT_ADD_GENERATION_PROMPT
                              : 0;
  chat.local_time = WallClock().value_or(RONDO_CHAT_NO_CLOCK);
  if (wish.calls != CallsWish::kNone) chat.tools = Dump(wish.tools);
  chat.variables = Dump(wish.variables);
  return chat;
}

void RequireChat(const ServedModel& model) {
  if (model.kind() != ModelKind::kPredicts) {
    throw ApiError(400, "the model " + model.name() + " makes vectors or scores of texts, no text",
                   "/model");
  }
  if (!model.has_chat()) {
    throw ApiError(400, "the model " + model.name() + " has no chat template: use /v1/completions",
                   "/model");
  }
}

rondo::Media Encode(const ServedModel& model, const std::string& file, const std::string& pointer,
                    const Exchange& exchange) {
  try {
    const Picture picture = DecodePicture("the picture", BytesOf(file), kPictures);
    rondo::Image image(picture.rgb, picture.width, picture.height);
    image.rotation = picture.rotation;
    image.mirror = picture.mirror ? 1 : 0;
    return rondo::Media(model.engine(), image, {}, [&exchange](uint64_t, uint64_t) {
      if (exchange.gone()) throw ApiError(499, "the client has gone");
    });
  } catch (const rondo::Error& error) {
    if (error.status() == RONDO_STATUS_KV_POOL_FULL) {
      throw ApiError(503, pointer + ": " + error.what(), pointer, "memory_full").RetryAfter(1);
    }
    throw ApiError(400, pointer + ": " + error.what(), pointer, "invalid_image");
  } catch (const ApiError&) {
    throw;
  } catch (const Error& error) {
    throw ApiError(400, pointer + ": " + error.what(), pointer, "invalid_image");
  }
}

void CheckPictures(const ServedModel& model, const ChatWish& wish) {
  if (wish.pictures.empty()) return;
  if (!model.sees()) {
    throw ApiError(400,
                   "the model " + model.name() +
                       (model.facts().picture_token < 0 ? " reads texts alone"
                                                        : " is served with --image-rows 0"),
                   wish.picture_pointers[0], "unsupported_content");
  }
  if (wish.pictures.size() > 64) {
    throw ApiError(400, "the conversation has more than 64 pictures", wish.picture_pointers[64]);
  }
}

void AddPictures(const ChatWish& wish, const Exchange& exchange, GenerationWish* made) {
  const ServedModel& model = *made->model;
  for (size_t i = 0; i < wish.pictures.size(); ++i) {
    made->media.push_back(Encode(model, wish.pictures[i], wish.picture_pointers[i], exchange));
  }
}

void AddGrammar(const ChatWish& wish, const rondo::Chat& chat, GenerationWish* made) {
  ServedModel& model = *made->model;
  const TextForm& form = wish.form;
  const bool has_form = form.kind >= 0;
  if (has_form) made->options.grammar = model.GrammarOf(form.kind, form.text, form.pointer);
  if (!chat.tools.empty()) {
    if (has_form && form.kind != RONDO_GRAMMAR_JSON_SCHEMA) {
      throw ApiError(400, form.pointer + " goes without tools, or with tool_choice none",
                     form.pointer);
    }
    const bool is_auto = wish.calls == CallsWish::kAuto;
    const int32_t wanted = wish.calls == CallsWish::kFunction ? RONDO_CALLS_ONE
                           : is_auto && !has_form             ? RONDO_CALLS_AUTO
                           : !is_auto && wish.one_call        ? RONDO_CALLS_ONE
                                                              : RONDO_CALLS_REQUIRED;
    // An answer that must call says nothing that could be of the form.
    made->options.grammar =
        model.CallGrammarOf(chat, wanted, wish.function, is_auto && has_form ? form.text : "");
  }
  if (made->options.grammar && made->options.thinking) {
    made->options.grammar_begin = RONDO_GRAMMAR_BEGIN_AFTER_THINKING;
  }
}

}  // namespace

void CheckRoom(const ServedModel& model, uint64_t positions) {
  const uint64_t context = model.memory().context;
  if (positions < context) return;
  throw ApiError(400,
                 "the prompt has " + std::to_string(positions) + " tokens, but the context of " +
                     model.name() + " holds " + std::to_string(context) + " with the answer",
                 "", "context_length_exceeded")
      .With({{"n_prompt_tokens", positions}, {"n_ctx", context}});
}

std::vector<int32_t> IdsOf(const ServedModel& model, const ChatWish& wish) {
  RequireChat(model);
  CheckPictures(model, wish);
  try {
    return ChatIds(model.model(), ChatOf(wish), model.message_form(), wish.messages);
  } catch (const std::runtime_error& error) {
    throw ApiError(400, std::string("the chat template: ") + error.what(), "/messages");
  }
}

std::string TextOf(const ServedModel& model, const ChatWish& wish) {
  return model.model().Detokenize(IdsOf(model, wish));
}

GenerationWish WishOf(const FoundModel& found, ChatWish wish, const Exchange& exchange) {
  GenerationWish made;
  made.model = found.model;
  const ServedModel& model = *found.model;
  made.ids = IdsOf(model, wish);
  const rondo::Chat chat = ChatOf(wish);
  AddPictures(wish, exchange, &made);
  made.positions = made.ids.size() - made.media.size();
  for (const rondo::Media& one : made.media) made.positions += one.Info().positions;
  CheckRoom(model, made.positions);
  made.options = std::move(wish.options);
  made.options.thinking = model.thinking().exist();
  if (made.options.thinking && wish.thinking_tokens) {  // to the library 0 is no limit
    made.options.thinking_tokens = std::max<uint64_t>(*wish.thinking_tokens, 1);
  }
  AddGrammar(wish, chat, &made);
  if (found.adapter != nullptr) made.options.adapter = *found.adapter;
  made.stops = StopsOf(model.model(), made.options);
  made.choices = wish.choices;
  made.top_logprobs = wish.top_logprobs;
  made.one_call = wish.one_call;
  if (!wish.prediction.empty()) made.prediction = model.model().Tokenize(wish.prediction, 0);
  if (!chat.tools.empty() || model.thinking().exist()) made.chat = chat;
  return made;
}

}  // namespace rondo::tools::serve
