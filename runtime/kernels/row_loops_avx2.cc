// The row loops for AVX2.
#if defined(__x86_64__)

#include "runtime/kernels/row_loops.h"

namespace rondo {

extern const RowLoops kRowLoopsAvx2;
const RowLoops kRowLoopsAvx2 = kLoops;

}  // namespace rondo

#endif  // __x86_64__
