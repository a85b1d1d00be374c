// Which struct_size a caller may have: structs only grow, and callers of every version are served.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "rondo/rondo.h"

namespace rondo::c_api {

// Larger than any struct of any version: a struct_size beyond is not one.
inline constexpr uint32_t kMaxStructSize = 4096;

// The sizes that a struct had before it grew to what it is now: whoever appends fields adds the
// offset of the first of them here.
template <typename Struct>
inline constexpr std::array<size_t, 0> kEarlierSizes = {};
template <>
inline constexpr std::array kEarlierSizes<rondo_engine_options> = {
    offsetof(rondo_engine_options, progress),      offsetof(rondo_engine_options, kv_tokens),
    offsetof(rondo_engine_options, parallel_for),  offsetof(rondo_engine_options, draft),
    offsetof(rondo_engine_options, draft_head),    offsetof(rondo_engine_options, cpus),
    offsetof(rondo_engine_options, adapter_rank),  offsetof(rondo_engine_options, max_input_rows),
    offsetof(rondo_engine_options, max_media_rows)};
template <>
inline constexpr std::array kEarlierSizes<rondo_model_facts> = {
    offsetof(rondo_model_facts, tokenizer_bytes), offsetof(rondo_model_facts, picture_token)};
template <>
inline constexpr std::array kEarlierSizes<rondo_memory_plan> = {
    offsetof(rondo_memory_plan, mapped_bytes), offsetof(rondo_memory_plan, kv_tokens)};
template <>
inline constexpr std::array kEarlierSizes<rondo_engine_counters> = {
    offsetof(rondo_engine_counters, tokens_taken_over),
    offsetof(rondo_engine_counters, parallel_faults),
    offsetof(rondo_engine_counters, drafts_proposed)};
template <>
inline constexpr std::array kEarlierSizes<rondo_session_options> = {
    offsetof(rondo_session_options, speculation), offsetof(rondo_session_options, grammar),
    offsetof(rondo_session_options, adapter)};
template <>
inline constexpr std::array kEarlierSizes<rondo_session_counters> = {
    offsetof(rondo_session_counters, drafts_proposed)};
template <>
inline constexpr std::array kEarlierSizes<rondo_event> = {offsetof(rondo_event, pending),
                                                          offsetof(rondo_event, channel)};

// Fields of options that mean nothing yet.
struct ReservedField {
  const char* name;
  size_t offset;  // of a uint32_t
};
template <typename Options>
inline constexpr std::array<ReservedField, 0> kReservedFields = {};
// generated from here: reserved fields
template <>
inline constexpr std::array kReservedFields<rondo_grammar_options> = {
    ReservedField{"reserved", offsetof(rondo_grammar_options, reserved)}};
template <>
inline constexpr std::array kReservedFields<rondo_engine_options> = {
    ReservedField{"reserved", offsetof(rondo_engine_options, reserved)},
    ReservedField{"reserved2", offsetof(rondo_engine_options, reserved2)},
    ReservedField{"reserved3", offsetof(rondo_engine_options, reserved3)},
    ReservedField{"reserved4", offsetof(rondo_engine_options, reserved4)}};
template <>
inline constexpr std::array kReservedFields<rondo_input> = {
    ReservedField{"reserved", offsetof(rondo_input, reserved)}};
// generated to here

// One that some version of the header gives the struct. No size between two versions: it would cut
// a field, or leave one out that came with the others.
template <typename Struct>
constexpr bool IsStructSize(uint32_t size) {
  const auto& earlier = kEarlierSizes<Struct>;
  return (size >= sizeof(Struct) && size <= kMaxStructSize) ||
         std::find(earlier.begin(), earlier.end(), size) != earlier.end();
}

}  // namespace rondo::c_api
