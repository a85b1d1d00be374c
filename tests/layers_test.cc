// The house's floors: an include points down the list of layers or stays in its folder. And the
// core calls nothing of libm that is not exact.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/places.h"

namespace {

namespace fs = std::filesystem;

struct Layer {
  std::string_view folder;  // from the top of the repository; the longest match counts
  std::vector<std::string_view> may_include;  // prefixes of quoted paths, beside its own folder
};

// Top to bottom. "xnnpack" and "pthreadpool.h" are the third parties that only some folders see.
const std::vector<Layer>& Layers() {
  static const std::vector<Layer> layers = {
      // Inside tools/convert: what a folder of it may include of the others is in its row.
      {"tools/convert/architectures/",
       {"tools/convert/output/", "tools/convert/sources/", "tools/convert/common/", "tools/common/",
        "runtime/model/", "runtime/base/"}},
      {"tools/convert/calibrate/",  // runs the model whose weights it chooses, and looks into it
       {"tools/convert/output/", "tools/convert/sources/", "tools/convert/common/", "tools/common/",
        "tools/system/", "runtime/engine/", "runtime/decoder/", "runtime/kv/", "runtime/kernels/",
        "runtime/model/", "runtime/text/", "runtime/base/", "platforms/cpu.h",
        "platforms/memory.h"}},
      {"tools/convert/identities/",
       {"tools/convert/output/", "tools/convert/sources/", "tools/convert/common/",
        "runtime/model/", "platforms/cpu.h"}},
      {"tools/convert/output/",  // tries what it has written as a user would
       {"tools/convert/sources/", "tools/convert/common/", "tools/common/", "tools/system/",
        "rondo/", "runtime/model/", "runtime/kernels/", "runtime/base/", "platforms/file_map.h",
        "platforms/cpu.h"}},
      {"tools/convert/tokenizer/",
       {"tools/convert/sources/", "tools/convert/common/", "tools/common/",
        "runtime/generation/grammar_vocabulary.h", "runtime/grammar/", "runtime/text/",
        "runtime/model/", "runtime/base/"}},
      {"tools/convert/sources/",
       {"tools/convert/common/", "tools/common/", "tools/system/", "runtime/model/",
        "runtime/base/"}},
      {"tools/convert/common/", {"tools/common/", "runtime/model/", "runtime/base/"}},
      {"tools/convert/",  // writes what the runtime reads, tries its text and chat before it does,
                          // and the whole file as a user would
       {"tools/", "rondo/", "runtime/model/", "runtime/kernels/", "runtime/text/", "runtime/chat/",
        "runtime/base/", "platforms/file_map.h", "platforms/cpu.h"}},
      {"tools/inspect/",
       {"tools/", "rondo/", "runtime/model/", "runtime/kernels/", "runtime/base/",
        "platforms/file_map.h"}},
      {"tools/bench/probe/",  // looks for the machine's limits
       {"tools/bench/", "platforms/thread_pool.h", "platforms/memory.h", "platforms/cpu.h",
        "platforms/amx_tiles.h"}},
      {"tools/bench/",  // counts a model's weights
       {"tools/", "rondo/", "runtime/model/", "platforms/file_map.h"}},
      {"tools/system/", {}},
      {"tools/", {"rondo/"}},
      {"include/", {"rondo/"}},
      {"c_api/", {"rondo/", "runtime/", "platforms/"}},
      {"runtime/engine/",
       {"runtime/generation/", "runtime/grammar/", "runtime/decoder/", "runtime/sampling/",
        "runtime/text/", "runtime/chat/", "runtime/media/", "runtime/kv/", "runtime/weights/",
        "runtime/kernels/", "runtime/plan/", "runtime/model/", "runtime/base/", "platforms/"}},
      {"runtime/generation/",
       {"runtime/sampling/", "runtime/grammar/", "runtime/text/", "runtime/kv/", "runtime/model/",
        "runtime/base/"}},
      {"runtime/grammar/", {"runtime/base/", "platforms/sync.h"}},
      {"runtime/decoder/",
       {"runtime/kv/", "runtime/weights/", "runtime/kernels/", "runtime/plan/", "runtime/model/",
        "runtime/base/", "platforms/"}},
      {"runtime/sampling/", {"runtime/kv/", "runtime/model/", "runtime/base/"}},
      {"runtime/text/", {"runtime/plan/", "runtime/model/", "runtime/base/", "platforms/"}},
      {"runtime/chat/", {"runtime/model/", "runtime/base/"}},
      {"runtime/media/", {"runtime/kernels/weigh_bytes.h", "runtime/base/"}},
      {"runtime/weights/",
       {"runtime/kernels/", "runtime/plan/", "runtime/model/", "runtime/base/", "platforms/"}},
      {"runtime/kv/",
       {"runtime/kernels/", "runtime/plan/", "runtime/model/", "runtime/base/", "platforms/"}},
      {"runtime/kernels/",
       {"runtime/plan/", "runtime/model/", "runtime/base/", "platforms/", "xnnpack"}},
      {"runtime/plan/", {"runtime/base/", "platforms/"}},
      {"runtime/model/", {"runtime/base/", "platforms/"}},
      {"runtime/base/", {"platforms/"}},
      {"platforms/", {"pthreadpool.h"}},
  };
  return layers;
}

// Angle-bracket headers that belong to one place: operating systems' and third parties'.
struct Reserved {
  std::regex header;
  std::vector<std::string_view> folders;
};

const std::vector<Reserved>& ReservedHeaders() {
  static const std::vector<Reserved> reserved = {
      {std::regex(
           "(sys/"
           ".*|unistd\\.h|fcntl\\.h|io\\.h|pthread\\.h|dlfcn\\.h|sched\\.h|poll\\.h|windows\\.h"
           "|mach/.*|linux/.*|asm/.*|signal\\.h)"),
       {"platforms/", "tools/system/", "tools/pull/", "tools/serve/http/"}},
      {std::regex("(cstdio|stdio\\.h|csignal|time\\.h|ctime|cerrno|errno\\.h|locale|clocale"
                  "|thread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier"
                  "|stop_token|chrono|iostream|fstream|filesystem)"),
       {"platforms/", "tools/"}},
      {std::regex("pthreadpool\\.h"), {"platforms/"}},
      {std::regex("xnnpack.*"), {"runtime/kernels/"}},
      {std::regex("pcre2\\.h"), {"runtime/text/", "tools/"}},
      {std::regex("utf8proc\\.h"), {"runtime/text/", "runtime/chat/", "tools/"}},
      {std::regex("(nlohmann|CLI)/.*"), {"tools/"}},
      {std::regex("(curl|openssl)/.*"), {"tools/pull/"}},
      {std::regex("microhttpd\\.h"), {"tools/serve/http/"}},
      {std::regex("(jpeglib\\.h|jerror\\.h|png\\.h|webp/.*|csetjmp|setjmp\\.h)"),
       {"tools/common/pictures/"}},
  };
  return reserved;
}

const Layer* LayerOf(std::string_view path) {
  for (const Layer& layer : Layers()) {  // tools/convert/ stands before tools/
    if (path.starts_with(layer.folder)) return &layer;
  }
  return nullptr;
}

// Functions whose last place each system's library gives as it likes; even fma is rounded twice by
// one of them. Bits that are equal everywhere take base/portable_math.h's.
const std::regex& InexactCalls() {
  static const std::regex calls(
      R"((^|[^\w:.>])(::)?(std::)?(fma|exp2?|expm1|log(2|10|1p)?|pow|a?(sin|cos|tan)h?|)"
      R"(atan2|cbrt|hypot|erfc?|[lt]gamma)[fl]?\()");
  return calls;
}

// What is wrong with `line` of the file `path`: an include, or a call in the core.
std::optional<std::string> Violation(std::string_view path, const std::string& line) {
  if ((path.starts_with("runtime/") || path.starts_with("c_api/")) &&
      std::regex_search(line.substr(0, line.find("//")), InexactCalls())) {
    return "calls libm where bits matter";
  }
  static const std::regex include(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  std::smatch match;
  if (!std::regex_search(line, match, include)) return std::nullopt;
  const std::string header = match[2];
  for (const Reserved& reserved : ReservedHeaders()) {
    if (!std::regex_match(header, reserved.header)) continue;
    for (std::string_view folder : reserved.folders) {
      if (path.starts_with(folder)) return std::nullopt;
    }
    return "includes " + header + ", which is not for this folder";
  }
  if (match[1] == "<") return std::nullopt;
  const Layer* layer = LayerOf(path);
  if (layer == nullptr) return "lies in no layer";
  // The schema's generated headers belong to the model.
  const std::string target = header.ends_with("_generated.h") ? "runtime/model/" + header : header;
  if (target.starts_with(layer->folder)) return std::nullopt;
  for (std::string_view prefix : layer->may_include) {
    if (target.starts_with(prefix)) return std::nullopt;
  }
  return "includes " + header + ", which is not below it";
}

TEST(Layers, AreKept) {
  const fs::path root = rondo::kSourceFolder;
  size_t files = 0;
  for (const char* folder : {"include", "c_api", "runtime", "platforms", "tools"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      const std::string path = fs::relative(entry.path(), root).generic_string();
      if (!entry.is_regular_file() || (extension != ".h" && extension != ".cc")) continue;
      if (path.starts_with("c_api/bindings/") || path.starts_with("c_api/examples/")) continue;
      ++files;
      std::ifstream in(entry.path());
      size_t number = 0;
      for (std::string line; std::getline(in, line);) {
        ++number;
        if (const auto violation = Violation(path, line)) {
          ADD_FAILURE() << path << ":" << number << " " << *violation;
        }
      }
    }
  }
  EXPECT_GT(files, 10U) << "the sources were not found in " << root;
}

TEST(Layers, WrongArrowsAreSeen) {
  EXPECT_TRUE(Violation("runtime/base/status.h", "#include \"runtime/model/model_file.h\""));
  EXPECT_TRUE(Violation("runtime/plan/memory_plan.cc", "#include \"runtime/model/model_file.h\""));
  EXPECT_TRUE(Violation("runtime/plan/memory_plan.cc", "#include \"section_generated.h\""));
  EXPECT_TRUE(Violation("runtime/text/bpe.cc", "#include \"runtime/sampling/sampler.h\""));
  EXPECT_TRUE(Violation("runtime/decoder/attention.cc", "#include \"xnnpack/gemm.h\""));
  EXPECT_TRUE(Violation("runtime/engine/engine.cc", "  #  include <unistd.h>"));
  EXPECT_TRUE(Violation("runtime/kv/kv_ring.h", "#include <mutex>"));
  EXPECT_TRUE(Violation("tools/run/run.cc", "#include <curl/curl.h>"));
  EXPECT_TRUE(Violation("tools/run/run.cc", "#include <png.h>"));
  EXPECT_TRUE(Violation("tools/run/run.cc", "#include \"runtime/engine/engine.h\""));
  EXPECT_TRUE(Violation("tools/convert/output/pack.cc", "#include \"runtime/engine/engine.h\""));
  EXPECT_TRUE(Violation("tools/convert/sources/source.h",
                        "#include \"tools/convert/architectures/architecture.h\""));
  EXPECT_TRUE(Violation("tools/convert/tokenizer/folder.cc",
                        "#include \"tools/convert/output/file_writer.h\""));
  EXPECT_TRUE(Violation("tools/convert/common/fail.h", "#include \"tools/convert/convert.h\""));
  EXPECT_TRUE(Violation("runtime/new_folder/thing.cc", "#include \"runtime/base/status.h\""));
}

TEST(Layers, CallsOfLibmAreSeen) {
  EXPECT_TRUE(
      Violation("runtime/base/format.cc", "  const double lost = std::fma(a, b, -product);"));
  EXPECT_TRUE(Violation("runtime/kv/ring.cc", "return expf(x);"));
  EXPECT_TRUE(Violation("runtime/kv/ring.cc", "std::acosh(x)"));
  EXPECT_TRUE(Violation("c_api/options.cc", "x = 1 / ::log1p(x);"));
  EXPECT_FALSE(Violation("runtime/kv/ring.cc", "std::fmod(x, 2) + std::sqrt(y);  // no std::exp("));
  EXPECT_FALSE(
      Violation("runtime/chat/chat.cc", "machine.log(x), Machine::pow(x), PortableExp(x)"));
  EXPECT_FALSE(Violation("tools/eval/eval.cc", "std::exp(x)"));
}

TEST(Layers, RightArrowsPass) {
  EXPECT_FALSE(Violation("runtime/kv/ring.cc", "#include \"runtime/kernels/kv_page.h\""));
  EXPECT_FALSE(Violation("runtime/kernels/row_ops.cc", "#include \"xnnpack/gemm.h\""));
  EXPECT_FALSE(Violation("runtime/model/model_file.cc", "#include \"section_generated.h\""));
  EXPECT_FALSE(
      Violation("tools/convert/packer.cc", "#include \"runtime/kernels/packed_linear.h\""));
  EXPECT_FALSE(
      Violation("tools/convert/calibrate/model.cc", "#include \"runtime/engine/engine.h\""));
  EXPECT_FALSE(Violation("tools/run/run.cc", "#include \"rondo/rondo.h\""));
  EXPECT_FALSE(Violation("platforms/file_linux.cc", "#include <sys/mman.h>"));
  EXPECT_FALSE(Violation("runtime/base/status.h", "#include <cstdint>"));
}

}  // namespace
