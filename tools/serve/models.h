// Models: those that are served, loaded when they are first asked for and as long as there is room.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tools/serve/served_model.h"

namespace rondo::tools::serve {

// What is known of a model before it is loaded.
struct ModelCard {
  ModelWish wish;
  ModelKind kind = ModelKind::kPredicts;
  uint64_t bytes = 0;  // of its engine's arena
  uint32_t context = 0;
  bool sees = false, has_chat = false;
};

// A model that a request names, or an adapter's, which is then not null.
struct FoundModel {
  std::shared_ptr<ServedModel> model;
  const rondo::Adapter* adapter = nullptr;
};

class Models {
 public:
  // Plans all of them. Throws Error: one cannot be opened, two have one name, or one takes more
  // than `most_bytes`, what all that are loaded may take together.
  Models(const std::vector<ModelWish>& wishes, uint64_t most_bytes);

  const std::vector<ModelCard>& cards() const { return cards_; }
  uint64_t most_bytes() const { return most_bytes_; }
  bool IsLoaded(size_t card) const;
  // Of all that are loaded: what is to be told of them.
  std::vector<std::shared_ptr<ServedModel>> Loaded() const;

  // Loads it where it is not there, in the place of those that are not used, the last used last;
  // waits for what others load. "": the only one, or the first. Throws ApiError: there is none of
  // this name, it cannot be loaded, or those in use leave no room.
  FoundModel Find(const std::string& name);
  // A model may be used no more: to be told when a generation has ended.
  void Notify();
  // Whether there is one of this name, or an adapter.
  bool Has(const std::string& name) const;

 private:
  struct Place {
    std::shared_ptr<ServedModel> model;  // null: not loaded
    bool is_loading = false;
    uint64_t used = 0;  // when it was last asked for
  };

  size_t CardOf(const std::string& name, std::string* adapter) const;
  bool MakeRoom(size_t card);
  void Load(size_t card, std::unique_lock<std::mutex>* lock);

  std::vector<ModelCard> cards_;
  const uint64_t most_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Place> places_;
  uint64_t clock_ = 0;
};

}  // namespace rondo::tools::serve
