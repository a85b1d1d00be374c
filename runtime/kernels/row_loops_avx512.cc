// The row loops for AVX-512 with BW, DQ and VL.
#if defined(__x86_64__)

#include "runtime/kernels/low_rank/low_rank_kernels.h"
#include "runtime/kernels/row_loops.h"

namespace rondo {

extern const RowLoops kRowLoopsAvx512;
constinit const RowLoops kRowLoopsAvx512 = WithLowRank(kLoops, kLowRankAvx512);

}  // namespace rondo

#endif  // __x86_64__
