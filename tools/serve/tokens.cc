// Texts to tokens and back, and what a chat template writes.
#include "tools/common/library.h"
#include "tools/serve/chat_wish.h"
#include "tools/serve/generation_fields.h"
#include "tools/serve/handler.h"
#include "tools/serve/openai/chat.h"

namespace rondo::tools::serve {

void TokenizeText(const Service& service, const std::shared_ptr<Exchange>& exchange) {
  const Json body = ParseBody(exchange->TakeBody());
  Fields fields(body);
  const FoundModel found = service.models.Find(fields.Text("model").value_or(""));
  const ServedModel& model = *found.model;
  std::vector<int32_t> ids;
  if (fields.Has("messages")) {  // as vLLM has it, too
    ChatReplyForm form;
    ids = IdsOf(model, ReadChat(model, &fields, service.media, &form));
  } else {
    const bool special =
        fields.Bool("add_special").value_or(fields.Bool("add_special_tokens").value_or(true));
    const std::string text =
        fields.Has("content") ? fields.RequiredText("content") : fields.RequiredText("prompt");
    fields.Ignore({"model", "prompt", "content"});
    fields.RefuseOthers();
    ids = Tokenize(model.model(), text, special);
  }
  AnswerJson(exchange.get(),
             {{"tokens", ids}, {"count", ids.size()}, {"max_model_len", model.memory().context}});
}

void DetokenizeIds(const Service& service, const std::shared_ptr<Exchange>& exchange) {
  const Json body = ParseBody(exchange->TakeBody());
  Fields fields(body);
  const FoundModel found = service.models.Find(fields.Text("model").value_or(""));
  const std::vector<int32_t> ids =
      ReadIds(*found.model, fields.RequiredArray("tokens"), fields.PointerOf("tokens"));
  fields.RefuseOthers();
  const std::string text = found.model->model().Detokenize(ids);
  AnswerJson(exchange.get(), {{"content", text}, {"prompt", text}});
}

void ApplyTemplate(const Service& service, const std::shared_ptr<Exchange>& exchange) {
  const Json body = ParseBody(exchange->TakeBody());
  Fields fields(body);
  const FoundModel found = service.models.Find(fields.Text("model").value_or(""));
  ChatReplyForm form;
  const ChatWish wish = ReadChat(*found.model, &fields, service.media, &form);
  AnswerJson(exchange.get(), {{"prompt", TextOf(*found.model, wish)}});
}

}  // namespace rondo::tools::serve
