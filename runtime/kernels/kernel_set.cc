#include "runtime/kernels/kernel_set.h"

namespace rondo {

#if defined(__x86_64__)
extern const KernelSet kKernelsAmx;
extern const KernelSet kKernelsAvx512Vnni;
extern const KernelSet kKernelsAvx512VnniZen4;
extern const KernelSet kKernelsAvxVnni;
extern const KernelSet kKernelsAvx2;
extern const KernelSet kKernelsSse41;
#elif defined(__aarch64__)
extern const KernelSet kKernelsI8mm;
extern const KernelSet kKernelsNeonDot;
extern const KernelSet kKernelsSme;
extern const KernelSet kKernelsNeon;
#elif defined(__arm__) && __ARM_ARCH_PROFILE == 'A'
extern const KernelSet kKernelsNeonDot;
extern const KernelSet kKernelsNeon;
#elif defined(RONDO_RVV)
extern const KernelSet kKernelsRvv256;
extern const KernelSet kKernelsRvv128;
#elif defined(__wasm_simd128__)
// Both are in modules for hosts with relaxed SIMD alone: elsewhere they are at no address.
extern const KernelSet kKernelsWasmUnsignedDot __attribute__((weak));
extern const KernelSet kKernelsWasmSignedDot __attribute__((weak));
extern const KernelSet kKernelsWasmSimd;
#endif
extern const KernelSet kKernelsScalar;

namespace {
constexpr const KernelSet* kSets[] = {
#if defined(__x86_64__)
    &kKernelsAmx,     &kKernelsAvx512Vnni, &kKernelsAvx512VnniZen4,
    &kKernelsAvxVnni, &kKernelsAvx2,       &kKernelsSse41,
#elif defined(__aarch64__)
    &kKernelsI8mm,   &kKernelsNeonDot,
    &kKernelsSme,  // had by its name alone: every CPU with it has those above
    &kKernelsNeon,
#elif defined(__arm__) && __ARM_ARCH_PROFILE == 'A'
    &kKernelsNeonDot,
    &kKernelsNeon,
#elif defined(RONDO_RVV)
    &kKernelsRvv256,
    &kKernelsRvv128,
#elif defined(__wasm_simd128__)
    &kKernelsWasmUnsignedDot,
    &kKernelsWasmSignedDot,
    &kKernelsWasmSimd,
#endif
    &kKernelsScalar,
};
}  // namespace

std::span<const KernelSet* const> AllKernelSets() {
#if defined(__wasm_simd128__)
  if (&kKernelsWasmUnsignedDot == nullptr) return std::span(kSets).subspan(2);
#endif
  return kSets;
}

const KernelSet* SelectKernelSet(std::string_view name) {
  for (const KernelSet* set : AllKernelSets()) {
    if ((name.empty() || name == set->name) && set->available()) return set;
  }
  return nullptr;
}

}  // namespace rondo
