// A model calls a function and answers with what it gave:
// c++ -std=c++17 tools.cc $(pkg-config --cflags --libs rondo)
#include <exception>
#include <iostream>
#include <rondo/rondo.hpp>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: tools MODEL\n";
    return 2;
  }
  try {
    // shown from here
    rondo::Chat chat;
    chat.messages = R"([{"role": "user", "content": "How is the weather in Rome?"}])";
    chat.tools = R"([{"type": "function", "function": {"name": "weather", "parameters": {
        "type": "object", "properties": {"city": {"type": "string", "maxLength": 30}},
        "required": ["city"], "additionalProperties": false}}}])";
    const rondo::Model model(argv[1]);
    rondo::EngineOptions two;
    two.max_sessions = 2;
    const rondo::Engine engine(model, two);
    rondo::SessionOptions options;
    options.grammar = rondo::Grammar::FromRules(model, model.ChatGrammar(chat, RONDO_CALLS_ONE));
    rondo::Session calling(engine, options);
    const rondo::ChatCall asked = calling.Chat(chat).calls.at(0);
    const std::string call =
        R"({"name": ")" + asked.name + R"(", "arguments": )" + asked.arguments + "}";
    chat.messages = R"([{"role": "user", "content": "How is the weather in Rome?"},
        {"role": "assistant", "tool_calls": [{"type": "function", "function": )" +
                    call + R"(}]}, {"role": "tool", "content": "{\"sky\": \"clear\"}"}])";
    options.grammar.reset();
    options.max_tokens = 64;
    rondo::Session answering(engine, options);
    std::cout << answering.Chat(chat).text;
    // shown to here
    std::cout << std::endl;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
