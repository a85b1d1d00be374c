// Rules: parts of rules in GBNF's notation, put behind each other.
#pragma once

#include <string_view>

#include "runtime/chat/calls/answer_form.h"
#include "runtime/chat/calls/chat_grammar.h"
#include "runtime/chat/calls/text_builder.h"
#include "runtime/chat/jinja/text_form.h"

namespace rondo::calls {

class Rules {
 public:
  Rules(jinja::Machine& machine, const ChatVocabulary& vocabulary)
      : machine_(machine), vocabulary_(vocabulary), text_(machine) {}

  // As it is.
  void Raw(std::string_view text) { text_.Append(text); }
  // "text" with escapes, and nothing more.
  void Quoted(std::string_view text);
  // A pattern: special tokens, the texts between them, and slots.
  void Pattern(std::string_view pattern) { Put(pattern, /*cut_at_end=*/false); }
  // The same up to a token that ends a generation: an end token comes there by itself.
  void Closing(std::string_view pattern) { Put(TrimmedRight(pattern), /*cut_at_end=*/true); }
  // Any text in which this does not come up.
  void Without(std::string_view text);
  // A value by this JSON Schema.
  void Json(jinja::Value schema);

  jinja::Machine& machine() { return machine_; }
  std::string_view text() const { return text_.view(); }

 private:
  static std::string_view TrimmedRight(std::string_view text);
  void Put(std::string_view pattern, bool cut_at_end);
  // The token that the text begins with; its bytes, or 0.
  size_t TokenAt(std::string_view text, ChatVocabulary::Is* is) const;

  jinja::Machine& machine_;
  const ChatVocabulary& vocabulary_;
  TextBuilder text_;
};

// The arguments of a function by its "parameters" (undefined: any), in the form's way. `where`
// names the function in messages. Fails the rules' machine.
void WriteArguments(const CallForm& form, jinja::Value parameters, std::string_view where,
                    Rules* rules);

}  // namespace rondo::calls
