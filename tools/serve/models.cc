#include "tools/serve/models.h"

#include <algorithm>
#include <chrono>

#include "tools/common/numbers.h"
#include "tools/serve/api_error.h"

namespace rondo::tools::serve {
namespace {

ModelCard CardFor(const ModelWish& wish, uint64_t most_bytes) {
  try {
    const ModelFiles files = Explained([&wish] { return ModelFiles(wish); });
    const rondo_embedder_facts embedder = files.model.EmbedderInfo();
    const rondo::EngineOptions options = EngineOptionsOf(files, wish);
    const rondo_memory_plan plan = files.model.Plan(options);
    ModelCard card = {wish};
    card.kind = embedder.dimensions == 0     ? ModelKind::kPredicts
                : embedder.scores_pairs != 0 ? ModelKind::kScores
                                             : ModelKind::kEmbeds;
    card.bytes = plan.arena_bytes;
    card.context = plan.context;
    card.sees = options.max_media_rows > 0;
    card.has_chat = !ChatTemplateNames(files.model).empty();
    if (card.bytes > most_bytes) {
      Fail("it takes ", FormatBytes(card.bytes), ", but --memory is ", FormatBytes(most_bytes),
           ": choose a smaller --context, fewer --sessions, or more memory");
    }
    return card;
  } catch (const std::exception& error) {
    Fail(wish.path, ": ", error.what());
  }
}

}  // namespace

Models::Models(const std::vector<ModelWish>& wishes, uint64_t most_bytes)
    : most_bytes_(most_bytes) {
  std::vector<std::string> names;
  for (const ModelWish& wish : wishes) {
    cards_.push_back(CardFor(wish, most_bytes));
    names.push_back(wish.name);
    for (const AdapterWish& one : wish.adapters) names.push_back(one.name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) Fail("two models or adapters are called ", *twice);
  places_.resize(cards_.size());
}

bool Models::IsLoaded(size_t card) const {
  const std::lock_guard lock(mutex_);
  return places_[card].model != nullptr;
}

std::vector<std::shared_ptr<ServedModel>> Models::Loaded() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<ServedModel>> models;
  for (const Place& place : places_) {
    if (place.model) models.push_back(place.model);
  }
  return models;
}

bool Models::Has(const std::string& name) const {
  std::string adapter;
  return CardOf(name, &adapter) < cards_.size();
}

size_t Models::CardOf(const std::string& name, std::string* adapter) const {
  if (name.empty()) return 0;
  for (size_t i = 0; i < cards_.size(); ++i) {
    const ModelWish& wish = cards_[i].wish;
    if (wish.name == name) return i;
    for (const AdapterWish& one : wish.adapters) {
      if (one.name != name) continue;
      *adapter = name;
      return i;
    }
  }
  return cards_.size();
}

// Unloads what nobody uses until it fits; false: those in use leave too little.
bool Models::MakeRoom(size_t card) {
  for (;;) {
    uint64_t bytes = cards_[card].bytes;
    size_t oldest = places_.size();
    for (size_t i = 0; i < places_.size(); ++i) {
      const Place& place = places_[i];
      if (i == card || (place.model == nullptr && !place.is_loading)) continue;
      bytes += cards_[i].bytes;
      const bool is_idle = place.model.use_count() == 1;
      if (is_idle && (oldest == places_.size() || place.used < places_[oldest].used)) oldest = i;
    }
    if (bytes <= most_bytes_) return true;
    if (oldest == places_.size()) return false;
    places_[oldest].model.reset();
  }
}

void Models::Load(size_t card, std::unique_lock<std::mutex>* lock) {
  Place& place = places_[card];
  place.is_loading = true;
  lock->unlock();
  std::shared_ptr<ServedModel> loaded;
  std::string why;
  try {
    loaded = std::make_shared<ServedModel>(cards_[card].wish);
  } catch (const std::exception& error) {
    why = error.what();
  }
  lock->lock();
  place.is_loading = false;
  place.model = std::move(loaded);
  changed_.notify_all();
  if (!place.model) throw ApiError(500, cards_[card].wish.name + " cannot be loaded: " + why);
}

void Models::Notify() { changed_.notify_all(); }

FoundModel Models::Find(const std::string& name) {
  std::string adapter;
  const size_t card = CardOf(name, &adapter);
  if (card == cards_.size()) {
    std::string known;
    for (const ModelCard& one : cards_) known += (known.empty() ? "" : ", ") + one.wish.name;
    throw ApiError(404, "there is no model " + name + ", but " + known, "/model",
                   "model_not_found");
  }
  std::unique_lock lock(mutex_);
  Place& place = places_[card];
  place.used = ++clock_;
  while (place.model == nullptr) {
    changed_.wait(lock, [&place] { return !place.is_loading; });
    if (place.model != nullptr) break;
    constexpr auto kPatience = std::chrono::seconds(3);
    constexpr auto kLook = std::chrono::milliseconds(20);  // not all who let go of a model tell it
    const auto is_due = [&] { return place.model || place.is_loading || MakeRoom(card); };
    const auto last = std::chrono::steady_clock::now() + kPatience;
    bool due = false;
    while (!due && std::chrono::steady_clock::now() < last) {
      due = changed_.wait_for(lock, kLook, is_due);
    }
    if (!due) {
      throw ApiError(503, "the models in use leave too little memory for " + cards_[card].wish.name,
                     "", "memory_full")
          .RetryAfter(5);
    }
    if (!place.model && !place.is_loading) Load(card, &lock);
  }
  return {place.model, adapter.empty() ? nullptr : place.model->FindAdapter(adapter)};
}

}  // namespace rondo::tools::serve
