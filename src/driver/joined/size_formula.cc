// SPDX-License-Identifier: Apache-2.0
#include "driver/joined/size_formula.h"

#include <algorithm>

namespace stitch::driver {
namespace {

// Products that a formula may be a multiple of, the simplest first.
struct SizeProduct {
  std::vector<plan::Axis> axes{};
  std::vector<int64_t> at{};
};

SizeProduct times(SizeProduct product, const KnownAxis& axis) {
  product.axes.push_back(axis.axis);
  for (size_t i = 0; i < product.at.size(); ++i) {
    product.at[i] *= axis.at[i];
  }
  return product;
}

SizeProduct product_of(const KnownAxis& axis) { return {{axis.axis}, axis.at}; }

std::vector<SizeProduct> products_of(const std::vector<KnownAxis>& axes) {
  std::vector<SizeProduct> products;
  for (const KnownAxis& each : axes) {
    products.push_back(product_of(each));
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    SizeProduct product = product_of(axes[i]);
    for (size_t j = i + 1; j < axes.size() && axes[j].axis.value == axes[i].axis.value; ++j) {
      product = times(std::move(product), axes[j]);
      products.push_back(product);
    }
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    for (size_t j = i + 1; j < axes.size(); ++j) {
      products.push_back(times(product_of(axes[i]), axes[j]));
    }
  }
  return products;
}

// The number that `wanted` is of `product` everywhere; 0: there is none.
int64_t multiple_of(const std::vector<int64_t>& product, const std::vector<int64_t>& wanted) {
  const int64_t number = product.front() > 0 ? wanted.front() / product.front() : 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (number < 1 || product[i] * number != wanted[i]) {
      return 0;
    }
  }
  return number;
}

}  // namespace

std::optional<SizeFormula> formula_for(const std::vector<int64_t>& wanted, const std::vector<KnownAxis>& axes) {
  const bool is_number =
      std::all_of(wanted.begin(), wanted.end(), [&](int64_t each) { return each == wanted.front(); });
  if (is_number && wanted.front() <= 1) {
    return SizeFormula{wanted.front(), {}};
  }
  const std::vector<SizeProduct> products = products_of(axes);
  for (const bool is_plain : {true, false}) {
    for (const SizeProduct& product : products) {
      const int64_t number = multiple_of(product.at, wanted);
      if (number == 1 || (!is_plain && number > 1 && !is_number)) {
        return SizeFormula{number, product.axes};
      }
    }
  }
  return is_number ? std::optional(SizeFormula{wanted.front(), {}}) : std::nullopt;
}

}  // namespace stitch::driver
