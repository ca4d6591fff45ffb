// SPDX-License-Identifier: Apache-2.0
// Makes names in emitted code: taken from the model where it has one, never a keyword, never twice in a scope.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace stitch::kernels {

std::string pascal_case(std::string_view snake);    // "fc1_weight" -> "Fc1Weight"
std::string constant_name(std::string_view snake);  // "fc1_weight" -> "kFc1Weight"

class NameTable {
 public:
  NameTable();  // knows C++'s and CUDA's words
  // `wanted`, or `wanted_2`, `wanted_3`... where it is taken.
  std::string take(const std::string& wanted);

 private:
  std::unordered_map<std::string, int> taken_;  // and the number that its next namesake is tried with
};

}  // namespace stitch::kernels
