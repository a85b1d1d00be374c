// What the compiler refuses, and with which words: test.sh compiles it. b07, b11, b12, b13, b28
#include <rondo/rondo.hpp>

void Refused(const rondo::Engine& engine) {
  rondo::Model of_a_number(5);       // refused: Model::Model(int)
  rondo::Model of_nothing(nullptr);  // refused: nullptr_t
  rondo::EngineOptions options;
  options.no_such_option = 1;    // refused: no_such_option
  options.context = "512";       // refused: uint32_t
  options.context = 4294967808;  // refused: 4294967808
  rondo::SessionOptions session;
  session.no_such_wish = true;  // refused: no_such_wish
  session.stop = "mom";         // refused: std::vector
  rondo::Chat chat;
  chat.no_such_part = "";  // refused: no_such_part
  rondo::Session copied = rondo::Session(engine);
  rondo::Session twice = copied;          // refused: deleted function
  rondo::Session(engine).Stream("Once");  // refused: discards qualifiers
}
