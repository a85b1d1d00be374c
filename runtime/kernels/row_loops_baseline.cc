// The row loops for what every CPU of the architecture has: SSE2, NEON.
#include "runtime/kernels/low_rank/low_rank_kernels.h"
#include "runtime/kernels/row_loops.h"

namespace rondo {

extern const RowLoops kRowLoopsBaseline;
#if defined(__aarch64__)
constinit const RowLoops kRowLoopsBaseline = WithLowRank(kLoops, kLowRankNeon);
#else
constinit const RowLoops kRowLoopsBaseline = kLoops;
#endif

}  // namespace rondo
