#include "tools/bench/encode_runner.h"

#include "tools/bench/costs.h"
#include "tools/bench/limits.h"
#include "tools/common/sight.h"
#include "tools/common/stopwatch.h"

namespace rondo::tools {
namespace {

// Pixels that are other ones each time: equal pictures would be encoded once.
class RandomPicture {
 public:
  explicit RandomPicture(PictureSize size) {
    picture_.width = size.width;
    picture_.height = size.height;
    picture_.rgb.resize(size_t{3} * size.width * size.height);
  }
  const Picture& Next() {
    for (uint8_t& byte : picture_.rgb) {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      byte = static_cast<uint8_t>(state_ >> 56);
    }
    return picture_;
  }

 private:
  Picture picture_;
  uint64_t state_ = 1;
};

}  // namespace

void RunEncodeBench(const BenchModel& model, const BenchOptions& options,
                    const BenchCallbacks& callbacks) {
  const rondo_image_facts facts =
      model.handle.ImagePlan(options.picture.width, options.picture.height, options.image);
  const Limits limits(options.probe_bytes);
  RandomPicture picture(options.picture);
  for (const uint32_t threads : options.threads) {
    EngineOptions engine_options;
    engine_options.context = facts.positions;
    engine_options.max_rows = options.max_rows;
    engine_options.max_media_rows = facts.rows;
    engine_options.threads = threads;
    engine_options.kv_format = options.kv_format;
    if (!options.kernels.empty()) engine_options.kernels = options.kernels.c_str();
    const Engine engine = CreateEngine(model.handle, engine_options);
    const rondo_memory_plan plan = engine.Memory();
    if (threads == options.threads.front())
      callbacks.subject(SubjectOf(model.handle, plan.kernels));
    Measurement m;
    m.test = TestKind::kEncode;
    m.threads = plan.threads;
    m.tokens = m.rows = facts.rows;
    m.positions = facts.positions;
    m.patches = facts.patches;
    m.work = EncodeOperations(CostsOf(model.parts, plan.kernels), facts.patches, facts.rows);
    // The int8 peak is no limit of float weights.
    m.limit = m.work > 0 ? Limit::kInt8Peak : Limit::kNone;
    EncodePicture(engine, picture.Next(), options.image);  // to warm up
    for (uint32_t i = 0; i < options.repetitions; ++i) {
      limits.Look(&m);
      const Picture& next = picture.Next();
      m.seconds.push_back(Seconds([&] { EncodePicture(engine, next, options.image); }));
    }
    callbacks.measured(m);
  }
}

}  // namespace rondo::tools
