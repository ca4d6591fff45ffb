// SPDX-License-Identifier: Apache-2.0
// Writes a draft, one operator after the other: names are told apart here, and whatever a layer uses of the file's
// sizes becomes an argument of its constructor.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "synth/draft/draft.h"
#include "synth/draft/random.h"

namespace stitch::synth {

class Writer {
 public:
  explicit Writer(Random& random) : random_(random) {}

  Random& random() { return random_; }
  Draft& draft() { return draft_; }

  // A new constant of the file; its extent.
  Extent size(const std::string& name, int64_t full, int64_t reduced);
  // The text of an extent where a layer is made: its constants become arguments of the constructor.
  const std::string& in_layer(const Extent& extent);
  // self.NAME = text, and how forward calls it.
  std::string layer(const std::string& name, const std::string& text);
  // A parameter of normal numbers: `scale` * N(0, 1) + `offset`.
  std::string parameter(const std::string& name, const std::string& shape, double scale, double offset);
  // A line of forward: the value's name.
  std::string assign(const std::string& name, const std::string& text);
  // The same for the value that goes on from operator to operator.
  void step(Tensor& value, const std::string& text);
  // An input of forward; `text` makes it.
  std::string input(const std::string& name, const std::string& text);
  void took(const std::string& seed, const std::string& name, const std::string& group);

 private:
  std::string unique(const std::string& name);

  Random& random_;
  Draft draft_;
  std::map<std::string, int> names_;
};

// 2 * extent and the like; where it divides evenly.
Extent times(int64_t factor, const Extent& extent);
Extent divided(const Extent& extent, int64_t divisor);
// What a window of that size leaves of an extent. No text stands for it: nothing that is written needs one.
Extent windowed(const Extent& extent, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation = 1);
// "batch_size, width"
std::string shape_text(const std::vector<Extent>& shape);

}  // namespace stitch::synth
