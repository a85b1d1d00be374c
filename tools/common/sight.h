// What models that see make of pictures: how many rows, the rows themselves, and texts that have
// them among their tokens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/common/library.h"
#include "tools/common/pictures/picture.h"

namespace rondo::tools {

struct PictureSize {
  uint32_t width = 0;
  uint32_t height = 0;
};

// Of the picture as it is seen, turned as its file says.
PictureSize UprightSize(const Picture& picture);

// Throws Error where the model does not see: before a large file is read for nothing.
void RequireSight(const Model& model);

// The text of the token that stands for a picture, of a model that sees; empty where it has none.
std::string PictureMark(const Model& model);

// What becomes of a picture's file, which the Error names: the model does not see, or takes no such
// picture.
rondo_image_facts PlanPicture(const Model& model, const std::string& path, const Picture& picture,
                              const ImageOptions& options);

// Makes the picture's rows, with a bar where standard error is a terminal. Throws rondo::Error,
// with `advice` where rows are full, or Interrupted.
Media EncodePicture(const Engine& engine, const Picture& picture, const ImageOptions& options,
                    const char* advice = "");

// Session::Prefill of ids of which each that is `picture_token` stands for the next of `media`.
// What was read before a failure stays in the session.
void PrefillMedia(Session* session, Ids ids, int32_t picture_token,
                  const std::vector<Media>& media);

}  // namespace rondo::tools
