// The row loops for AVX-512 with BW, DQ and VL.
#if defined(__x86_64__)

#include "runtime/kernels/row_loops.h"

namespace rondo {

extern const RowLoops kRowLoopsAvx512;
const RowLoops kRowLoopsAvx512 = kLoops;

}  // namespace rondo

#endif  // __x86_64__
