# The XNNPACK microkernels that Rondo calls, by instruction set. Nothing else of XNNPACK's several
# thousand kernels is compiled. To add one: put its file's name (without .c) below; the function it
# defines has the same name with underscores.

# rondo_kernels(FLAGS DIR STEM...): compile src/DIR/gen/STEM.c with FLAGS ("" for none).
function(rondo_kernels flags dir)
  separate_arguments(flags)
  foreach(stem IN LISTS ARGN)
    set(file "${xnnpack_SOURCE_DIR}/src/${dir}/gen/${stem}.c")
    set_source_files_properties("${file}" PROPERTIES COMPILE_OPTIONS "-fno-math-errno;${flags}")
    target_sources(rondo_xnnpack PRIVATE "${file}")
  endforeach()
endfunction()

# rondo_unsigned_kernels(PREFIX FLAGS DIR STEM...): the same kernels for inputs that hold q + 128.
# vpdpbusd wants one operand unsigned; XNNPACK's kernels flip the inputs' sign for each tile of
# channels again, which takes a third of the issue slots on CPUs with two vector ports. Compiled
# without the flip, as PREFIX_NAME, they do the same arithmetic on the same numbers.
#
# PREFIX is rondo_unsigned, or rondo_ahead: where such a kernel reads 896 bytes ahead, it then reads
# into the second-level cache 8 KB and into the first 4 KB ahead. From memory that is worth 1.05 (q8)
# and 1.5 times (q4b) with one row, 1.35 with four and eight, on Intel's (Emerald Rapids). The rows of
# a prompt behind the first eight find the weights in the second-level cache, and do better without.
function(rondo_unsigned_kernels prefix flags dir)
  separate_arguments(flags)
  foreach(stem IN LISTS ARGN)
    set(file "${xnnpack_SOURCE_DIR}/src/${dir}/gen/${stem}.c")
    file(READ "${file}" source)
    string(REGEX MATCH "xnn_[a-z0-9_]+_ukernel_[a-z0-9_]+" function "${source}")
    if(source MATCHES "_mm512_xor_epi(32|64)\\(_mm512_set1_epi(32|64)\\(" AND function)
      set(changes "#define _mm512_xor_epi32(inputs, sign) (inputs)
#define _mm512_xor_epi64(inputs, sign) (inputs)")
    else()
      message(FATAL_ERROR "${file} is not the pinned one: it does not read its inputs as expected")
    endif()
    if(prefix STREQUAL "rondo_ahead")
      if(NOT source MATCHES "xnn_prefetch_to_l1\\(\\(const int8_t\\*\\) w \\+ 896\\)")
        message(FATAL_ERROR "${file} is not the pinned one: it does not read ahead as expected")
      endif()
      string(APPEND changes "
#include \"xnnpack/prefetch.h\"
#define xnn_prefetch_to_l1(at) \\
  (__builtin_prefetch((const char*)(at) + (8192 - 896), 0, 2), \\
   __builtin_prefetch((const char*)(at) + (4096 - 896), 0, 3))")
    endif()
    set(copy "${PROJECT_BINARY_DIR}/xnnpack/${prefix}-${stem}.c")
    file(CONFIGURE OUTPUT "${copy}" @ONLY CONTENT "#include <immintrin.h>
@changes@
#define @function@ @prefix@_@function@
#include \"@file@\"
")
    set_source_files_properties("${copy}" PROPERTIES COMPILE_OPTIONS "-fno-math-errno;${flags}")
    target_sources(rondo_xnnpack PRIVATE "${copy}")
  endforeach()
endfunction()

# Tables of powers of two, shared by the exponentials.
foreach(table exp2-k-over-64 exp2-k-over-2048 exp2minus-k-over-64 exp2minus-k-over-2048)
  target_sources(rondo_xnnpack PRIVATE "${xnnpack_SOURCE_DIR}/src/tables/${table}.c")
endforeach()

# scalar: the portable twin, compiled everywhere
rondo_kernels("" f32-gemm f32-gemm-1x4-minmax-scalar f32-gemm-4x4-minmax-scalar)
rondo_kernels("" f32-qs8-vcvt f32-qs8-vcvt-scalar-lrintf-u4)
rondo_kernels("" f32-raddstoreexpminusmax f32-raddstoreexpminusmax-scalar-rr2-p5-u4-acc2)
rondo_kernels("" f32-rminmax f32-rmax-scalar-u4-acc4 f32-rminmax-scalar-u4-acc4)
rondo_kernels("" f32-vbinary f32-vmul-scalar-u8)
rondo_kernels("" f32-vsigmoid f32-vsigmoid-scalar-rr2-lut64-p2-div-u2)
rondo_kernels("" f32-vgelu f32-vgelu-scalar-rational-12-10-div)
rondo_kernels("" f32-vtanh f32-vtanh-scalar-rational-9-8-div)
rondo_kernels("" qd8-f32-qb4w-gemm
  qd8-f32-qb4w-gemm-1x4-minmax-scalar
  qd8-f32-qb4w-gemm-4x4-minmax-scalar)
rondo_kernels("" qd8-f32-qc8w-gemm
  qd8-f32-qc8w-gemm-1x4-minmax-scalar
  qd8-f32-qc8w-gemm-4x4-minmax-scalar)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  # sse
  set(flags "-msse -mno-sse2")
  rondo_kernels("${flags}" f32-gemm f32-gemm-1x8-minmax-sse-dup f32-gemm-4x8-minmax-sse-dup)
  rondo_kernels("${flags}" f32-rminmax f32-rmax-sse-u16-acc4 f32-rminmax-sse-u16-acc4)
  rondo_kernels("${flags}" f32-vbinary f32-vmul-sse-u8)

  # sse2
  set(flags "-msse2 -mno-sse3")
  rondo_kernels("${flags}" f32-raddstoreexpminusmax f32-raddstoreexpminusmax-sse2-rr2-p5-u16-acc2)
  rondo_kernels("${flags}" f32-vgelu f32-vgelu-sse2-rational-12-10-div)
  rondo_kernels("${flags}" f32-vtanh f32-vtanh-sse2-rational-9-8-div)

  # sse41
  set(flags "-msse4.1 -mno-sse4.2")
  rondo_kernels("${flags}" f32-qs8-vcvt f32-qs8-vcvt-sse41-u32)
  rondo_kernels("${flags}" f32-vsigmoid f32-vsigmoid-sse41-rr2-lut64-p2-div-u8)
  rondo_kernels("${flags}" qd8-f32-qc8w-gemm
    qd8-f32-qc8w-gemm-1x4c8-minmax-sse41-ld64
    qd8-f32-qc8w-gemm-2x4c8-minmax-sse41-ld64
    qd8-f32-qc8w-gemm-3x4c8-minmax-sse41-ld64
    qd8-f32-qc8w-gemm-4x4c8-minmax-sse41-ld64)

  # avx
  set(flags "-mavx -mno-avx2 -mno-fma -mno-f16c")
  rondo_kernels("${flags}" f32-rminmax f32-rmax-avx-u32-acc4 f32-rminmax-avx-u32-acc4)
  rondo_kernels("${flags}" f32-vbinary f32-vmul-avx-u16)

  # fma3
  set(flags "-mf16c -mfma -mno-avx2")
  rondo_kernels("${flags}" f32-gemm
    f32-gemm-1x16-minmax-fma3-broadcast
    f32-gemm-3x16-minmax-fma3-broadcast
    f32-gemm-5x16-minmax-fma3-broadcast)
  rondo_kernels("${flags}" f32-vgelu f32-vgelu-fma3-rational-12-10-div)
  rondo_kernels("${flags}" f32-vtanh f32-vtanh-fma3-rational-9-8-div)

  # avx2
  set(flags "-mf16c -mfma -mavx2")
  rondo_kernels("${flags}" f32-qs8-vcvt f32-qs8-vcvt-avx2-u64)
  rondo_kernels("${flags}" f32-raddstoreexpminusmax f32-raddstoreexpminusmax-avx2-rr2-p5-u32-acc2)
  rondo_kernels("${flags}" f32-vsigmoid f32-vsigmoid-avx2-rr1-p5-div-u40)

  # avxvnni: what is not avx2's
  rondo_kernels("${flags}" f32-qu8-vcvt f32-qu8-vcvt-avx2-u64)

  # avx512f
  set(flags "-mavx512f")
  rondo_kernels("${flags}" f32-gemm
    f32-gemm-1x16-minmax-avx512f-broadcast
    f32-gemm-4x16-minmax-avx512f-broadcast
    f32-gemm-7x16-minmax-avx512f-broadcast)
  rondo_kernels("${flags}" f32-raddstoreexpminusmax
    f32-raddstoreexpminusmax-avx512f-rr2-p5-u64-acc2)
  rondo_kernels("${flags}" f32-rminmax f32-rmax-avx512f-u64-acc4 f32-rminmax-avx512f-u64-acc4)
  rondo_kernels("${flags}" f32-vbinary f32-vmul-avx512f-u32)
  rondo_kernels("${flags}" f32-vgelu f32-vgelu-avx512f-rational-12-10-div)
  rondo_kernels("${flags}" f32-vtanh f32-vtanh-avx512f-rational-9-8-div)
  rondo_kernels("${flags}" f32-vsigmoid f32-vsigmoid-avx512f-rr2-lut32-p2-perm2-scalef-div-u64)

  # avx512skx
  set(flags "-mf16c -mfma -mavx512f -mavx512cd -mavx512bw -mavx512dq -mavx512vl")
  rondo_kernels("${flags}" f32-qs8-vcvt f32-qs8-vcvt-avx512skx-u128)
  rondo_kernels("${flags}" f32-qu8-vcvt f32-qu8-vcvt-avx512skx-u128)

  # avx512vnni
  set(flags "-mf16c -mfma -mavx512f -mavx512cd -mavx512bw -mavx512dq -mavx512vl -mavx512vnni")
  rondo_unsigned_kernels(rondo_unsigned "${flags}" qd8-f32-qb4w-gemm
    qd8-f32-qb4w-gemm-1x16c8-minmax-avx512vnni
    qd8-f32-qb4w-gemm-5x16c8-minmax-avx512vnni-prfm
    qd8-f32-qb4w-gemm-8x16c8-minmax-avx512vnni-prfm)
  rondo_unsigned_kernels(rondo_unsigned "${flags}" qd8-f32-qc8w-gemm
    qd8-f32-qc8w-gemm-1x16c4-minmax-avx512vnni
    qd8-f32-qc8w-gemm-4x16c4-minmax-avx512vnni
    qd8-f32-qc8w-gemm-8x16c4-minmax-avx512vnni
    qd8-f32-qc8w-gemm-1x16c8-minmax-avx512vnni
    qd8-f32-qc8w-gemm-5x16c8-minmax-avx512vnni-prfm
    qd8-f32-qc8w-gemm-8x16c8-minmax-avx512vnni-prfm)
  rondo_unsigned_kernels(rondo_ahead "${flags}" qd8-f32-qb4w-gemm
    qd8-f32-qb4w-gemm-1x16c8-minmax-avx512vnni-prfm
    qd8-f32-qb4w-gemm-5x16c8-minmax-avx512vnni-prfm
    qd8-f32-qb4w-gemm-8x16c8-minmax-avx512vnni-prfm)
  rondo_unsigned_kernels(rondo_ahead "${flags}" qd8-f32-qc8w-gemm
    qd8-f32-qc8w-gemm-1x16c4-minmax-avx512vnni-prfm
    qd8-f32-qc8w-gemm-4x16c4-minmax-avx512vnni-prfm
    qd8-f32-qc8w-gemm-8x16c4-minmax-avx512vnni-prfm
    qd8-f32-qc8w-gemm-1x16c8-minmax-avx512vnni-prfm
    qd8-f32-qc8w-gemm-5x16c8-minmax-avx512vnni-prfm
    qd8-f32-qc8w-gemm-8x16c8-minmax-avx512vnni-prfm)

elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
  # neon: part of every aarch64
  rondo_kernels("" f32-gemm
    f32-gemm-1x8-minmax-aarch64-neonfma-lane-ld128
    f32-gemm-4x8-minmax-aarch64-neonfma-lane-ld128
    f32-gemm-6x8-minmax-aarch64-neonfma-lane-ld128)
  rondo_kernels("" f32-qs8-vcvt f32-qs8-vcvt-neonv8-u32)
  rondo_kernels("" f32-raddstoreexpminusmax f32-raddstoreexpminusmax-neonfma-rr1-lut64-p2-u16-acc2)
  rondo_kernels("" f32-rminmax f32-rmax-neon-u16-acc4 f32-rminmax-neon-u16-acc4)
  rondo_kernels("" f32-vbinary f32-vmul-neon-u8)
  rondo_kernels("" f32-vsigmoid f32-vsigmoid-neonfma-rr1-lut64-p2-nr2recps-u16)
  rondo_kernels("" f32-vgelu f32-vgelu-neon-rational-12-10-div)
  rondo_kernels("" f32-vtanh f32-vtanh-neon-rational-9-8-div)
  rondo_kernels("" qd8-f32-qb4w-gemm
    qd8-f32-qb4w-gemm-1x16-minmax-neon-mlal-lane
    qd8-f32-qb4w-gemm-2x16-minmax-neon-mlal-lane
    qd8-f32-qb4w-gemm-4x16-minmax-neon-mlal-lane)

  # neondot
  set(flags "-march=armv8.2-a+dotprod")
  rondo_kernels("${flags}" qd8-f32-qb4w-gemm
    qd8-f32-qb4w-gemm-1x16c4-minmax-neondot
    qd8-f32-qb4w-gemm-2x16c4-minmax-neondot
    qd8-f32-qb4w-gemm-4x16c4-minmax-neondot)
  rondo_kernels("${flags}" qd8-f32-qc8w-gemm
    qd8-f32-qc8w-gemm-1x16c4-minmax-neondot
    qd8-f32-qc8w-gemm-2x16c4-minmax-neondot
    qd8-f32-qc8w-gemm-4x16c4-minmax-neondot)

elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^armv[78]")
  # neon
  set(flags "-march=armv7-a -mfpu=neon")
  rondo_kernels("${flags}" f32-gemm
    f32-gemm-1x8-minmax-neon-lane-ld64
    f32-gemm-4x8-minmax-neon-lane-ld64
    f32-gemm-6x8-minmax-neon-lane-ld64)
  rondo_kernels("${flags}" f32-qs8-vcvt f32-qs8-vcvt-neon-u32)
  rondo_kernels("${flags}" f32-raddstoreexpminusmax
    f32-raddstoreexpminusmax-neon-rr2-lut64-p2-u8-acc2)
  rondo_kernels("${flags}" f32-rminmax f32-rmax-neon-u16-acc4 f32-rminmax-neon-u16-acc4)
  rondo_kernels("${flags}" f32-vbinary f32-vmul-neon-u8)
  rondo_kernels("${flags}" f32-vsigmoid f32-vsigmoid-neon-rr2-lut64-p2-nr2recps-u8)
  rondo_kernels("${flags}" f32-vtanh f32-vtanh-neon-rational-9-8-nr)
  rondo_kernels("${flags}" qd8-f32-qb4w-gemm
    qd8-f32-qb4w-gemm-1x16-minmax-neon-mlal-lane
    qd8-f32-qb4w-gemm-2x16-minmax-neon-mlal-lane
    qd8-f32-qb4w-gemm-4x16-minmax-neon-mlal-lane)
  rondo_kernels("${flags}" qd8-f32-qc8w-gemm
    qd8-f32-qc8w-gemm-1x8-minmax-neon-mlal-lane
    qd8-f32-qc8w-gemm-2x8-minmax-neon-mlal-lane
    qd8-f32-qc8w-gemm-4x8-minmax-neon-mlal-lane)

  # neondot
  set(flags "-march=armv8.2-a+dotprod -mfpu=neon-fp-armv8")
  rondo_kernels("${flags}" qd8-f32-qb4w-gemm
    qd8-f32-qb4w-gemm-1x8c4-minmax-neondot
    qd8-f32-qb4w-gemm-2x8c4-minmax-neondot
    qd8-f32-qb4w-gemm-4x8c4-minmax-neondot)
  rondo_kernels("${flags}" qd8-f32-qc8w-gemm
    qd8-f32-qc8w-gemm-1x8c4-minmax-neondot
    qd8-f32-qc8w-gemm-2x8c4-minmax-neondot
    qd8-f32-qc8w-gemm-4x8c4-minmax-neondot)

elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "riscv64" AND CMAKE_C_COMPILER_ID STREQUAL "Clang")
  # rvv: GCC 12 has no intrinsics
  set(flags "-march=rv64gcv")
  rondo_kernels("${flags}" f32-gemm f32-gemm-1x4v-minmax-rvv f32-gemm-7x4v-minmax-rvv)
  rondo_kernels("${flags}" f32-qs8-vcvt f32-qs8-vcvt-rvv-u4v)
  rondo_kernels("${flags}" f32-raddstoreexpminusmax f32-raddstoreexpminusmax-rvv-rr2-p6-u4v)
  rondo_kernels("${flags}" f32-rminmax f32-rmax-rvv-u8v f32-rminmax-rvv-u8v)
  rondo_kernels("${flags}" f32-vbinary f32-vmul-rvv-u8v)
  rondo_kernels("${flags}" qd8-f32-qc8w-gemm
    qd8-f32-qc8w-gemm-1x4v-minmax-rvv
    qd8-f32-qc8w-gemm-2x4v-minmax-rvv
    qd8-f32-qc8w-gemm-3x4v-minmax-rvv
    qd8-f32-qc8w-gemm-4x4v-minmax-rvv)
  target_compile_definitions(rondo_xnnpack PUBLIC RONDO_RVV XNN_ENABLE_RISCV_VECTOR=1)

elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
  # wasmsimd
  rondo_kernels("" f32-gemm
    f32-gemm-1x8-minmax-wasmsimd-arm-splat
    f32-gemm-4x8-minmax-wasmsimd-arm-splat
    f32-gemm-6x8-minmax-wasmsimd-arm-splat)
  # The pinned source includes ARM's header where it means WebAssembly's.
  rondo_kernels("-D__ARM_NEON_H -include wasm_simd128.h" f32-qs8-vcvt
    f32-qs8-vcvt-wasmsimd-magic-u32)
  rondo_kernels("" f32-raddstoreexpminusmax f32-raddstoreexpminusmax-wasmsimd-rr2-p5-u16-acc2)
  rondo_kernels("" f32-rminmax
    f32-rmax-wasmsimd-minmax-u16-acc4 f32-rminmax-wasmsimd-minmax-u16-acc4)
  rondo_kernels("" f32-vbinary f32-vmul-wasmsimd-u16)
  rondo_kernels("" f32-vsigmoid f32-vsigmoid-wasmsimd-rr2-lut64-p2-div-u16)
  rondo_kernels("" f32-vgelu f32-vgelu-wasmsimd-rational-12-10-div)
  rondo_kernels("" f32-vtanh f32-vtanh-wasmsimd-rational-9-8-div)
  rondo_kernels("" qd8-f32-qc8w-gemm
    qd8-f32-qc8w-gemm-1x4c8-minmax-wasmsimd-dot16x2-ld64
    qd8-f32-qc8w-gemm-2x4c8-minmax-wasmsimd-dot16x2-ld64
    qd8-f32-qc8w-gemm-3x4c8-minmax-wasmsimd-dot16x2-ld64
    qd8-f32-qc8w-gemm-4x4c8-minmax-wasmsimd-dot16x2-ld64)

  # wasmusdot and wasmsdot: apart, because a module that holds them is refused where they are not
  add_library(rondo_relaxed OBJECT runtime/kernels/sets/wasm_relaxed.cc)
  target_link_libraries(rondo_relaxed PRIVATE rondo_lean rondo_xnnpack)
  foreach(kind usdot sdot)
    foreach(rows 1 2 3 4)
      set(file "${xnnpack_SOURCE_DIR}/src/qd8-f32-qc8w-gemm/gen/\
qd8-f32-qc8w-gemm-${rows}x8c8-minmax-wasm${kind}.c")
      set_source_files_properties("${file}" PROPERTIES COMPILE_OPTIONS "-fno-math-errno;-w")
      target_sources(rondo_relaxed PRIVATE "${file}")
    endforeach()
  endforeach()
  target_compile_options(rondo_relaxed PRIVATE -mrelaxed-simd)
endif()
