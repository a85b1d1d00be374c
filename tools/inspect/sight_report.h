// What sees for a model, and what becomes of its pictures.
#pragma once

#include <string>

#include "tools/common/sight.h"

namespace rondo::tools {

// Some lines, each ended; empty where nothing sees. Throws Error.
std::string DescribeSight(const std::string& path, const Model& model);

// Of one picture of this size; several lines, each ended.
std::string DescribePicture(PictureSize size, const rondo_image_facts& facts);

}  // namespace rondo::tools
