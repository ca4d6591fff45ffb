// SPDX-License-Identifier: Apache-2.0
// NVIDIA's guides that `docs fetch` can bring: none of them is ours to hand on, so each user fetches them.
#pragma once

#include <span>

namespace stitch::knowledge {

struct Guide {
  const char* name;  // as it is asked for, and its file's
  const char* title;
  const char* path;  // on the server
};

inline constexpr const char* kGuideServer = "https://docs.nvidia.com";
inline constexpr const char* kLicencePath = "/cuda/eula/index.html";

// Each is one page of HTML.
std::span<const Guide> known_guides();

}  // namespace stitch::knowledge
