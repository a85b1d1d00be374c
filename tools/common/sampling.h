// How tokens are chosen, for people.
#pragma once

#include <string>
#include <vector>

#include "tools/common/library.h"

namespace rondo::tools {

// Throws OptionRefused where there are more stop strings than a session takes.
void CheckStops(const SessionOptions& options);

// The stop strings of a session of `model` with these options.
std::vector<std::string> StopsOf(const Model& model, const SessionOptions& options);

// "temperature 0.6, top-k 50, top-p 0.9", or "the most likely token"; with the penalties. The seed
// is left out.
std::string DescribeSampling(const rondo_session_options& options);
std::string DescribeSampling(const Model& model, const SessionOptions& options);

// The same with the seed, where there is chance.
std::string DescribeDraw(const rondo_session_options& options);
std::string DescribeDraw(const Model& model, const SessionOptions& options);

// Says on standard error how tokens are chosen where that is by chance, if it is a terminal.
void TellSampling(const Model& model, const SessionOptions& options);

}  // namespace rondo::tools
