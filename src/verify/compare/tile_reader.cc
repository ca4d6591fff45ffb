// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/tile_reader.h"

#include <cmath>
#include <limits>

#include "verify/compare/elements.h"

namespace stitch::verify {

TileReader::TileReader(const OutputReference& reference, const HostTensor* got) : reference_(reference), got_(got) {
  constexpr size_t kReferenceNativesGot = 4;
  buffers_.resize(kReferenceNativesGot + reference.perturbed.size() + reference.disturbed.size() +
                  reference.tf32_runs.size() + reference.otherwise.size());
}

void TileReader::read(int64_t tile, TileRange range) {
  data_.tile = tile;
  data_.begin = range.begin;
  data_.runs.clear();
  perturbed_.clear();
  tf32_runs_.clear();
  auto buffer = buffers_.begin();
  data_.truth.otherwise.clear();
  data_.truth.reference = load_truth(reference_.reference, range, *buffer++);
  for (const HostTensor& other : reference_.otherwise) {
    data_.truth.otherwise.push_back(load_truth(other, range, *buffer++));
  }
  native_ = load(reference_.native, range, *buffer++);
  native_in_mode_ = reference_.native_in_mode ? load(*reference_.native_in_mode, range, *buffer++) : native_;
  data_.runs.push_back(native_);
  tf32_runs_.push_back(native_in_mode_);
  if (got_ != nullptr) {
    data_.got = load(*got_, range, *buffer++);
  }
  for (const HostTensor& run : reference_.perturbed) {
    perturbed_.push_back(load(run, range, *buffer++));
  }
  data_.runs.insert(data_.runs.end(), perturbed_.begin(), perturbed_.end());
  for (const HostTensor& run : reference_.disturbed) {
    data_.runs.push_back(load(run, range, *buffer++));
  }
  for (const HostTensor& run : reference_.tf32_runs) {
    tf32_runs_.push_back(load(run, range, *buffer++));
  }
}

std::span<const double> TileReader::load(const HostTensor& tensor, TileRange range, std::vector<double>& buffer) const {
  buffer.resize(static_cast<size_t>(range.count));
  load_doubles(tensor, range.begin, range.count, buffer.data());
  if (reference_.kind == OutputKind::kIndex) {
    look_up_indices(range, buffer);
  }
  return buffer;
}

std::span<const double> TileReader::load_truth(const HostTensor& tensor, TileRange range,
                                               std::vector<double>& buffer) const {
  load(tensor, range, buffer);
  for (double& value : buffer) {
    value = overflow_to_infinity(value, reference_.type.dtype);
  }
  return buffer;
}

// Replaces each index by the value that stands there; an index out of range becomes a NaN, which nothing accepts.
void TileReader::look_up_indices(TileRange range, std::vector<double>& buffer) const {
  const IndexSource& source = *reference_.index_source;
  const std::vector<int64_t>& shape = source.values.spec().type.shape;
  const int64_t length = shape[static_cast<size_t>(source.axis)];
  int64_t inner = 1;
  for (size_t axis = static_cast<size_t>(source.axis) + 1; axis < shape.size(); ++axis) {
    inner *= shape[axis];
  }
  for (int64_t i = 0; i < range.count; ++i) {
    double& element = buffer[static_cast<size_t>(i)];
    const bool in_range = element >= 0 && element < static_cast<double>(length);
    const int64_t position = range.begin + i;
    const int64_t outer = position / (inner * source.kept);
    const int64_t offset = in_range ? (outer * length + static_cast<int64_t>(element)) * inner + position % inner : 0;
    load_doubles(source.values, offset, 1, &element);
    element = in_range ? element : std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace stitch::verify
