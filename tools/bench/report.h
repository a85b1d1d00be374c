// Measurements as a table for people, as CSV and as JSON.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/bench/costs.h"
#include "tools/bench/measurement.h"
#include "tools/bench/subject.h"

namespace rondo::tools {

// One object, always with the same keys; null where there is nothing to say. Rates are medians:
// probe_gbps in 10^9 bytes per second, peak_gops in 10^9 int8 operations per second;
// latency_ are seconds between the tokens of one session.
nlohmann::ordered_json ToJson(const Subject& subject, const Measurement& m);

// All of them, as an array.
nlohmann::ordered_json ToJson(const Subject& subject, const std::vector<Measurement>& all);

// The same keys and values as lines of CSV; null is empty, text is quoted where it must be.
std::string CsvHeader();
std::string CsvLine(const Subject& subject, const Measurement& m);

// What a pass of one row reads, for a terminal.
std::string ReadsLine(const ModelCosts& costs);

// Lines for a terminal; `peer`: with two columns for it.
std::string TableHeader(bool peer);
std::string TableLine(const Measurement& m, bool peer);
// What a mark in these lines means; empty where none has one.
std::string TableNote(const std::vector<Measurement>& all);

}  // namespace rondo::tools
