// SPDX-License-Identifier: Apache-2.0
// Makes names in emitted code: taken from the model where it has one, never a keyword, never twice in a scope.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace stitch::kernels {

std::string pascal_case(std::string_view snake);    // "fc1_weight" -> "Fc1Weight"
std::string constant_name(std::string_view snake);  // "fc1_weight" -> "kFc1Weight"

class NameTable {
 public:
  NameTable();  // knows C++'s and CUDA's words
  // `wanted`, or `wanted_2`, `wanted_3`... where it is taken.
  std::string take(const std::string& wanted);

 private:
  std::set<std::string, std::less<>> taken_;
};

}  // namespace stitch::kernels
