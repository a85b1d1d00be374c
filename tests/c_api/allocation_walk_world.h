// What the scenarios of the allocation walk are made of: models, engines, adapters, texts.
#pragma once

#include <string>
#include <vector>

#include "tests/c_api/allocation_walk.h"
#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test {

inline constexpr const char* kStory = "Once upon a time, there was a girl. Her name was Lily.";

// Of these the tiny model has patterns in its tokenizer and no chat template; the talker a Unigram
// model, a normalizer with a pattern, and a template that shows thoughts and calls; the embedder
// makes vectors of texts. The files are made once, before the processes that use them.
struct WalkFiles {
  std::string tiny, adapter, talker, embedder, seeing;
};
const WalkFiles& FilesOfWalk();

// Of one process; each part is made when it is first asked for.
class World {
 public:
  rondo_model* tiny();
  rondo_model* talker();
  rondo_model* embedder();
  rondo_model* seeing();
  rondo_adapter* adapter();  // of the tiny model
  rondo_engine* engine();    // of the tiny model, with room for adapters
  rondo_engine* talker_engine();
  rondo_engine* embedder_engine();
  rondo_engine* seeing_engine();
  // A picture of the seeing engine's.
  rondo_media* media();

  // The options of engine().
  static rondo_engine_options Options();
  // Of the tiny model, with a prompt.
  Session Prompted();

 private:
  Model tiny_, talker_, embedder_, seeing_;
  Adapter adapter_;
  Engine engine_, talker_engine_, embedder_engine_, seeing_engine_;
  Media media_;
};
World& TheWorld();

// Of noise, 40 x 40.
rondo_image WalkImage();
rondo_image_options WalkImageOptions();
rondo_model* OpenForWalk(const std::string& path);
// What a session makes of a prompt: some tokens and their text.
std::string Speak(rondo_model* model, rondo_session* session);
// The same of a new session.
std::string Speak(rondo_model* model, rondo_engine* engine);
// What a model is: its facts, and ids of a text.
std::string Describe(rondo_model* model);

// The scenarios of functions that may take memory, and of those that must not.
void AddCreations(std::vector<Scenario>* scenarios);
void AddChat(std::vector<Scenario>* scenarios);
void AddQuiet(std::vector<Scenario>* scenarios);

}  // namespace rondo::abi_test
