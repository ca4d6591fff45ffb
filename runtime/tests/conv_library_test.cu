// SPDX-License-Identifier: Apache-2.0
// Convolutions by cuDNN, here the emulator's: both layouts, stride, padding, dilation, groups, and what is kept from
// call to call.
#include "kernels/conv/library.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

template <typename Window>
struct BiasStore {
  float* y;
  const float* bias;
  ConvShape shape;

  __device__ void operator()(int64_t n, int64_t channel, int64_t out_z, int64_t out_y, int64_t out_x,
                             float value) const {
    const int64_t plane = (n * shape.out_channels + channel) * shape.out_depth + out_z;
    y[(plane * shape.out_height + out_y) * shape.out_width + out_x] = value + bias[channel];
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t out_y, int64_t out_x, float value) const {
    (*this)(n, channel, 0, out_y, out_x, value);
  }

  // As what takes cuDNN's sums on calls it.
  __device__ float* at(int64_t n, int64_t channel, int64_t pixel) const {
    const int64_t pixels = shape.out_depth * shape.out_height * shape.out_width;
    return y + (n * shape.out_channels + channel) * pixels + pixel;
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t pixel, float value) const {
    *at(n, channel, pixel) = value + bias[channel];
  }
  template <int kLanes>
  __device__ void lanes(int64_t n, int64_t channel, int64_t pixel, const Lanes<float, kLanes>& values) const {
    Lanes<float, kLanes> sums;
    for (int lane = 0; lane < kLanes; ++lane) {
      sums[lane] = values[lane] + bias[channel];
    }
    store_lanes(at(n, channel, pixel), sums);
  }
};

struct Outer {
  int64_t batch;
  int64_t in_channels;
  int64_t out_channels;
  int64_t groups;
};

struct In {
  int64_t depth;
  int64_t height;
  int64_t width;
};

// `extra` is what the output of a transposed convolution has more along its last axis (output_padding).
template <typename Window>
ConvShape shape_of(const Outer& outer, const In& in, int64_t extra = 0) {
  const auto out = [](int64_t extent, int kernel, int stride, int padding, int dilation) {
    const int64_t reach = dilation * (kernel - 1) + 1;
    return Window::transposed ? (extent - 1) * stride - 2 * padding + reach
                              : (extent + 2 * padding - reach) / stride + 1;
  };
  return {outer.batch,
          outer.in_channels,
          in.height,
          in.width,
          outer.out_channels,
          out(in.height, Window::kernel_y, Window::stride_y, Window::padding_y, Window::dilation_y),
          out(in.width, Window::kernel_x, Window::stride_x, Window::padding_x, Window::dilation_x) + extra,
          outer.groups,
          in.depth,
          out(in.depth, Window::kernel_z, Window::stride_z, Window::padding_z, Window::dilation_z)};
}

// The place that a tap leads to from `place`; false where there is none.
bool follow(bool transposed, int64_t extent, int64_t place, int tap, int stride, int padding, int dilation,
            int64_t* met) {
  if (!transposed) {
    *met = place * stride - padding + tap * dilation;
    return *met >= 0 && *met < extent;
  }
  const int64_t steps = place + padding - tap * dilation;
  *met = steps / stride;
  return steps >= 0 && steps % stride == 0 && *met < extent;
}

struct Operands {
  ConvShape shape;
  std::vector<float> x;
  std::vector<float> weight;
};

template <typename Window>
double expected_at(const Operands& given, int64_t n, int64_t k, int64_t out_z, int64_t out_y, int64_t out_x) {
  const ConvShape& s = given.shape;
  const int64_t channels = s.in_channels / s.groups;
  const int64_t of_group = s.out_channels / s.groups;
  const int64_t first = k / of_group * channels;
  double sum = 0;
  for (int64_t c = 0; c < channels; ++c) {
    for (int tap = 0; tap < Window::taps; ++tap) {
      const int tap_x = tap % Window::kernel_x;
      const int tap_y = tap / Window::kernel_x % Window::kernel_y;
      const int tap_z = tap / Window::kernel_x / Window::kernel_y;
      int64_t z = 0;
      int64_t y = 0;
      int64_t x = 0;
      if (follow(Window::transposed, s.depth, out_z, tap_z, Window::stride_z, Window::padding_z, Window::dilation_z,
                 &z) &&
          follow(Window::transposed, s.height, out_y, tap_y, Window::stride_y, Window::padding_y, Window::dilation_y,
                 &y) &&
          follow(Window::transposed, s.width, out_x, tap_x, Window::stride_x, Window::padding_x, Window::dilation_x,
                 &x)) {
        const int64_t pixel = ((n * s.in_channels + first + c) * s.depth + z) * s.height + y;
        const int64_t filter = Window::transposed ? (first + c) * of_group + k % of_group : k * channels + c;
        sum += static_cast<double>(given.x[pixel * s.width + x]) * given.weight[filter * Window::taps + tap];
      }
    }
  }
  return sum;
}

template <typename Window>
std::vector<double> expected(const Operands& given, const std::vector<float>& bias) {
  const ConvShape& s = given.shape;
  std::vector<double> want;
  for (int64_t plane = 0; plane < s.batch * s.out_channels; ++plane) {
    const int64_t k = plane % s.out_channels;
    for (int64_t pixel = 0; pixel < s.out_depth * s.out_height * s.out_width; ++pixel) {
      const int64_t row = pixel / s.out_width;
      want.push_back(expected_at<Window>(given, plane / s.out_channels, k, row / s.out_height, row % s.out_height,
                                         pixel % s.out_width) +
                     bias[k]);
    }
  }
  return want;
}

// Where the sums lie, and what is done with them.
enum class Sums { kInScratch, kInResult, kAreResult };

struct Way {
  const char* name;
  bool may_use_tf32;
  int64_t advice;
  Sums sums;
};

template <typename Layout, LibraryEnd kEnd, typename Window>
void check(Checker& checker, StepLibraries* libraries, const ConvShape& shape, const Way& way) {
  const int64_t weights = shape.in_channels * shape.out_channels / shape.groups * Window::taps;
  const Operands given{shape,
                       random_floats(shape.batch * shape.in_channels * shape.depth * shape.height * shape.width, 1),
                       random_floats(weights, 2)};
  const bool adds = kEnd == LibraryEnd::kEpilogue;
  const auto bias = adds ? random_floats(shape.out_channels, 3) : std::vector<float>(shape.out_channels, 0.0f);
  const std::vector<double> want = expected<Window>(given, bias);
  const DeviceFloats x(given.x);
  const DeviceFloats weight(given.weight);
  const DeviceFloats device_bias(bias);
  const DeviceFloats y(static_cast<int64_t>(want.size()));
  constexpr int64_t kWorkspaceFloats = 2048;
  constexpr int64_t kGaps = 192;
  constexpr bool kTurns = LibraryOperands<Layout>::is_last;
  const auto floats = static_cast<int64_t>((kTurns ? given.x.size() + given.weight.size() : 0) +
                                           (way.sums == Sums::kInScratch ? want.size() : 0)) +
                      kWorkspaceFloats + kGaps;
  const DeviceFloats scratch(floats);
  StepArgs args{};
  args.scratch = scratch.data();
  args.scratch_bytes = static_cast<uint64_t>(floats) * sizeof(float);
  args.libraries = libraries;
  const ConvLibraryCall call{&args, way.may_use_tf32, way.advice, way.sums == Sums::kInScratch ? nullptr : y.data(),
                             true};
  const BiasStore<Window> epilogue{y.data(), device_bias.data(), shape};
  checker.launched(way.name,
                   launch_conv_library<Layout, kEnd, Window>(call, shape, x.data(), weight.data(), epilogue, nullptr));
  checker.close(way.name, y.values(), want, way.may_use_tf32 ? 3e-2 : 3e-5);
}

// Images of channels x pixels as pixels x channels.
std::vector<float> channels_last(const std::vector<float>& first, int64_t channels, int64_t pixels) {
  std::vector<float> last(first.size());
  for (int64_t i = 0; i < static_cast<int64_t>(first.size()); ++i) {
    const int64_t channel = i / pixels % channels;
    last[static_cast<size_t>((i / (channels * pixels) * pixels + i % pixels) * channels + channel)] =
        first[static_cast<size_t>(i)];
  }
  return last;
}

// Operands and sums with channels last on both sides, and what our own kernel would do with such an operand.
template <typename Window>
void check_kept(Checker& checker, StepLibraries* libraries, const ConvShape& shape) {
  const int64_t in_pixels = shape.depth * shape.height * shape.width;
  const int64_t weight_channels = (Window::transposed ? shape.out_channels : shape.in_channels) / shape.groups;
  const int64_t weight_rows = Window::transposed ? shape.in_channels : shape.out_channels;
  const Operands given{shape, random_floats(shape.batch * shape.in_channels * in_pixels, 1),
                       random_floats(weight_rows * weight_channels * Window::taps, 2)};
  const std::vector<double> want = expected<Window>(given, std::vector<float>(shape.out_channels, 0.0f));
  const std::vector<float> sums = channels_last({want.begin(), want.end()}, shape.out_channels,
                                                shape.out_depth * shape.out_height * shape.out_width);
  const DeviceFloats x(channels_last(given.x, shape.in_channels, in_pixels));
  const DeviceFloats weight(channels_last(given.weight, weight_channels, Window::taps));
  const DeviceFloats y(static_cast<int64_t>(want.size()));
  const DeviceFloats scratch(int64_t{2048});
  StepArgs args{};
  args.scratch = scratch.data();
  args.scratch_bytes = 2048 * sizeof(float);
  args.libraries = libraries;
  const BiasStore<Window> never{nullptr, nullptr, shape};
  checker.launched("kept", launch_conv_library<ChannelsLast<Kept, Kept, Kept>, LibraryEnd::kSums, Window>(
                               {&args, true, 1, y.data()}, shape, x.data(), weight.data(), never, nullptr));
  checker.close("kept", y.values(), {sums.begin(), sums.end()}, 3e-2);
  const DeviceFloats first(static_cast<int64_t>(given.x.size()));
  checker.launched("turned back", launch_to_channels_first<TurnTile<32, 32>>(
                                      {x.data(), first.data(), shape.batch, shape.in_channels, in_pixels}, nullptr));
  checker.close("turned back", first.values(), {given.x.begin(), given.x.end()}, 0.0);
}

template <typename Window>
void check_all(Checker& checker, StepLibraries* libraries, const ConvShape& shape) {
  using First = ChannelsFirst;
  using Last = ChannelsLast<TurnTile<256, 4>, TurnTile<64, 16>, TurnTile<32, 32>>;
  using Wide = ChannelsLast<TurnTile<16, 64>, TurnTile<128, 8>, TurnTile<512, 8>>;
  constexpr LibraryEnd kSums = LibraryEnd::kSums;
  constexpr LibraryEnd kEpilogue = LibraryEnd::kEpilogue;
  check<First, kEpilogue, Window>(checker, libraries, shape, {"fp32, channels first", false, 1, Sums::kInScratch});
  check<First, kEpilogue, Window>(checker, libraries, shape, {"fp32, sums in the result", false, 2, Sums::kInResult});
  check<First, kSums, Window>(checker, libraries, shape, {"fp32, sums are the result", false, 1, Sums::kAreResult});
  check<First, kEpilogue, Window>(checker, libraries, shape, {"TF32, channels first", true, 1, Sums::kInResult});
  check<Last, kEpilogue, Window>(checker, libraries, shape, {"TF32, channels last", true, 1, Sums::kInScratch});
  check<Wide, kEpilogue, Window>(checker, libraries, shape, {"TF32, second advice", true, 2, Sums::kInScratch});
  check_kept<Window>(checker, libraries, shape);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  StepLibraries libraries{};
  using Plain = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
  using Strided = ConvWindow<3, 2, 2, 1, 1, 0, 1, 2>;
  using Point = ConvWindow<1, 1, 1, 1, 0, 0, 1, 1>;
  using Row = ConvWindow<1, 5, 1, 2, 0, 3, 1, 2>;
  using Cube = ConvWindow3d<3, 2, 3, 1, 2, 2, 1, 0, 1, 1, 1, 2>;
  for (int call = 0; call < 2; ++call) {  // the second finds what the first has kept
    check_all<Plain>(checker, &libraries, shape_of<Plain>({2, 5, 37, 1}, {1, 9, 11}));
  }
  check_all<Plain>(checker, &libraries, shape_of<Plain>({2, 12, 36, 1}, {1, 12, 13}));  // by four on both sides
  check_all<Strided>(checker, &libraries, shape_of<Strided>({1, 6, 8, 2}, {1, 12, 10}));
  check_all<Point>(checker, &libraries, shape_of<Point>({3, 33, 4, 1}, {1, 6, 7}));
  check_all<Row>(checker, &libraries, shape_of<Row>({2, 4, 6, 2}, {1, 1, 29}));
  check_all<Plain>(checker, &libraries, shape_of<Plain>({2, 2, 3, 1}, {1, 37, 35}));  // blocks for parts of a channel
  check_all<Plain>(checker, &libraries, shape_of<Plain>({1, 2, 3, 1}, {1, 44, 48}));  // the same, by four pixels
  check_all<Cube>(checker, &libraries, shape_of<Cube>({2, 3, 5, 1}, {4, 7, 9}));
  check_all<Cube>(checker, &libraries, shape_of<Cube>({2, 3, 5, 1}, {3, 7, 7}));  // not by four
  check_all<Cube>(checker, &libraries, shape_of<Cube>({1, 2, 3, 1}, {8, 24, 23}));
  check_all<Transposed<Plain>>(checker, &libraries, shape_of<Transposed<Plain>>({2, 5, 7, 1}, {1, 6, 5}));
  check_all<Transposed<Strided>>(checker, &libraries, shape_of<Transposed<Strided>>({1, 6, 8, 2}, {1, 5, 7}));
  check_all<Transposed<Row>>(checker, &libraries, shape_of<Transposed<Row>>({2, 4, 6, 2}, {1, 1, 13}, 1));
  check_all<Transposed<Cube>>(checker, &libraries, shape_of<Transposed<Cube>>({1, 6, 4, 2}, {3, 4, 5}, 1));
  const ConvShape shape = shape_of<Plain>({1, 1, 1, 1}, {1, 4, 4});
  const DeviceFloats some(4096);
  StepArgs args{};
  args.scratch = some.data();
  args.scratch_bytes = 4096 * sizeof(float);
  const auto answer = [&](int64_t advice, const float* input) {
    return launch_conv_library<ChannelsFirst, LibraryEnd::kSums, Plain>(
        {&args, false, advice, some.data()}, shape, input, some.data(),
        BiasStore<Plain>{some.data(), some.data(), shape}, nullptr);
  };
  checker.is_true("no place to keep a handle", answer(1, some.data()) == cudaErrorNotSupported);
  args.libraries = &libraries;
  checker.is_true("more advice than there is", answer(9, some.data()) == cudaErrorNotSupported);
  checker.is_true("taken", answer(1, some.data()) == cudaSuccess);
  checker.is_true("advised, and the call refused", answer(1, nullptr) == cudaErrorNotSupported);
  checker.is_true("not asked again", answer(1, some.data()) == cudaErrorNotSupported);
  libraries.cudnn.destroy(libraries.cudnn.state);
  return checker.finish();
}
