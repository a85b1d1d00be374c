#include "tools/convert/chat_template.h"

#include "runtime/chat/chat.h"
#include "runtime/model/limits.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert {

void ChangeTemplates(const std::vector<OtherName>& texts, ChatSource& chat) {
  for (auto& [name, text] : chat.templates) {
    for (const OtherName& change : texts) {
      for (size_t at = 0; (at = text.find(change.ours, at)) != std::string::npos;) {
        text.replace(at, change.ours.size(), change.theirs);
        at += change.theirs.size();
      }
    }
  }
}

flatbuffers::Offset<format::Chat> BuildChat(const ChatSource& source,
                                            flatbuffers::FlatBufferBuilder& builder,
                                            std::vector<std::string>& notes) {
  if (source.templates.size() > kMaxTemplates || source.tokens.size() > kMaxTemplates) {
    Fail("the model has more than ", kMaxTemplates, " chat templates or special tokens");
  }
  std::vector<flatbuffers::Offset<format::ChatTemplate>> templates;
  for (const auto& [name, text] : source.templates) {
    if (name.empty() || text.size() > kMaxTemplateBytes) {
      Fail("the chat template '", name, "' has ", text.size(), " bytes, expected at most ",
           kMaxTemplateBytes, " and a name");
    }
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
      notes.push_back("the chat template '" + name + "' is empty: left out");
      continue;
    }
    const Status status = CheckChatTemplate(text);
    if (status.code() == StatusCode::kOutOfMemory) Fail(status.message());
    if (!status.ok() && status.code() != StatusCode::kUnsupported) {
      notes.push_back("the chat template '" + name +
                      "' cannot be used in full: " + status.message());
    }
    const auto name_offset = builder.CreateString(name);
    templates.push_back(
        format::CreateChatTemplate(builder, name_offset, builder.CreateString(text)));
  }
  // Tokens alone serve a template that is given when the model runs.
  if (templates.empty() && source.tokens.empty()) return {};
  std::vector<flatbuffers::Offset<format::ChatToken>> tokens;
  for (const auto& [name, text] : source.tokens) {
    const auto name_offset = builder.CreateString(name);
    tokens.push_back(format::CreateChatToken(builder, name_offset, builder.CreateString(text)));
  }
  const auto template_vector = builder.CreateVector(templates);
  return format::CreateChat(builder, template_vector, builder.CreateVector(tokens));
}

}  // namespace rondo::convert
