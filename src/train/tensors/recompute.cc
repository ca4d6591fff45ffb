// SPDX-License-Identifier: Apache-2.0
#include "train/tensors/recompute.h"

#include <ATen/core/ivalue.h>

#include <utility>

namespace stitch::train {
namespace {

struct Held : torch::CustomClassHolder {
  Held(TensorFunction what, std::vector<Tensor> with) : function(std::move(what)), parameters(std::move(with)) {}
  TensorFunction function;
  std::vector<Tensor> parameters;  // those of the graph itself, so that gradients are asked of them
};

struct Recompute : torch::autograd::Function<Recompute> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& input, at::TensorList parameters,
                        const TensorFunction& function) {
    context->save_for_backward({input});
    context->saved_data["held"] = c10::IValue::make_capsule(c10::make_intrusive<Held>(function, parameters.vec()));
    return function(input);  // without a graph: LibTorch switches gradients off in here
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto held = c10::static_intrusive_pointer_cast<Held>(context->saved_data["held"].toCapsule());
    const at::AutoGradMode with_gradients(true);
    const Tensor input = context->get_saved_variables().at(0).detach();
    std::vector<Tensor> asked;
    if (context->needs_input_grad(0)) {
      input.requires_grad_(true);
      asked.push_back(input);
    }
    asked.insert(asked.end(), held->parameters.begin(), held->parameters.end());
    const Tensor output = held->function(input);
    const auto found = torch::autograd::grad({output}, asked, {gradients.at(0)}, std::nullopt, false, true);
    torch::autograd::variable_list all(found.begin(), found.end());
    if (!input.requires_grad()) {
      all.insert(all.begin(), Tensor());
    }
    all.emplace_back();  // of the function
    return all;
  }
};

}  // namespace

Tensor recomputed(const TensorFunction& function, const Tensor& input, at::TensorList parameters) {
  return Recompute::apply(input, parameters, function);
}

}  // namespace stitch::train
