// SPDX-License-Identifier: Apache-2.0
// What all pointwise operators share: element types that agree, shapes that broadcast, scalars in place of tensors.
// An operator is then its type rule and one function of doubles.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <vector>

#include "ir/ops.h"

namespace stitch::ir {

// `function` maps the operands' elements at one position to the result's.
using PointwiseFunction = std::function<double(const Node&, std::span<const double>)>;

OpDef pointwise(ElementRule rule, double (*function)(double));
OpDef pointwise(ElementRule rule, double (*function)(double, double));
OpDef pointwise(ElementRule rule, double (*function)(double, double, double));
// A pointwise operator of one operand and these attributes, which are numbers.
OpDef pointwise(ElementRule rule, std::initializer_list<const char*> attributes,
                double (*function)(double, const Node& node));
OpDef pointwise(ElementRule rule, int operands, std::vector<AttributeDef> attributes, PointwiseFunction function);

// A whole number as an integer type holds it: the low bits in two's complement. int64, bool and floats are unchanged.
double wrapped_to(double value, DataType dtype);

// The parts, for operators whose operands differ in element type.
Result<std::vector<int64_t>> pointwise_shape(const Graph& graph, const Node& node);
// The one element type of the tensors among operands first..last, checked against the scalars among them.
Result<DataType> common_element_type(const Graph& graph, const Node& node, size_t first, size_t last);
std::vector<ReferenceTensor> pointwise_reference(const Graph& graph, const Node& node,
                                                 const std::vector<const ReferenceTensor*>& operands,
                                                 const PointwiseFunction& function);

}  // namespace stitch::ir
