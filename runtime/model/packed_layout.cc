#include "runtime/model/packed_layout.h"
#include "runtime/base/format.h"

namespace rondo {

namespace {

// As in the tables of runtime/kernels, which a test compares.
constexpr NamedLayout kLayouts[] = {
    {"amx", {.q8 = {16, 4}, .q4b = {16, 8}, .f32 = {16, 1}}},
    {"avx512vnni", {.q8 = {16, 8}, .q4b = {16, 8}, .f32 = {16, 1}}},
    {"avxvnni", {.q8 = {8, 8}, .q4b = {8, 8}, .f32 = {16, 1}}},
    {"avx2", {.q8 = {8, 8}, .q4b = {8, 8}, .f32 = {16, 1}}},
    {"sse41", {.q8 = {4, 8}, .q4b = {4, 1}, .f32 = {8, 1}}},
    {"i8mm", {.q8 = {16, 8}, .q4b = {16, 8}, .f32 = {8, 1}}},
    {"neondot", {.q8 = {16, 4}, .q4b = {16, 4}, .f32 = {8, 1}}},
    {"sme", {.q8 = {16, 4}, .q4b = {16, 4}, .f32 = {8, 1}}},
    {"neon", {.q8 = {16, 1}, .q4b = {16, 1}, .f32 = {8, 1}}},
    {"scalar", {.q8 = {4, 1}, .q4b = {4, 1}, .f32 = {4, 1}}},
};

}  // namespace

LayoutId IdOf(const PackedLayout& layout) {
  LayoutId id;
  Format(id.text, sizeof(id.text), "rondo-1/q8:%ux%u/q4b:%ux%u/f:%u", layout.q8.nr, layout.q8.kr,
         layout.q4b.nr, layout.q4b.kr, layout.f32.nr);
  return id;
}

std::span<const NamedLayout> NamedLayouts() { return kLayouts; }

const PackedLayout* FindLayout(std::string_view id) {
  for (const NamedLayout& named : kLayouts) {
    if (id == IdOf(named.layout).text) return &named.layout;
  }
  return nullptr;
}

}  // namespace rondo
