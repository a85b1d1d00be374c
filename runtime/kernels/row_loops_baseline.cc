// The row loops for what every CPU of the architecture has: SSE2, NEON.
#include "runtime/kernels/row_loops.h"

namespace rondo {

extern const RowLoops kRowLoopsBaseline;
const RowLoops kRowLoopsBaseline = kLoops;

}  // namespace rondo
