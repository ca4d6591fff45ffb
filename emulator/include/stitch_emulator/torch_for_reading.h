// SPDX-License-Identifier: Apache-2.0
// PyTorch for a reader of sources, which compiles nothing: the names that extensions spell their kernels' arguments
// with. The real headers take clang ten seconds to parse, and say nothing about a candidate.
#pragma once

#include <stitch_emulator.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace at {

// What is not known: it comes from anything, turns into anything, and can be called.
struct Unknown {
  template <class... Given>
  Unknown(Given&&...);
  template <class Wanted>
  operator Wanted() const;
  template <class... Given>
  Unknown operator()(Given&&...) const;
  Unknown dtype(Unknown) const;
  Unknown device(Unknown, int = 0) const;
  Unknown layout(Unknown) const;
  Unknown requires_grad(bool) const;
  Unknown stream() const;
  Unknown type() const;
};

struct IntArrayRef {
  template <class... Given>
  IntArrayRef(Given&&...);
  int64_t operator[](size_t) const;
  size_t size() const;
  const int64_t* begin() const;
  const int64_t* end() const;
  std::vector<int64_t> vec() const;
};

template <class T>
struct RestrictPtrTraits;
template <class T>
struct DefaultPtrTraits;

template <class T, size_t kRank>
struct ElementAccessor {
  ElementAccessor<T, kRank - 1> operator[](int64_t) const;
};
template <class T>
struct ElementAccessor<T, 1> {
  T& operator[](int64_t) const;
};
template <class T, size_t kRank, template <class> class Traits = DefaultPtrTraits, class Index = int64_t>
struct GenericPackedTensorAccessor : ElementAccessor<T, kRank> {
  Index size(int64_t) const;
  Index stride(int64_t) const;
  T* data() const;
};
template <class T, size_t kRank, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, kRank, Traits, int32_t>;
template <class T, size_t kRank, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, kRank, Traits, int64_t>;

struct Tensor {
  Tensor();
  Tensor(const Unknown&);
  template <class T>
  T* data_ptr() const;
  void* data_ptr() const;
  template <class T>
  const T* const_data_ptr() const;
  template <class T>
  T* mutable_data_ptr() const;
  template <class T>
  T item() const;
  template <class T, size_t kRank, template <class> class Traits = DefaultPtrTraits>
  PackedTensorAccessor32<T, kRank, Traits> packed_accessor32() const;
  template <class T, size_t kRank, template <class> class Traits = DefaultPtrTraits>
  PackedTensorAccessor64<T, kRank, Traits> packed_accessor64() const;
  template <class T, size_t kRank>
  ElementAccessor<T, kRank> accessor() const;
  int64_t size(int64_t) const;
  int64_t stride(int64_t) const;
  int64_t numel() const;
  int64_t dim() const;
  int64_t element_size() const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  bool is_cuda() const;
  bool is_contiguous() const;
  bool defined() const;
  Unknown options() const;
  Unknown device() const;
  Unknown dtype() const;
  Unknown scalar_type() const;
  Unknown type() const;
  int get_device() const;
  Tensor contiguous() const;
  Tensor clone() const;
  Tensor t() const;
  Tensor to(Unknown) const;
  Tensor view(IntArrayRef) const;
  Tensor reshape(IntArrayRef) const;
  Tensor transpose(int64_t, int64_t) const;
  Tensor& zero_();
  Tensor& copy_(const Tensor&);
};

Tensor empty(IntArrayRef, Unknown);
Tensor zeros(IntArrayRef, Unknown);
Tensor empty_like(const Tensor&);
Tensor zeros_like(const Tensor&);

}  // namespace at

namespace torch {
using namespace at;
extern const Unknown kFloat32, kFloat, kFloat16, kHalf, kBFloat16, kInt32, kInt64, kLong, kInt, kBool, kCUDA, kCPU;
using TensorOptions = Unknown;
}  // namespace torch
