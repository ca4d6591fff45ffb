// SPDX-License-Identifier: Apache-2.0
#include "sandbox/cage/cage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "sandbox/inside/order.h"
#include "sandbox/inside/run_caged.h"

namespace stitch::sandbox {
namespace {

constexpr const char* kProgram = "stitchcuda-cage";
constexpr int64_t kProbeTimeoutMs = 60'000;

Result<Layers> probe() {
  STITCH_ASSIGN(const std::filesystem::path program, find_helper_program(kProgram));
  STITCH_ASSIGN(const ChildOutput output, run_child({.arguments = {program.string(), "--probe"}}, kProbeTimeoutMs));
  if (!output.exit.ok()) {
    return failure(ErrorCode::kEnvironment,
                   fmt::format("{} could not try what this machine allows: {}", kProgram, output.standard_error));
  }
  return layers_from_text(output.standard_output);
}

// Above every number that the child is promised.
int report_number(const ChildOptions& options) {
  int number = 3;
  for (const auto& pair : options.descriptors) {
    number = std::max(number, pair.second + 1);
  }
  return number;
}

std::string read_all(int descriptor) {
  std::string text;
  char buffer[1024];
  while (true) {
    const ssize_t size = ::read(descriptor, buffer, sizeof(buffer));
    if (size > 0) {
      text.append(buffer, static_cast<size_t>(size));
    } else if (size == 0 || errno != EINTR) {
      return text;
    }
  }
}

Unexpected not_started(const std::string& program, const std::string& told, Child child) {
  const std::string reason = told.empty() || told.front() != kReady ? told : told.substr(1);
  child.wait(1000);
  const std::string said = reason.empty() ? child.take_standard_error() : reason;
  return failure(ErrorCode::kEnvironment, fmt::format("the cage around {} could not be made: {}", program, said),
                 "sandbox", "stitchcuda doctor says what this machine allows");
}

// In a few words: which layers are lacking.
std::string mark_of(const Layers& layers) {
  if (layers.isolation() != Isolation::kReduced) {
    return {};
  }
  std::string lacking;
  for (const Layers::Missing& missing : layers.missing) {
    lacking += std::string(lacking.empty() ? "" : ", ") + to_string(missing.layer);
  }
  return "reduced: without " + lacking;
}

}  // namespace

Result<Layers> machine_layers() {
  static const Result<Layers> layers = probe();
  return layers;
}

Result<Confinement> confine_request(CageMode mode) {
  if (mode == CageMode::kNone) {
    return Confinement{mode, "none: --unsafe-no-sandbox"};
  }
  STITCH_ASSIGN(const Layers layers, machine_layers());
  if (layers.isolation() != Isolation::kNone) {
    return Confinement{mode, mark_of(layers)};
  }
  return failure(ErrorCode::kEnvironment,
                 "this machine lets us put nothing between generated programs and your files: neither namespaces nor "
                 "Landlock nor seccomp work here",
                 "sandbox",
                 "run 'stitchcuda doctor' to see why, or add --unsafe-no-sandbox if whatever runs here may be lost");
}

Result<Child> start_caged(ChildOptions options, const CagePolicy& policy) {
  options = confine(std::move(options), policy.limits);
  if (policy.mode == CageMode::kNone) {
    return Child::start(options);
  }
  STITCH_TRY(confine_request(policy.mode));
  STITCH_ASSIGN(const Layers layers, machine_layers());
  for (const char* name : {"HOME", "TMPDIR"}) {
    const auto is_set = [&](const auto& pair) { return pair.first == name; };
    if (std::none_of(options.environment.begin(), options.environment.end(), is_set)) {
      options.environment.emplace_back(name, "/tmp");
    }
  }
  STITCH_ASSIGN(const std::filesystem::path cage, find_helper_program(kProgram));
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return failure(ErrorCode::kEnvironment, "cannot make a pipe: no file descriptors left", {}, "close some programs");
  }
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  CageOrder order{.policy = policy, .layers = layers, .report = report_number(options), .command = options.arguments};
  order.command.front() = find_program(order.command.front()).string();
  if (order.command.front().empty()) {
    return failure(ErrorCode::kEnvironment, fmt::format("{} was not found", options.arguments.front()), "PATH",
                   fmt::format("install {} or put its folder on PATH", options.arguments.front()));
  }
  options.descriptors.emplace_back(write_end.get(), order.report);
  options.arguments = {cage.string()};
  const std::vector<std::string> words = to_arguments(order);
  options.arguments.insert(options.arguments.end(), words.begin(), words.end());
  STITCH_ASSIGN(Child child, Child::start(options));
  write_end.reset();
  const std::string told = read_all(read_end.get());
  if (told != std::string(1, kReady)) {
    return not_started(order.command.front(), told, std::move(child));
  }
  return child;
}

Result<ChildOutput> run_caged_child(ChildOptions options, const CagePolicy& policy, int64_t timeout_ms,
                                    const WhenSlow& when_slow) {
  STITCH_ASSIGN(Child child, start_caged(std::move(options), policy));
  return collect(std::move(child), timeout_ms, when_slow);
}

}  // namespace stitch::sandbox
