// SPDX-License-Identifier: Apache-2.0
#include "rubric/source/source_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rubric/source/count_features.h"
#include "rubric/source/functions.h"
#include "rubric/source/shared_arrays.h"

namespace stitch::rubric {
namespace {

// The words of what launches name: "rows<Load, 4>" is rows and Load.
std::set<std::string> launched_names(const std::vector<LaunchRecord>& launches) {
  std::set<std::string> names;
  for (const LaunchRecord& launch : launches) {
    if (launch.threads == 0) {
      continue;  // an empty grid: the launch was refused
    }
    for (const Token& token : tokens_of(launch.name)) {
      names.insert(token.text);
    }
  }
  return names;
}

// cudaLaunchKernel names no kernel, so that any may have run by it.
bool is_launched(const Function& kernel, const std::set<std::string>& names) {
  return names.contains(kernel.name) || names.contains("cudaLaunchKernel") || names.contains("cudaLaunchKernelEx");
}

bool is_run_root(const Function& function) {
  return !function.is_device &&
         (function.name == "run" || function.name == "run_program" || function.name.starts_with("step_"));
}

std::vector<const Function*> roots_of(const std::vector<Function>& functions, const std::set<std::string>& launched) {
  std::vector<const Function*> roots;
  const bool has_run = std::any_of(functions.begin(), functions.end(), is_run_root);
  for (const Function& function : functions) {
    const bool is_host_root = has_run ? is_run_root(function) : !function.is_device;
    if (is_host_root || launched.contains(function.name) || launched.contains(function.owner)) {
      roots.push_back(&function);
    }
  }
  return roots;
}

// Whether a body names a value, and not a member of that name (threadIdx.x).
bool names(const std::vector<Token>& body, const std::string& name) {
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i].is(name.c_str()) && !(i > 0 && body[i - 1].is("."))) {
      return true;
    }
  }
  return false;
}

// Whether a kernel has const pointers among its parameters, and whether its body names one of them.
void count_inputs(const Function& kernel, SourceFacts& facts) {
  bool has_inputs = false;
  bool reads = false;
  size_t start = 0;
  for (size_t i = 0; i <= kernel.parameters.size(); ++i) {
    if (i < kernel.parameters.size() && !kernel.parameters[i].is(",")) {
      continue;
    }
    bool is_constant = false;
    bool is_pointer = false;
    for (size_t k = start; k < i; ++k) {
      is_constant = is_constant || kernel.parameters[k].is("const");
      is_pointer = is_pointer || kernel.parameters[k].is("*");
    }
    if (is_constant && is_pointer && i > start) {
      has_inputs = true;
      reads = reads || names(kernel.body, kernel.parameters[i - 1].text);
    }
    start = i + 1;
  }
  facts.kernels_with_inputs += has_inputs ? 1 : 0;
  facts.kernels_that_ignore_inputs += has_inputs && !reads ? 1 : 0;
}

int max_list_of_numbers(const std::vector<Token>& tokens) {
  int longest = 0;
  int run = 0;
  for (const Token& token : tokens) {
    if (token.kind == Token::Kind::kNumber) {
      longest = std::max(longest, ++run);
    } else if (!token.is(",") && !token.is("-") && !token.is("{") && !token.is("}")) {
      run = 0;
    }
  }
  return longest;
}

}  // namespace

SourceFacts source_facts(const std::map<std::string, std::string>& files,
                         const std::optional<ListedLaunches>& launches) {
  SourceFacts facts;
  std::map<std::string, std::vector<Token>> tokens;
  std::set<std::string> defined;
  for (const auto& [name, text] : files) {
    tokens[name] = tokens_of(text);
    defined.merge(defined_names(tokens[name]));
  }
  std::vector<Function> functions;
  std::set<std::string> wide_types;
  for (const auto& [name, all] : tokens) {
    const std::vector<Token> live = without_left_out(all, defined);
    wide_types.merge(wide_types_of(live));
    facts.max_table_length = std::max(facts.max_table_length, max_list_of_numbers(live));
    for (Function& function : functions_of(live, name)) {
      functions.push_back(std::move(function));
    }
  }
  const std::set<std::string> launched =
      launches.has_value() ? launched_names(launches->records) : std::set<std::string>();
  std::vector<Function> alive;
  for (Function& function : functions) {
    if (function.is_kernel && launches.has_value() && !is_launched(function, launched)) {
      facts.left_aside.push_back(fmt::format("{} {}:{}", function.name, function.file, function.line));
    } else {
      alive.push_back(std::move(function));
    }
  }
  for (const Function* function : reached_from(roots_of(alive, launched), alive)) {
    count_features(*function, wide_types, facts);
    count_shared_arrays(*function, facts);
    if (function->is_kernel) {
      facts.kernels.push_back(fmt::format("{} {}:{}", function->name, function->file, function->line));
      count_inputs(*function, facts);
    }
  }
  return facts;
}

}  // namespace stitch::rubric
