// Which text is nearest to a question: c++ -std=c++17 search.cc $(pkg-config --cflags --libs rondo)
#include <exception>
#include <iostream>
#include <numeric>
#include <rondo/rondo.hpp>
#include <string>
#include <vector>

// shown from here
size_t Nearest(const rondo::Engine& engine, const std::string& question,
               const std::vector<std::string>& texts) {
  rondo::EmbedOptions query, document;
  query.prompt = "query";
  document.prompt = "document";
  const std::vector<float> asked = engine.Embed({question}, query)[0];
  const std::vector<std::vector<float>> found = engine.Embed(texts, document);
  size_t best = 0;
  float highest = -1;
  for (size_t i = 0; i < found.size(); ++i) {
    const float similar = std::inner_product(asked.begin(), asked.end(), found[i].begin(), 0.0f);
    if (similar > highest) highest = similar, best = i;
  }
  return best;
}
// shown to here

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: search MODEL QUESTION TEXT...\n";
    return 2;
  }
  try {
    const rondo::Model model(argv[1]);
    const std::vector<std::string> texts(argv + 3, argv + argc);
    std::cout << texts[Nearest(rondo::Engine(model), argv[2], texts)] << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
