// How a chat template reads what an assistant called.
#pragma once

#include <nlohmann/json.hpp>

#include "tools/common/library.h"

namespace rondo::tools {

// What templates differ in. A conversation keeps a call as {"type": "function", "function":
// {"name": ..., "arguments": {...}}}, whatever its template has.
struct CallSpelling {
  bool as_text = false;       // arguments as the text of JSON
  bool flat = false;          // name and arguments in the call itself
  bool null_content = false;  // beside calls, where there is no content
  bool no_content = false;    // content hides the calls beside it: it is left out
};

// The spelling in which what the conversation's template writes of a call reads back as this call,
// and a result may follow; where it is none, the usual one.
CallSpelling ReadCallSpelling(const Model& model, Chat chat);

// Messages as a template of this spelling reads them.
nlohmann::ordered_json Spelled(nlohmann::ordered_json messages, const CallSpelling& spelling);

}  // namespace rondo::tools
