// Continues a text: c++ -std=c++17 example.cc $(pkg-config --cflags --libs rondo)
#include <cstdio>
#include <exception>
#include <rondo/rondo.hpp>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: example MODEL PROMPT\n", stderr);
    return 2;
  }
  try {
    const rondo::Model model(argv[1]);
    const rondo::Engine engine(model);
    rondo::SessionOptions options;
    options.max_tokens = 64;
    rondo::Session session(engine, options);
    session.Prefill(model.Tokenize(argv[2]));
    for (const rondo::Event& event : session.Stream()) {
      std::fwrite(event.text.data(), 1, event.text.size(), stdout);
      std::fflush(stdout);
    }
    std::puts("");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
