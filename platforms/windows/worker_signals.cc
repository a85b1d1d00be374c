#include "platforms/worker_signals.h"

namespace rondo {

WorkerSignals::WorkerSignals() = default;
WorkerSignals::~WorkerSignals() = default;

}  // namespace rondo
