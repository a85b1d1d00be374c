// The row loops for AVX2.
#if defined(__x86_64__)

#include "runtime/kernels/low_rank/low_rank_kernels.h"
#include "runtime/kernels/row_loops.h"

namespace rondo {

extern const RowLoops kRowLoopsAvx2;
constinit const RowLoops kRowLoopsAvx2 = WithLowRank(kLoops, kLowRankAvx2);

}  // namespace rondo

#endif  // __x86_64__
