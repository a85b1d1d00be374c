#include "tools/common/prompt_pictures.h"

#include <algorithm>

#include "tools/common/limits.h"
#include "tools/common/numbers.h"
#include "tools/common/picture_file.h"

namespace rondo::tools {

PromptPictures::PromptPictures(const Model& model, const PicturesWish& wish)
    : model_(model), options_(wish.options), token_(model.Info().picture_token) {
  uint64_t rows = 0;
  if (!wish.files.empty()) RequireSight(model);
  for (const std::string& file : wish.files) {
    pictures_.push_back(ReadPicture(file));
    const rondo_image_facts facts = PlanPicture(model, file, pictures_.back(), options_);
    rows += facts.rows;
    positions_ += facts.positions;
  }
  if (rows > kMostMediaRows) {
    Fail("the pictures become ", FormatCount(rows), " rows, and at most ",
         FormatCount(kMostMediaRows), " are possible");
  }
  rows_ = static_cast<uint32_t>(rows);
}

size_t PromptPictures::CountPlaces(const std::vector<int32_t>& ids) const {
  return token_ < 0 ? 0 : static_cast<size_t>(std::count(ids.begin(), ids.end(), token_));
}

void PromptPictures::CheckPlaces(const std::vector<int32_t>& ids) const {
  const size_t places = CountPlaces(ids), pictures = pictures_.size();
  if (places == pictures) return;
  const std::string has = "the prompt has " + PictureMark(model_) + " (token " +
                          std::to_string(token_) + ") " + FormatCount(places, "time") + ", but ";
  if (pictures == 0) Fail(has, "no picture is given: --image FILE, once for each");
  Fail(has, "there ", pictures == 1 ? "is " : "are ", FormatCount(pictures, "picture"),
       ": it stands for one of them each time");
}

std::vector<int32_t> PromptPictures::Tokenize(std::string_view prompt, bool add_special) const {
  std::vector<int32_t> ids = tools::Tokenize(model_, prompt, add_special);
  if (!empty() && CountPlaces(ids) == 0) {
    std::string text;
    for (size_t i = 0; i < pictures_.size(); ++i) text += PictureMark(model_);
    ids = tools::Tokenize(model_, text.append(prompt), add_special);
  }
  CheckPlaces(ids);
  return ids;
}

uint64_t PromptPictures::PositionsOf(const std::vector<int32_t>& ids) const {
  return ids.size() - pictures_.size() + positions_;
}

void PromptPictures::Encode(const Engine& engine) {
  for (Picture& picture : pictures_) {
    media_.push_back(EncodePicture(engine, picture, options_));
    picture.rgb = {};
  }
}

}  // namespace rondo::tools
