// Answers a question about a picture, which stands as a PPM file here: what decodes JPEG or takes a
// camera's frame gives pixels, too. c++ -std=c++17 picture.cc $(pkg-config --cflags --libs rondo)
#include <exception>
#include <fstream>
#include <iostream>
#include <rondo/rondo.hpp>
#include <stdexcept>
#include <string>
#include <vector>

struct Pixels {
  explicit Pixels(const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::string kind;
    int most = 0;
    if (!(file >> kind >> width >> height >> most) || kind != "P6" || most != 255) {
      throw std::runtime_error("the picture is no PPM file of 8 bits");
    }
    file.get();
    rgb.assign(std::istreambuf_iterator<char>(file), {});
  }
  uint32_t width = 0, height = 0;
  std::vector<unsigned char> rgb;
};

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: picture MODEL PPM_FILE\n";
    return 2;
  }
  try {
    const Pixels pixels(argv[2]);
    // shown from here
    const rondo::Model model(argv[1]);
    rondo::EngineOptions engine_options;
    engine_options.max_media_rows = model.ImagePlan(pixels.width, pixels.height).rows;
    const rondo::Engine engine(model, engine_options);
    rondo::SessionOptions options;
    options.max_tokens = 64;
    rondo::Session session(engine, options);
    rondo::Chat chat;
    chat.messages = R"([{"role": "user", "content": [
        {"type": "image"}, {"type": "text", "text": "What is in the picture?"}]}])";
    const rondo::Media picture(engine, rondo::Image(pixels.rgb, pixels.width, pixels.height));
    session.AppendMedia(model.ChatIds(chat), {picture});
    for (const rondo::Event& event : session.Stream()) std::cout << event.text << std::flush;
    // shown to here
    std::cout << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
