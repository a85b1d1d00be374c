#include "tools/pull/pull.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <thread>

#include "tools/common/error.h"
#include "tools/common/interrupt.h"
#include "tools/common/numbers.h"
#include "tools/convert/sources/checkpoint_files.h"
#include "tools/convert/sources/input_file.h"
#include "tools/pull/hub.h"
#include "tools/pull/unfinished_file.h"
#include "tools/system/name_beside.h"

namespace rondo::tools {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSpareBytes = 64u << 20;  // that a disk should have left
constexpr long kMostPatience = 600;          // seconds that a server may ask for

// What the hub has of a model. Small files are downloaded where they are read.
class ListedFiles final : public convert::FolderFiles {
 public:
  using Download = std::function<fs::path(const HubFile&)>;
  ListedFiles(const HubListing& listing, std::string name, Download download)
      : listing_(listing), name_(std::move(name)), download_(std::move(download)) {}

  bool Has(const std::string& path) const override { return listing_.Find(path) != nullptr; }

  std::vector<std::string> In(const std::string& folder) const override {
    std::vector<std::string> names;
    for (const HubFile& file : listing_.files) {
      if (!file.path.starts_with(folder)) continue;
      const std::string name = file.path.substr(folder.size());
      if (name.find('/') == std::string::npos) names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
  }

  std::string Read(const std::string& path, uint64_t max_bytes) const override {
    const HubFile& file = *listing_.Find(path);
    if (file.size > max_bytes) {
      Fail(Called(path), " has ", file.size, " bytes, expected at most ", max_bytes);
    }
    return convert::ReadWholeFile(download_(file), max_bytes);
  }

  std::string Called(const std::string& path) const override {
    return path.empty() ? name_ : name_ + "/" + path;
  }

 private:
  const HubListing& listing_;
  const std::string name_;
  const Download download_;
};

class Puller {
 public:
  Puller(const PullOptions& options, const PullProgress& progress,
         const std::function<void(const std::string&)>& note)
      : options_(options),
        progress_(progress),
        note_(note),
        folder_(HubModelFolder(options.name)),
        hub_(options.hub, {options.token, options.timeout_seconds}) {}

  Pulled Run() {
    if (!IsPlainPath(options_.revision)) {
      Fail("the revision ", options_.revision, " is not the name of a branch, tag or commit");
    }
    HubListing listing;
    Try([&] { listing = hub_.List(options_.name, options_.revision); }, [] { return uint64_t{0}; });
    MakeFolder(folder_ / "blobs");
    const std::vector<HubFile> files = Choose(listing);
    CheckRoom(files);
    for (const HubFile& file : files) {
      if (!Has(file)) Fetch(listing.commit, file);
      done_ += file.size;
      progress_(done_, total_);
    }
    Pulled pulled = {folder_ / "snapshots" / listing.commit, {}};
    for (const HubFile& file : files) {
      Link(pulled.snapshot, file);
      pulled.files.push_back(file.path);
    }
    if (options_.revision != listing.commit) WriteRef(listing.commit);
    return pulled;
  }

 private:
  std::vector<HubFile> Choose(const HubListing& listing) {
    if (!options_.files.empty()) {
      std::vector<HubFile> chosen = ChooseByPattern(listing, options_.files);
      if (options_.with_mmproj) AddMmproj(listing, chosen);
      return chosen;
    }
    const ListedFiles files(listing, options_.name.text(), [&](const HubFile& file) {
      if (!Has(file)) Fetch(listing.commit, file);
      return Blob(file);
    });
    return ChooseConverted(listing, files, options_.kind);
  }

  // Again where a connection was lost, each time after twice the time, and not before the server
  // asks for it. Tries count from the last that brought `progress` further than any before. A hub
  // that has never been reached and has no address is not there: the machine has no connection, or
  // the name is wrong.
  template <typename Action, typename Progress>
  void Try(const Action& action, const Progress& progress) {
    std::chrono::milliseconds wait(options_.wait_ms);
    uint64_t furthest = progress();
    for (int n = 1;; ++n, wait *= 2) {
      long patience = 0;
      try {
        action();
        reached_ = true;
        return;
      } catch (const ConnectionLost& lost) {
        if (lost.details().no_such_host && !reached_) {
          Fail(lost.what(), "; what was downloaded before `rondo convert ", options_.name.text(),
               "` takes without a connection");
        }
        if (progress() > furthest) {
          furthest = progress();
          n = 1;
          wait = std::chrono::milliseconds(options_.wait_ms);
        }
        if (n >= options_.tries) Fail(lost.what(), ", tried ", FormatCount(n, "time"));
        patience = lost.details().retry_after;
        if (patience > kMostPatience) {
          Fail(lost.what(), " and asks to be left alone for ", FormatCount(patience, "second"));
        }
        note_(
            std::string(lost.what()) + "; trying again" +
            (patience > 0 ? " after the " + FormatCount(patience, "second") + " it asks for" : ""));
      }
      const auto until = std::chrono::steady_clock::now() +
                         std::max<std::chrono::milliseconds>(wait, std::chrono::seconds(patience));
      while (std::chrono::steady_clock::now() < until) {
        CheckInterrupt();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
  }

  static void MakeFolder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) Fail(folder.string(), " cannot be made: ", error.message());
  }

  fs::path Blob(const HubFile& file) const { return folder_ / "blobs" / file.id; }

  bool Has(const HubFile& file) const {
    std::error_code error;
    return fs::is_regular_file(Blob(file), error) && fs::file_size(Blob(file), error) == file.size;
  }

  void CheckRoom(const std::vector<HubFile>& files) {
    uint64_t missing = 0;
    std::set<std::string> ids;
    for (const HubFile& file : files) {
      total_ += file.size;
      if (!Has(file) && ids.insert(file.id).second) missing += file.size;
    }
    std::error_code error;
    const fs::space_info space = fs::space(folder_, error);
    if (!error && missing > 0 && space.available < missing + kSpareBytes) {
      Fail(folder_.string(), ": the disk has ", space.available, " bytes left, the model needs ",
           missing);
    }
  }

  // One try more for a file whose bytes were wrong, as what an earlier download left may have been.
  void Fetch(const std::string& commit, const HubFile& file) {
    const std::string url = hub_.FileUrl(options_.name, commit, file);
    UnfinishedFile unfinished(Blob(file), file.size, file.kind);
    bool resumed = unfinished.bytes() > 0;
    while (true) {
      const auto download = [&] {
        if (unfinished.bytes() == file.size) return;
        const HttpReply reply = hub_.http().Download(
            url, unfinished.bytes(), file.size,
            [&](uint64_t from) {
              if (from != unfinished.bytes()) unfinished.Restart();
            },
            [&](std::string_view bytes) {
              unfinished.Write(bytes);
              progress_(done_ + unfinished.bytes(), total_);
            });
        if (reply.status == 416) {  // no such range
          unfinished.Restart();
          throw ConnectionLost(url + ": the server has fewer bytes than the " +
                               std::to_string(file.size) + " it listed");
        }
        hub_.CheckStatus(reply, options_.name.text() + "'s " + file.path);
      };
      Try(download, [&] { return unfinished.bytes(); });
      const std::string digest = unfinished.Finish();
      if (digest == file.id) break;
      unfinished.Restart();
      if (!resumed) {
        Fail(url, ": what came has checksum ", digest, ", the hub says ", file.id,
             "; nothing of it was kept");
      }
      note_(file.path + ": what an earlier download left was damaged; loading it anew");
      resumed = false;
    }
    unfinished.Commit();
  }

  // snapshots/COMMIT/PATH -> ../../blobs/ID
  void Link(const fs::path& snapshot, const HubFile& file) const {
    const fs::path link = snapshot / file.path;
    MakeFolder(link.parent_path());
    const fs::path target = fs::relative(Blob(file), link.parent_path());
    std::error_code error;
    if (fs::is_symlink(link, error) && fs::read_symlink(link, error) == target) return;
    const fs::path beside = NameBeside(link);
    fs::remove(beside, error);
    fs::create_symlink(target, beside, error);
    if (!error) fs::rename(beside, link, error);
    if (error) Fail(link.string(), " cannot be made: ", error.message());
  }

  void WriteRef(const std::string& commit) const {
    const fs::path ref = folder_ / "refs" / options_.revision;
    MakeFolder(ref.parent_path());
    const fs::path beside = NameBeside(ref);
    std::ofstream(beside) << commit;
    std::error_code error;
    fs::rename(beside, ref, error);
    if (error) Fail(ref.string(), " cannot be written: ", error.message());
  }

  const PullOptions& options_;
  const PullProgress& progress_;
  const std::function<void(const std::string&)>& note_;
  const fs::path folder_;
  Hub hub_;
  bool reached_ = false;
  uint64_t done_ = 0, total_ = 0;
};

}  // namespace

Pulled Pull(const PullOptions& options, const PullProgress& progress,
            const std::function<void(const std::string&)>& note) {
  return Puller(options, progress, note).Run();
}

}  // namespace rondo::tools
