#include "platforms/clock.h"

#include "platforms/none/host.h"

namespace rondo {

Nanoseconds Now() { return rondo_host_now_ns(); }

}  // namespace rondo
