// Asks a model with a chat template: c++ -std=c++17 chat.cc $(pkg-config --cflags --libs rondo)
#include <exception>
#include <iostream>
#include <rondo/rondo.hpp>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: chat MODEL\n";
    return 2;
  }
  try {
    // shown from here
    const rondo::Model model(argv[1]);
    const rondo::Engine engine(model);
    rondo::SessionOptions options;
    options.max_tokens = 64;
    rondo::Session session(engine, options);
    rondo::Chat chat;
    chat.messages = R"([{"role": "user", "content": "How is the weather?"}])";
    const rondo::Reply reply = session.Chat(chat);  // text, thinking, calls, reason
    std::cout << reply.text << '\n';
    for (const rondo::ChatPart& part : session.ChatStream(chat))
      std::cout << part.text << std::flush;
    // shown to here
    std::cout << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
