#include "tools/common/picture_flags.h"

#include <algorithm>
#include <utility>

#include "tools/common/flags.h"
#include "tools/common/limits.h"
#include "tools/common/options.h"

namespace rondo::tools {

void AddImageOptions(CLI::App* command, ImageOptions* options) {
  AddInteger(command, "--image-tokens", &options->max_tokens, {1, kMostMediaRows},
             "Rows of a picture in the text, at most about so many, of models that let one choose: "
             "more see more, and take more time",
             "the model's own")
      ->group(kPicturesGroup);
  command
      ->add_flag_callback(
          "--one-tile", [options] { options->one_tile = 1; },
          "A picture is seen as a whole alone, where the model would cut it into tiles, too")
      ->group(kPicturesGroup);
}

void CheckImageOptions(const ImageOptions& options, bool has_pictures) {
  if (has_pictures) return;
  for (const auto& [name, is_given] : {std::pair("--image-tokens", options.max_tokens > 0),
                                       std::pair("--one-tile", options.one_tile > 0)}) {
    if (is_given) throw CLI::ValidationError(name, "goes with --image");
  }
}

void AddImages(CLI::App* command, std::vector<std::string>* files, const std::string& about) {
  AddTexts(command, "--image", files, about + "; can be given several times; default: none")
      ->check([](const std::string& path) { return WrongFileName(path); })
      ->type_name("FILE")
      ->group(kPicturesGroup);
}

void AddImageFlags(CLI::App* command, PicturesWish* wish) {
  AddImages(command, &wish->files,
            "A picture (JPEG, PNG, WebP) that the text begins with, or that stands where the text "
            "has the model's token for one");
  AddImageOptions(command, &wish->options);
}

CLI::Option* AddImageSize(CLI::App* command, PictureSize* size, const std::string& about) {
  return command
      ->add_option_function<std::string>(
          "--image",
          [size](const std::string& text) {
            const size_t x = std::min(text.find_first_of("xX"), text.size());
            if (x == 0 || x + 1 >= text.size()) {
              throw CLI::ValidationError(
                  "--image", text + " is no size such as 640x480, width and height in pixels");
            }
            const auto side = [](const std::string& digits) {
              return static_cast<uint32_t>(ReadInteger("--image", digits, {1, kMostImageSide}));
            };
            *size = {side(text.substr(0, x)), side(text.substr(x + 1))};
          },
          about + "; default: none")
      ->type_name("WxH");
}

void AddImageRowsFlag(CLI::App* command, EngineOptions* options, const std::string& if_absent) {
  AddInteger(command, "--image-rows", &options->max_media_rows, {0, kMostMediaRows, "no pictures"},
             "Rows of all pictures that there is memory for", if_absent)
      ->group(kMemoryGroup);
}

}  // namespace rondo::tools
