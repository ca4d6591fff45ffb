// SPDX-License-Identifier: Apache-2.0
// Guides into the user's own folder of guides. Nothing here speaks HTTP: a function that does is handed in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "knowledge/fetch/guides.h"

namespace stitch::knowledge {

// Brings what lies at an address into a file; kEnvironment or kTimeout where it cannot.
using Download = std::function<Result<void>(const std::string& url, const std::filesystem::path& file)>;

struct FetchRequest {
  std::vector<std::string> guides{};  // by name; empty: all
  std::string server = kGuideServer;  // without a stroke at its end
  std::filesystem::path folder{};     // guides_folder()
};

// The licence as the server has it now, as text; kFileInvalid where there is none in what it sends.
Result<std::string> fetch_licence(const FetchRequest& request, const Download& download);

struct FetchedGuide {
  std::string name{};
  std::string url{};
  std::filesystem::path file{};
  uintmax_t bytes = 0;
};

// To be called once the licence, whose text is `licence`, was accepted: that is written down beside the guides, with
// the text. A guide that cannot be had leaves those before it, and an older copy of itself, as they are.
Result<std::vector<FetchedGuide>> fetch_guides(const FetchRequest& request, const std::string& licence,
                                               const Download& download);

}  // namespace stitch::knowledge
