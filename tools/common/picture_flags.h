// Command-line options of pictures, which several commands share.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/common/prompt_pictures.h"
#include "tools/common/sight.h"

namespace rondo::tools {

inline constexpr const char* kPicturesGroup = "Pictures, for models that see";

// --image-tokens and --one-tile.
void AddImageOptions(CLI::App* command, ImageOptions* options);
// Throws CLI::ValidationError where there are such options, but no picture.
void CheckImageOptions(const ImageOptions& options, bool has_pictures);
// --image FILE, which can be given several times; `about` says what becomes of it.
void AddImages(CLI::App* command, std::vector<std::string>* files, const std::string& about);
// --image of a prompt, and its options.
void AddImageFlags(CLI::App* command, PicturesWish* wish);
// --image WIDTHxHEIGHT. 0 x 0 where it is not given. Of a command, or of a group of its options.
CLI::Option* AddImageSize(CLI::App* command, PictureSize* size, const std::string& about);
// --image-rows; `if_absent` as for AddContextFlag.
void AddImageRowsFlag(CLI::App* command, EngineOptions* options, const std::string& if_absent);

}  // namespace rondo::tools
