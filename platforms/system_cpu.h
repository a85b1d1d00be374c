// What platforms/common asks the system about x86 CPUs.
#pragma once

namespace rondo {

// Whether the CPU has AMX's tiles and byte products, and the system saves their registers.
bool HasAmx();

// That AllowAmx would say yes, as far as can be told without asking for it.
bool MayAllowAmx();

}  // namespace rondo
