// SPDX-License-Identifier: Apache-2.0
// What this machine lets us put between a candidate and everything else. Every layer has been tried, none is assumed.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.h"

namespace stitch::sandbox {

enum class Layer {
  kFiles,        // a root folder of its own, read-only, with a private /tmp
  kProcesses,    // its own process numbers, network without a way out, IPC and host name
  kUser,         // a user id, or at least a user namespace, of its own
  kLandlock,     // rules on paths that hold even where the root folder is shared
  kSystemCalls,  // a filter on system calls
  kGroup,        // a control group with limits of memory and processes
};
inline constexpr std::array kAllLayers = {Layer::kFiles,    Layer::kProcesses,   Layer::kUser,
                                          Layer::kLandlock, Layer::kSystemCalls, Layer::kGroup};
const char* to_string(Layer layer);  // "files", "processes" ...
std::optional<Layer> layer_from_string(const std::string& name);
const char* describe(Layer layer);  // "a root folder of its own"

// Who makes the namespaces.
enum class Maker {
  kNobody,
  kRoot,           // root itself; the process in the cage then gets an unprivileged user id
  kUserNamespace,  // any user, inside a user namespace
  kBubblewrap,     // the program bwrap
};
const char* to_string(Maker maker);
std::optional<Maker> maker_from_string(const std::string& name);

enum class Isolation { kFull, kReduced, kNone };
const char* to_string(Isolation isolation);

struct Layers {
  Maker maker = Maker::kNobody;
  std::vector<Layer> active{};
  struct Missing {
    Layer layer;
    std::string reason;
    std::string remedy;  // a command, where one mends it
  };
  std::vector<Missing> missing{};

  bool has(Layer layer) const;
  // Full: own files, own processes and filtered system calls. None: no layer keeps anything from a candidate.
  Isolation isolation() const;
};

std::string to_text(const Layers& layers);  // one line a fact; what `stitchcuda-cage --probe` prints
Result<Layers> layers_from_text(const std::string& text);

}  // namespace stitch::sandbox
