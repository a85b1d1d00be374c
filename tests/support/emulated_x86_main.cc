// A test program for x86-64 instructions that this CPU may lack: AMX's, and VNNI's with VEX codes.
// The CPU is told to have them; where it does not, it raises SIGILL, and the handler does their
// work. Slow, but to the bit. Formats: Intel's Software Developer's Manual, volume 2.
#include <gtest/gtest.h>
#include <signal.h>
#include <ucontext.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "platforms/cpu.h"
#include "runtime/engine/plan.h"
#include "runtime/kernels/kernel_set.h"
#include "tests/support/test_model.h"
#include "tests/tools/convert/random_checkpoint.h"

// The linker calls those named __wrap_ instead of the real ones (platforms/cmake/tests.cmake).
rondo::CpuFeatures RealDetectCpu() __asm__("__real__ZN5rondo9DetectCpuEv");
bool RealAllowAmx() __asm__("__real__ZN5rondo8AllowAmxEv");
rondo::CpuFeatures EmulatedDetectCpu() __asm__("__wrap__ZN5rondo9DetectCpuEv");
bool EmulatedAllowAmx() __asm__("__wrap__ZN5rondo8AllowAmxEv");

rondo::CpuFeatures EmulatedDetectCpu() {
  rondo::CpuFeatures cpu = RealDetectCpu();
  cpu.amx_int8 = cpu.avx512_vnni;
  cpu.avx_vnni = cpu.avx2_fma;
  return cpu;
}
static int g_asked = 0;  // times
static bool g_refuses = false;
bool EmulatedAllowAmx() {
  ++g_asked;
  RealAllowAmx();
  return !g_refuses;
}

namespace {

// As LDTILECFG reads it.
struct TileConfig {
  uint8_t palette;  // 0: none
  uint8_t rest[15];
  uint16_t row_bytes[16];
  uint8_t rows[16];
};
thread_local TileConfig g_config;
thread_local uint8_t g_tiles[8][16][64];

// An instruction with a VEX prefix of three bytes, in the context that it stopped in.
class Instruction {
 public:
  explicit Instruction(ucontext_t* context)
      : context_(context), at_(reinterpret_cast<const uint8_t*>(Register(REG_RIP))) {}

  // Does its work and goes on behind it.
  void Run() {
    if (at_[0] != 0xC4 || (at_[1] & 31) != 2) Give("no instruction that is known");
    switch (at_[3]) {
      case 0x49:
        Configure();
        break;
      case 0x4B:
        Move();
        break;
      case 0x5E:
        MultiplyTiles();
        break;
      case 0x50:
        MultiplyVectors(&AddBytes);
        break;
      case 0x52:
        MultiplyVectors(&AddPairs);
        break;
      default:
        Give("no instruction that is known");
    }
    Register(REG_RIP) += length_;
  }

 private:
  enum Prefix { kNone, k66, kF3, kF2 };

  [[noreturn]] void Give(const char* what) const {
    std::fprintf(stderr, "SIGILL, %s:", what);
    for (int i = 0; i < 8; ++i) std::fprintf(stderr, " %02x", at_[i]);
    std::fprintf(stderr, "\n");
    std::abort();
  }

  greg_t& Register(int name) const { return context_->uc_mcontext.gregs[name]; }
  uint64_t General(int number) const {
    constexpr int kNames[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                              REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15};
    return static_cast<uint64_t>(Register(kNames[number]));
  }

  Prefix prefix() const { return static_cast<Prefix>(at_[2] & 3); }
  bool wide() const { return (at_[2] & 4) != 0; }
  int vvvv() const { return ~(at_[2] >> 3) & 15; }
  bool of_registers() const { return at_[4] >> 6 == 3; }
  int reg() const { return (at_[4] >> 3 & 7) | Extension(7); }
  int rm() const { return (at_[4] & 7) | Extension(5); }
  int Extension(int bit) const { return (at_[1] >> bit & 1) != 0 ? 0 : 8; }

  int64_t Displacement(int bytes) {
    int8_t small;
    int32_t large;
    std::memcpy(&small, at_ + length_, sizeof small);
    std::memcpy(&large, at_ + length_, sizeof large);
    length_ += bytes;
    return bytes == 1 ? small : bytes == 4 ? large : 0;
  }
  // The memory operand without its index, which is a tile's stride.
  struct Memory {
    uint8_t* base;
    uint64_t index;
  };
  Memory Operand() {
    const int mod = at_[4] >> 6;
    const int bytes = mod == 1 ? 1 : mod == 2 ? 4 : 0;
    uint64_t index = 0, base;
    length_ = 5;
    if ((at_[4] & 7) == 4) {
      const uint8_t sib = at_[length_++];
      const int number = (sib >> 3 & 7) | Extension(6);
      if (number != 4) index = General(number) << (sib >> 6);
      if (mod == 0 && (sib & 7) == 5) Give("an address without a base");
      base = General((sib & 7) | Extension(5)) + static_cast<uint64_t>(Displacement(bytes));
    } else if (mod == 0 && (at_[4] & 7) == 5) {
      const int64_t distance = Displacement(4);
      base = reinterpret_cast<uint64_t>(at_) + length_ + static_cast<uint64_t>(distance);
    } else {
      base = General(rm()) + static_cast<uint64_t>(Displacement(bytes));
    }
    return {reinterpret_cast<uint8_t*>(base), index};
  }

  void Configure() {
    if (prefix() == kF2 && of_registers()) {  // TILEZERO
      if (g_config.palette == 0) Give("no configuration");
      std::memset(g_tiles[reg()], 0, sizeof g_tiles[0]);
      return;
    }
    if (prefix() != kNone) Give("no instruction that is known");
    std::memset(g_tiles, 0, sizeof g_tiles);
    g_config = {};
    if (of_registers()) return;  // TILERELEASE
    const Memory memory = Operand();
    std::memcpy(&g_config, memory.base + memory.index, sizeof g_config);
    for (int i = 0; i < 16; ++i) {
      if (g_config.palette != 1 || g_config.row_bytes[i] > (i < 8 ? 64 : 0) ||
          g_config.rows[i] > (i < 8 ? 16 : 0)) {
        Give("a configuration that is none");
      }
    }
  }

  void Move() {
    const Memory memory = Operand();
    const int tile = reg();
    if (g_config.palette == 0) Give("no configuration");
    if (prefix() != kF3) std::memset(g_tiles[tile], 0, sizeof g_tiles[0]);
    for (size_t r = 0; r < g_config.rows[tile]; ++r) {
      uint8_t* row = memory.base + r * memory.index;
      if (prefix() == kF3) {  // TILESTORED
        std::memcpy(row, g_tiles[tile][r], g_config.row_bytes[tile]);
      } else {
        std::memcpy(g_tiles[tile][r], row, g_config.row_bytes[tile]);
      }
    }
  }

  void MultiplyTiles() {  // TDPBUSD
    if (prefix() != k66 || g_config.palette == 0) Give("no product that is known");
    const int to = reg(), a = rm(), b = vvvv();
    for (size_t r = 0; r < g_config.rows[to]; ++r) {
      for (size_t n = 0; n < g_config.row_bytes[to]; n += 4) {
        for (size_t k = 0; k < g_config.row_bytes[a]; k += 4) {
          AddBytes(g_tiles[a][r] + k, g_tiles[b][k / 4] + n, g_tiles[to][r] + n);
        }
      }
    }
  }

  // 16 bytes: the halves of the vector register of this number.
  uint8_t* Half(int number, bool upper) const {
    constexpr size_t kLower = 160, kUpper = 576;  // in the XSAVE area
    auto* area = reinterpret_cast<uint8_t*>(context_->uc_mcontext.fpregs);
    return area + (upper ? kUpper : kLower) + 16 * static_cast<size_t>(number);
  }

  // Parts of registers that hold zeros only need not be in the area: writes them.
  void FillRegisters() const {
    constexpr uint64_t kLowerHalves = 2, kUpperHalves = 4;
    uint64_t held;
    uint8_t* header = reinterpret_cast<uint8_t*>(context_->uc_mcontext.fpregs) + 512;
    std::memcpy(&held, header, sizeof held);
    if ((held & kLowerHalves) == 0) std::memset(Half(0, false), 0, 256);
    if ((held & kUpperHalves) == 0) std::memset(Half(0, true), 0, 256);
    held |= kLowerHalves | kUpperHalves;
    std::memcpy(header, &held, sizeof held);
  }

  void MultiplyVectors(void (*add)(const uint8_t*, const uint8_t*, uint8_t*)) {
    if (prefix() != k66) Give("no product that is known");
    FillRegisters();
    const uint8_t* memory = nullptr;
    if (!of_registers()) {
      const Memory operand = Operand();
      memory = operand.base + operand.index;
    }
    for (const bool upper : {false, true}) {
      uint8_t* to = Half(reg(), upper);
      if (upper && !wide()) {
        std::memset(to, 0, 16);
        break;
      }
      uint8_t b[16];
      std::memcpy(b, memory != nullptr ? memory + (upper ? 16 : 0) : Half(rm(), upper), sizeof b);
      for (int i = 0; i < 16; i += 4) add(Half(vvvv(), upper) + i, b + i, to + i);
    }
  }

  // sum += the products of four unsigned by four signed bytes.
  static void AddBytes(const uint8_t* a, const uint8_t* b, uint8_t* sum) {
    uint32_t total;
    std::memcpy(&total, sum, sizeof total);
    for (int i = 0; i < 4; ++i) {
      total += static_cast<uint32_t>(int{a[i]} * int{static_cast<int8_t>(b[i])});
    }
    std::memcpy(sum, &total, sizeof total);
  }
  // sum += the products of two pairs of signed 16-bit numbers.
  static void AddPairs(const uint8_t* a, const uint8_t* b, uint8_t* sum) {
    int16_t x[2], y[2];
    uint32_t total;
    std::memcpy(x, a, sizeof x);
    std::memcpy(y, b, sizeof y);
    std::memcpy(&total, sum, sizeof total);
    for (int i = 0; i < 2; ++i) total += static_cast<uint32_t>(int{x[i]} * int{y[i]});
    std::memcpy(sum, &total, sizeof total);
  }

  ucontext_t* context_;
  const uint8_t* at_;
  int length_ = 5;  // with the byte ModRM; longer with a memory operand
};

}  // namespace

TEST(EmulatedX86, HasTheKernelSets) {
  for (const char* name : {"amx", "avxvnni"}) {
    if (rondo::SelectKernelSet(name) == nullptr) GTEST_SKIP() << "no AVX-512 here for " << name;
  }
}

// Plans change nothing in the process; what they say is what creation does, which asks.
TEST(EmulatedX86, OnlyCreationAsksForAmx) {
  if (rondo::SelectKernelSet("amx") == nullptr) GTEST_SKIP() << "no AVX-512 here";
  const rondo::TempFolder folder;
  rondo::convert::WriteRandomCheckpoint(folder / "model", {});
  const rondo::TestModel model(folder / "model", rondo::format::TensorFormat::Q8);
  g_asked = 0;
  rondo::EngineOptions options;
  const auto plan = rondo::PlanEngine(model.file(), nullptr, options);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_STREQ(plan->set->name, "amx");
  EXPECT_TRUE(rondo::FitContext(model.file(), nullptr, options, SIZE_MAX / 2).ok());
  options.kernels = "amx";
  EXPECT_TRUE(rondo::PlanEngine(model.file(), nullptr, options).ok());
  EXPECT_EQ(g_asked, 0);

  for (const char* kernels : {"", "amx"}) {
    g_asked = 0;
    options.kernels = kernels;
    const auto engine = model.NewEngine(options);
    EXPECT_EQ(g_asked, 1);
    EXPECT_EQ(engine->plan().set, plan->set);
    EXPECT_EQ(engine->plan().memory.arena_bytes(), plan->memory.arena_bytes());
  }

  g_refuses = true;  // as for another thread's signal stack
  const auto refused = rondo::Engine::Create(model.file(), nullptr, options, nullptr, 0);
  EXPECT_EQ(refused.status().code(), rondo::StatusCode::kInvalidArgument);
  options.kernels = "";
  EXPECT_STREQ(model.NewEngine(options)->plan().set->name, "avx512vnni");
  g_refuses = false;
}

int main(int argc, char** argv) {
  struct sigaction action = {};
  action.sa_sigaction = [](int, siginfo_t*, void* context) {
    Instruction(static_cast<ucontext_t*>(context)).Run();
  };
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGILL, &action, nullptr);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
