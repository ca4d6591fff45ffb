// SPDX-License-Identifier: Apache-2.0
// Networks repeat themselves: of the 261 steps of an EfficientNet 36 are different but for the names in them. Steps of
// one form are compiled once.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace stitch::toolchain {

// Every identifier in a source.
using Names = std::set<std::string, std::less<>>;
Names names_in(std::string_view source);

struct StepForm {
  std::string text;      // of tokens; names that the step declares are numbers, so is its function
  std::string function;  // that launches it: the one symbol which others see
};

// The form of a step that is written as the emitter writes one. Two steps of one form are the same code under other
// names. A name is the step's own where it declares it and no header of the bundle has it (`elsewhere`); whatever is
// called or qualified keeps its name. Nothing for any other source: with macros, assembly, state of its own.
std::optional<StepForm> step_form(std::string_view source, const Names& elsewhere);

}  // namespace stitch::toolchain
