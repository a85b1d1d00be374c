// What a file or folder is that is no model: said by its name where it is known, with what to do.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace rondo::convert {

// Completes the sentence "PATH ..." for a file that is not what was asked for: "is a Rondo file
// already"; `unknown` where nothing is known.
std::string WhatFileIs(const std::filesystem::path& path, const std::string& unknown);
// The same for a folder without config.json, or without weights that can be read: `missing` says
// what was looked for.
std::string WhatFolderIs(const std::filesystem::path& path, const std::string& missing);

// Throws Error where `text`, which `path` holds, is what a server says instead of the file.
void RefuseWebPage(std::string_view text, const std::filesystem::path& path);

// What to do where a file ends before its contents do: it is part of a download, or of what
// split(1) cut. Begins with ": ".
std::string CutShortAdvice(const std::filesystem::path& path);

}  // namespace rondo::convert
