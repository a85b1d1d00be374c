// Error: how every part of the tool says that it cannot do what it was asked for.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace rondo::tools {

// what() is one sentence for the user: what was wrong, where, and what was expected.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The library does not take what an option says. Of a command that has this option it is wrong
// usage.
class OptionRefused : public Error {
 public:
  OptionRefused(const std::string& sentence, std::string name, std::string why)
      : Error(sentence), name_(std::move(name)), why_(std::move(why)) {}

  const std::string& name() const { return name_; }  // as it is typed: "--context"
  const std::string& why() const { return why_; }    // its value, and what was expected

 private:
  std::string name_, why_;
};

// Throws an Error whose sentence is put together from pieces.
template <typename... Pieces>
[[noreturn]] void Fail(const Pieces&... pieces) {
  std::ostringstream sentence;
  (sentence << ... << pieces);
  throw Error(sentence.str());
}

}  // namespace rondo::tools
