// SPDX-License-Identifier: Apache-2.0
#include "train/optimizer/adamw.h"

#include <algorithm>
#include <cmath>

namespace stitch::train {

void AdamW::step(const NamedTensors& parameters, double learning_rate) {
  const at::NoGradGuard no_gradients;
  for (const auto& [name, parameter] : parameters) {
    const Tensor& gradient = parameter.grad();
    if (!gradient.defined()) {
      continue;
    }
    Moments& moments = moments_[name];
    if (moments.steps == 0) {
      moments.mean = at::zeros_like(parameter);
      moments.square = at::zeros_like(parameter);
    }
    ++moments.steps;
    parameter.mul_(1 - learning_rate * settings_.weight_decay);
    moments.mean.lerp_(gradient, 1 - settings_.beta1);
    moments.square.mul_(settings_.beta2).addcmul_(gradient, gradient, 1 - settings_.beta2);
    const auto steps = static_cast<double>(moments.steps);
    const double mean_correction = 1 - std::pow(settings_.beta1, steps);
    const double square_correction = 1 - std::pow(settings_.beta2, steps);
    const Tensor root = (moments.square.sqrt() / std::sqrt(square_correction)).add_(settings_.eps);
    parameter.addcdiv_(moments.mean, root, -learning_rate / mean_correction);
  }
}

NamedTensors AdamW::state() const {
  NamedTensors state;
  for (const auto& [name, moments] : moments_) {
    state[name + ".exp_avg"] = moments.mean;
    state[name + ".exp_avg_sq"] = moments.square;
    state[name + ".step"] = at::full({1}, moments.steps, at::kLong);
  }
  return state;
}

Result<void> AdamW::load_state(const NamedTensors& state, const NamedTensors& parameters) {
  std::map<std::string, Moments> read;
  size_t used = 0;
  for (const auto& [name, parameter] : parameters) {
    const auto mean = state.find(name + ".exp_avg");
    const auto square = state.find(name + ".exp_avg_sq");
    const auto steps = state.find(name + ".step");
    const bool none = mean == state.end() && square == state.end() && steps == state.end();
    if (none) {
      continue;  // it never had a gradient
    }
    const bool fits = mean != state.end() && square != state.end() && steps != state.end() &&
                      mean->second.sizes() == parameter.sizes() && square->second.sizes() == parameter.sizes() &&
                      steps->second.numel() == 1 && steps->second.scalar_type() == at::kLong;
    if (!fits) {
      return failure(ErrorCode::kFileInvalid, "the optimizer's state does not fit parameter " + name, name,
                     "resume with the model that it was stored with");
    }
    const auto options = parameter.options().requires_grad(false);
    read[name] = {mean->second.to(options).clone(), square->second.to(options).clone(), steps->second.item<int64_t>()};
    used += 3;
  }
  if (used != state.size()) {
    return failure(ErrorCode::kFileInvalid, "the optimizer's state is of parameters that do not take part", "",
                   "resume with the configuration that it was stored with");
  }
  moments_ = std::move(read);
  return {};
}

void clear_gradients(const NamedTensors& parameters) {
  for (const auto& [name, parameter] : parameters) {
    parameter.mutable_grad().reset();
  }
}

double clip_gradients(const NamedTensors& parameters, double most) {
  const at::NoGradGuard no_gradients;
  std::vector<Tensor> norms;
  for (const auto& [name, parameter] : parameters) {
    if (parameter.grad().defined()) {
      norms.push_back(at::linalg_vector_norm(parameter.grad()).to(at::kDouble));
    }
  }
  if (norms.empty()) {
    return 0;
  }
  const double norm = at::linalg_vector_norm(at::stack(norms)).item<double>();
  if (most > 0 && std::isfinite(norm)) {
    const double factor = std::min(1.0, most / (norm + 1e-6));
    for (const auto& [name, parameter] : parameters) {
      if (parameter.grad().defined()) {
        parameter.mutable_grad().mul_(factor);
      }
    }
  }
  return norm;
}

}  // namespace stitch::train
