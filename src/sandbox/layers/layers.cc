// SPDX-License-Identifier: Apache-2.0
#include "sandbox/layers/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace stitch::sandbox {
namespace {

constexpr std::array kMakers = {Maker::kNobody, Maker::kRoot, Maker::kUserNamespace, Maker::kBubblewrap};

}  // namespace

const char* to_string(Layer layer) {
  switch (layer) {
    case Layer::kFiles:
      return "files";
    case Layer::kProcesses:
      return "processes";
    case Layer::kUser:
      return "user";
    case Layer::kLandlock:
      return "landlock";
    case Layer::kSystemCalls:
      return "seccomp";
    case Layer::kGroup:
      return "cgroup";
  }
  return "";
}

std::optional<Layer> layer_from_string(const std::string& name) {
  const auto found = std::find_if(kAllLayers.begin(), kAllLayers.end(), [&](Layer l) { return to_string(l) == name; });
  return found == kAllLayers.end() ? std::nullopt : std::optional(*found);
}

const char* describe(Layer layer) {
  switch (layer) {
    case Layer::kFiles:
      return "a root folder of its own";
    case Layer::kProcesses:
      return "processes, network and IPC of its own";
    case Layer::kUser:
      return "a user of its own";
    case Layer::kLandlock:
      return "Landlock's rules on paths";
    case Layer::kSystemCalls:
      return "a filter on system calls";
    case Layer::kGroup:
      return "a control group of its own";
  }
  return "";
}

const char* to_string(Maker maker) {
  switch (maker) {
    case Maker::kNobody:
      return "nobody";
    case Maker::kRoot:
      return "root";
    case Maker::kUserNamespace:
      return "user_namespace";
    case Maker::kBubblewrap:
      return "bubblewrap";
  }
  return "";
}

std::optional<Maker> maker_from_string(const std::string& name) {
  const auto found = std::find_if(kMakers.begin(), kMakers.end(), [&](Maker m) { return to_string(m) == name; });
  return found == kMakers.end() ? std::nullopt : std::optional(*found);
}

const char* to_string(Isolation isolation) {
  switch (isolation) {
    case Isolation::kFull:
      return "full";
    case Isolation::kReduced:
      return "reduced";
    case Isolation::kNone:
      return "none";
  }
  return "";
}

bool Layers::has(Layer layer) const { return std::find(active.begin(), active.end(), layer) != active.end(); }

Isolation Layers::isolation() const {
  if (has(Layer::kFiles) && has(Layer::kProcesses) && has(Layer::kSystemCalls)) {
    return Isolation::kFull;
  }
  const bool any = has(Layer::kFiles) || has(Layer::kProcesses) || has(Layer::kLandlock) || has(Layer::kSystemCalls);
  return any ? Isolation::kReduced : Isolation::kNone;
}

std::string to_text(const Layers& layers) {
  std::string text = fmt::format("maker\t{}\n", to_string(layers.maker));
  for (const Layer layer : layers.active) {
    text += fmt::format("active\t{}\n", to_string(layer));
  }
  for (const Layers::Missing& missing : layers.missing) {
    text += fmt::format("missing\t{}\t{}\t{}\n", to_string(missing.layer), missing.reason, missing.remedy);
  }
  return text;
}

Result<Layers> layers_from_text(const std::string& text) {
  Layers layers;
  size_t told = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string kind, name, reason, remedy;
    std::getline(std::getline(std::getline(std::getline(fields, kind, '\t'), name, '\t'), reason, '\t'), remedy, '\t');
    const std::optional<Layer> layer = layer_from_string(name);
    if (const std::optional<Maker> maker = maker_from_string(name); kind == "maker" && maker.has_value()) {
      layers.maker = *maker;
    } else if (kind == "active" && layer.has_value()) {
      layers.active.push_back(*layer);
      ++told;
    } else if (kind == "missing" && layer.has_value()) {
      layers.missing.push_back({*layer, reason, remedy});
      ++told;
    }
  }
  if (told != kAllLayers.size()) {
    return failure(ErrorCode::kInternal, "stitchcuda-cage --probe does not tell of every layer: " + text);
  }
  return layers;
}

}  // namespace stitch::sandbox
