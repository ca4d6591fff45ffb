// SPDX-License-Identifier: Apache-2.0
#include "sandbox/inside/order.h"

#include <cstdlib>

namespace stitch::sandbox {

std::vector<std::string> to_arguments(const CageOrder& order) {
  std::vector<std::string> words = {"--maker", to_string(order.layers.maker), "--report", std::to_string(order.report)};
  const auto add = [&](const char* option, const std::string& value) { words.insert(words.end(), {option, value}); };
  for (const Layer layer : order.layers.active) {
    add("--layer", to_string(layer));
  }
  for (const auto& path : order.policy.readable) {
    add("--read", path.string());
  }
  for (const auto& path : order.policy.data) {
    add("--data", path.string());
  }
  for (const auto& path : order.policy.writable) {
    add("--write", path.string());
  }
  add("--scratch", std::to_string(order.policy.scratch_bytes));
  add("--processes", std::to_string(order.policy.process_count));
  add("--gpu", order.policy.gpu ? "1" : "0");
  add("--programs", order.policy.may_start_programs ? "1" : "0");
  add("--code", order.policy.may_make_code ? "1" : "0");
  add("--inside", order.inside ? "1" : "0");
  if (order.policy.limits.address_space_bytes.has_value()) {
    add("--memory", std::to_string(*order.policy.limits.address_space_bytes));
  }
  words.emplace_back("--");
  words.insert(words.end(), order.command.begin(), order.command.end());
  return words;
}

Result<CageOrder> order_from_arguments(const std::vector<std::string>& arguments) {
  CageOrder order;
  size_t next = 0;
  for (; next + 1 < arguments.size() && arguments[next] != "--"; next += 2) {
    const std::string& option = arguments[next];
    const std::string& value = arguments[next + 1];
    const uint64_t number = std::strtoull(value.c_str(), nullptr, 10);
    const std::optional<Layer> layer = layer_from_string(value);
    const std::optional<Maker> maker = maker_from_string(value);
    if (option == "--maker" && maker.has_value()) {
      order.layers.maker = *maker;
    } else if (option == "--layer" && layer.has_value()) {
      order.layers.active.push_back(*layer);
    } else if (option == "--read") {
      order.policy.readable.emplace_back(value);
    } else if (option == "--data") {
      order.policy.data.emplace_back(value);
    } else if (option == "--write") {
      order.policy.writable.emplace_back(value);
    } else if (option == "--scratch") {
      order.policy.scratch_bytes = number;
    } else if (option == "--processes") {
      order.policy.process_count = number;
    } else if (option == "--gpu") {
      order.policy.gpu = number != 0;
    } else if (option == "--programs") {
      order.policy.may_start_programs = number != 0;
    } else if (option == "--code") {
      order.policy.may_make_code = number != 0;
    } else if (option == "--inside") {
      order.inside = number != 0;
    } else if (option == "--memory") {
      order.policy.limits.address_space_bytes = number;
    } else if (option == "--report") {
      order.report = static_cast<int>(std::strtol(value.c_str(), nullptr, 10));
    } else {
      return failure(ErrorCode::kUsage, "stitchcuda-cage does not know " + option + " " + value);
    }
  }
  if (next + 1 >= arguments.size()) {
    return failure(ErrorCode::kUsage, "stitchcuda-cage wants -- and a program");
  }
  order.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(next) + 1, arguments.end());
  return order;
}

}  // namespace stitch::sandbox
