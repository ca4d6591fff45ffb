// SPDX-License-Identifier: Apache-2.0
// Every constant of the accept rule, each with its reason. bench/calibration measures the margin on both sides of them
// (honest kernels below, planted bugs above) and bench/results/calibration.md holds its last record.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stitch::verify {

// |got - ref64| <= kErrorMultiple * E(tile) + kRoundingMultiple * eps * max(|ref64|, rms(tile))
//
// 4: honest kernels that sum in another order, in one accumulator or with fast intrinsics stay below it in every
// measured case; arithmetic one step lower (TF32, bf16, a half accumulator) lies well above it.
inline constexpr double kErrorMultiple = 4.0;
inline constexpr double kCertain = kErrorMultiple / 2;  // what lies below is asked nothing more
// 4: when the reference happens to be exact (E = 0: copies, a single product), a candidate may still round a few times,
// as fast division and fused multiply-adds do. rms, since an element that cancels to zero carries its neighbours'
// error.
inline constexpr double kRoundingMultiple = 4.0;

// E is the maximum of a sample of random errors, and a small sample makes it unsteady: one-element tiles refuse honest
// sums. Above 4,096 one bad row could hide behind another row's budget.
inline constexpr int64_t kTileMinimumElements = 256;
inline constexpr int64_t kTileMaximumElements = 4096;

// A tile in which fewer elements err than this borrows its neighbours' largest error. 64: the largest of 64 errors of
// four runs is rarely less than half of the largest of 256; one element's was a twentieth of what an honest convolution
// made behind a ReLU that left it alone in its tile.
inline constexpr int64_t kSteadyElements = 64;
// How far it looks for them: sixteen tiles of the largest size.
inline constexpr int64_t kCompanyElements = 16 * kTileMaximumElements;

// A tile that errs beyond kErrorMultiple is judged again with the median of as many tiles around it, each relative to
// its tile's rms, where that is more than its own: all elements of a row may share the error of one sum (softmax, a
// norm), and four runs of one number may all be small by luck. The median of rows is not.
inline constexpr int64_t kTypicalTiles = 32;

// Where the errors of a tile are those of few elements (an exponential's largest, what a clamp leaves inside its ends),
// or where few random numbers decide about all of its elements (the two largest scores of a row of attention), E is the
// largest of little more than kErrorRuns numbers. Of n such tiles an honest program's largest error is then beyond 4 E
// sooner or later: the chance that |Z0| > c max(|Z1|, ... |Z4|), for normal Z of one spread, is at most
//   E[(sqrt(2/pi) |Z0| / c)^4] = (2/pi)^2 E[Z^4] / c^4 = 12 / pi^2 / c^4 = 1.216 / c^4,
// since |Z| < x has a chance of at most x sqrt(2/pi). So the j-th largest of n may be c_j, where n * 1.216 / c_j^4 is
// the mean of a Poisson number that reaches j with a chance of kRefusalChance / 2^j: of 20 tiles one may err by 149 E,
// a second by 18 E, a third by 9 E, all others by 4 E. Runs that differ in spread, as a plain loop's do from perturbed
// ones, have their spreads in it (chance_beyond). bench/margins/tails measures all this: bench/results/margins.md.
inline constexpr size_t kErrorRuns = 4;
inline constexpr double kLoneTail = 1.2159;
// An output in one draw. A verdict compares about a hundred: one honest program in 100,000 is refused.
inline constexpr double kRefusalChance = 1e-7;
// How few: (sum e^2)^2 / sum e^4 over the reference's errors e, which counts equal ones and hardly the small. More
// than one by far, since elements share the errors of what they are computed from (nine pixels, those of one place).
inline constexpr double kFewElements = 32;
// Where many elements err, a few may have a far larger spread than all others (the score of a word with itself),
// and be small in all runs by chance. No more than one of so many elements of a tile stands out like that,
inline constexpr int64_t kElementsPerOutlier = 256;
// and only where errors are so many roundings of the largest element: those of the output's type alone have no tail.
inline constexpr double kRoundingErrors = 2;

// How few random numbers: tr(C)^2 / tr(C^2) of the errors' covariance C, measured by how much the runs' errors overlap
// (shared_errors.h). 32: the chance of an error beyond 4 E that 32 equal numbers make in each run is 1.8e-14, and an
// output of five million tiles, more than a billion elements, is refused for it with a chance of kRefusalChance.
inline constexpr double kFewNumbers = 32;
// A run that errs less than this share of what the widest does counts as one of this share: what says little about an
// error must not allow any. A plain loop over 4,096 terms errs by sqrt(4096) / 5 times what an ulp at the inputs does.
inline constexpr double kLeastSpread = 1.0 / 16;

// A regime in which more than this share of elements moves beyond the bound below when its inputs move by one ulp says
// nothing about a candidate, and is left out. One in a thousand: a mask's edge or a tie may flip, a trend may not.
inline constexpr double kConditionShare = 0.001;
// The bound: kConditionErrorMultiple * (largest native error in the tile) + kConditionRoundingMultiple * eps * scale.
// 1024: one ulp at the inputs may move an output by 1,024 units before it is called lost. Softmax of scores around 30
// moves by 16 (an ulp of 30 is 16 eps), a large offset in front of a norm by its ratio to the spread: both are judged
// well, since the perturbed runs are part of E. With 4 here, calibration lost softmax in the regime as given.
// The scale is max(|ref64|, rms): with rms alone a plain copy of sparse data, whose large elements all exceed four
// times the rms of their tile, would be called ill-conditioned for moving by one ulp.
inline constexpr double kConditionErrorMultiple = 4.0;
inline constexpr double kConditionRoundingMultiple = 1024.0;

// Small numbers, over a whole output and by magnitude: elements within a factor of 2^4 are one group. 64 elements that
// the reference knows, and half of the group at least, say what a candidate makes of numbers of that size;
inline constexpr int kMagnitudeOctaves = 4;
inline constexpr int64_t kMinKnown = 64;
// below 2^-100 a device may flush on its way;
inline constexpr int kSmallestExponent = -100;
// the reference knows what all its runs agree about within a thousandth, or within two roundings of the output's type;
inline constexpr double kKnownWithin = 1.0 / 1024;
inline constexpr double kKnownRoundings = 2;
// a candidate that is off by more than an eighth there has no right digit: formulas that are honest and cancel in their
// tails lose digits, not the number. A quarter, since a candidate may round single elements to zero.
inline constexpr double kLostBeyond = 1.0 / 8;
inline constexpr double kLostShare = 1.0 / 4;

// Errors that go one way, of 16-bit outputs (their epsilon is 2^-10 or 2^-7; of finer types the budget of a tile is
// narrow enough) and of no fewer elements than a tile of rows has: a common scale or offset s of a tile, or of all
// elements.
inline constexpr double kOneWayEpsilon = 1.0 / 1024;
inline constexpr size_t kOneWayElements = 256;
// So have columns of so many elements, of outputs whose rows are tiles or parts of tiles: sums of each column are kept
// by each piece of an output that is judged.
inline constexpr int64_t kMaxOneWayColumns = 4096;
inline constexpr int64_t kMaxElementsInColumns = int64_t{1} << 24;
// The draws of a regime together, for an output of fewer elements: six spreads of few elements are wide by themselves.
inline constexpr double kOneWaySmallElements = 64;
// Accepted is s within 0.6 epsilon: storage that cuts off instead of rounding is off by 0.36 (0.25 to 0.5 by how
// numbers lie between powers of two), one per cent in bfloat16 by 1.28. Twice that in a tile, whose elements may share
// the rounding of a constant, a mean or a norm;
inline constexpr double kOneWayRoundings = 0.6;
inline constexpr double kOneWayTile = 2;
// and besides kErrorMultiple times what the worst of the reference's runs is off by, six spreads of what independent
// errors of that size leave over, and in a tile eight times what runs are off by in tiles (each has four runs alone).
inline constexpr double kOneWaySpreads = 6;
inline constexpr double kOneWayTypical = 8;
// All errors of a 16-bit output together, by the root of mean squares: three times the native run's, half of what the
// worst run's are (perturbed ones have moved by a whole unit, where a rounding is of half a one at most), or 0.6
// epsilon. Of that, operands of bfloat16 in a program of halves make three times and more, five mantissa bits 1.6 and
// int8 2.2 in bfloat16, right arithmetic a third, cutting off 0.8 (bench/results/arithmetics.md).
inline constexpr double kTogetherNative = 3;
inline constexpr double kTogetherRuns = 0.5;
inline constexpr double kTogetherRoundings = 0.6;
// Where inputs are nearly equal, so are their roundings: a regime is refused for two draws and more than half of those
// judged; for one where it is so far off that no rounding explains it. The farthest honest draw was at 0.2 of what is
// allowed, one of storage that cuts off at 0.9.
inline constexpr size_t kOneWayDraws = 2;
inline constexpr double kOneWayAtOnce = 4;

// Mode kernelbench: how far an output may be from the baseline, all elements together, as a multiple of how far runs of
// its arithmetic are from each other. 4, as for single elements: products in TF32 where the baseline has none lie ten
// times as far off behind one convolution.
inline constexpr double kNearnessMultiple = 4.0;
// How many draws of a regime must be farther, and more than half of it: where elements are all alike, one operand that
// is rounded to the other side moves a whole channel. Such a draw is one of a hundred.
inline constexpr size_t kFarDraws = 3;

// KernelBench's own rule, |got - native| <= tolerance * (1 + |native|): 1e-4 for fp32, 1e-2 for 16-bit outputs.
inline constexpr double kKernelBenchTolerance = 1e-4;
inline constexpr double kKernelBenchHalfTolerance = 1e-2;
// The same with CudaForge's tolerance and with CUDA Agent's, whatever the type.
inline constexpr double kCudaForgeTolerance = 1e-3;
inline constexpr double kCudaAgentTolerance = 1e-2;

}  // namespace stitch::verify
