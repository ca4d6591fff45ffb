// SPDX-License-Identifier: Apache-2.0
// Which variables of our environment a program that we start is handed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stitch {

struct ChildOptions;

// A variable that holds a key by its name, which ends in KEY, TOKEN, SECRET or PASSWORD: "EXAMPLE_KEY".
bool names_secret(std::string_view variable);
// What to call such a variable, for sentences.
inline constexpr const char* kSecretNames = "KEY, TOKEN, SECRET or PASSWORD";

// The names of all variables of our environment but `hidden`, secrets among them: for who is to have our keys.
std::vector<std::string> names_of_environment(const std::vector<std::string>& hidden = {});

// What the program of `options` finds in its environment, as "NAME=value".
std::vector<std::string> environment_of(const ChildOptions& options);

// Where our environment holds a secret this process leaves no core file, which would hold it too.
void leave_no_core_with_secrets();

}  // namespace stitch
