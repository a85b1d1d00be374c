// HubToken: what a hub knows its user by, from where its own clients keep it.
#pragma once

#include <string>

namespace rondo::tools {

// HF_TOKEN, else HUGGING_FACE_HUB_TOKEN (its older name), else the file that logging in leaves; of
// each without the white space around it. Empty: there is none, or HF_HUB_DISABLE_IMPLICIT_TOKEN is
// set. Throws Error, which names the place and not the token, where it is no single word: a line
// break in it would get into the request.
std::string HubToken();

// What a variable of the environment holds; empty: it is not set.
std::string Variable(const char* name);
// As the hub's own clients read a variable that is set or not: "1", "ON", "YES" or "TRUE".
bool IsSwitchedOn(const char* variable);

}  // namespace rondo::tools
