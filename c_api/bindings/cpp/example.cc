// Continues a text: c++ -std=c++17 example.cc $(pkg-config --cflags --libs rondo)
#include <exception>
#include <iostream>
#include <rondo/rondo.hpp>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: example MODEL PROMPT\n";
    return 2;
  }
  try {
    // shown from here
    const rondo::Model model(argv[1]);
    const rondo::Engine engine(model);
    rondo::SessionOptions options;
    options.max_tokens = 64;
    rondo::Session session(engine, options);
    for (const rondo::Event& event : session.Stream(argv[2])) {  // or session.Generate(argv[2])
      std::cout << event.text << std::flush;
    }
    // shown to here
    std::cout << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
