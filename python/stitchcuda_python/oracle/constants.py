# SPDX-License-Identifier: Apache-2.0
"""Every number that shapes the oracle's draws and error runs."""

from __future__ import annotations

import torch

REGIMES = ("as_given", "signed_scaled", "near_equal", "sparse_extreme")

# Parameters are multiplied by U(low, high); constant ones also moved by up to this share of max(1, |c|).
PARAMETER_LOW, PARAMETER_HIGH = 0.5, 1.5
CONSTANT_SHIFT = 0.1
# Vectors of 16-bit types, which rounding would hide otherwise, are moved by this in every other draw.
WIDE_SHIFT = 0.5
# How the parameters of a draw differ from what their constructor makes; a regime has each once in as many draws.
PLAIN, SIGNED, SCALED, SPECIAL, GENERIC = "plain", "signed", "scaled", "special", "generic"
MANNERS = (PLAIN, SIGNED, SCALED, SPECIAL, GENERIC)
# Instead of one of these a draw of a regime has the parameters of the draw before it but for one element, which is so
# many times the largest: whoever knows parameters again by a sample takes them for the same. By regime the number of
# the draw and that manner. Calls after the draws have the first four as given; where draws run two at once, the last
# two have one process.
BESIDE = "beside"
BESIDE_INSTEAD = {"as_given": (3, SIGNED), "signed_scaled": (4, PLAIN), "near_equal": (4, SIGNED)}
BESIDE_LOW, BESIDE_HIGH = 4.0, 8.0
# scaled: rows times 2^k, |k| at most this; or, of types of 32 bits and more in every second draw, k from that of far
# rows up. Share of elements and of rows that are zero.
ROW_OCTAVES, FAR_ROW_OCTAVES = 3, 14
ZERO_ELEMENT_SHARE, ZERO_WEIGHT_ROW_SHARE = 0.1, 0.05
# special: share of parameters that are given a structure, the others are plain; all of few matrices. So many turns are
# as many of each structure.
STRUCTURED_SHARE, FEW_MATRICES, TURNS = 0.5, 2, 12
# Of three axes, the last is the width of a convolution's kernel up to this; else each plane is a matrix.
WIDEST_KERNEL = 16
# generic: the spread of a parameter that its constructor makes constant, as a share of max(1, |c|).
GENERIC_SPREAD = 0.5

# Running statistics: mean ~ N(0, this), variance ~ 2^U(-octaves, octaves).
RUNNING_MEAN_SPREAD = 0.5
RUNNING_VARIANCE_OCTAVES = 2.0
# States: as so many calls of the program leave them, then scaled by 2^k, |k| at most this.
STATE_CALLS = 2
STATE_OCTAVES = 2
# Counters: below 2^this, log-uniform; so many are tried where not every one is legal.
COUNTER_BITS, COUNTER_TRIES = 20, 16
# Of flags, those of states too: the share of true ones.
FLAG_SHARES = (0.0, 0.1, 0.5, 0.9, 1.0)

# A draw of unusual parameters or states whose outputs move by more than so many eps of their row when what the program
# is given moves by one unit in the last place, in more than this share, is drawn again as constructors make them.
STEADY_EPS, UNSTEADY_SHARE = 1024.0, 0.0005

# signed_scaled: every element's sign redrawn, the tensor scaled by 2^U(low, high).
SCALE_LOW_LOG2, SCALE_HIGH_LOG2 = -2.0, 2.0
# near_equal, even draws: all rows are one row plus this much of its spread; odd draws: an offset of this many spreads.
ROW_NOISE = 1e-2
OFFSET_LOW, OFFSET_HIGH = 4.0, 8.0
# sparse_extreme: share of elements kept, share of those made extreme, by what factor; share of rows wholly zero. In odd
# draws the factor is of either sign, and times 2^U(-spread, spread).
KEPT_SHARE, EXTREME_SHARE, EXTREME_FACTOR, ZERO_ROW_SHARE = 0.1, 0.1, 30.0, 0.05
EXTREME_SPREAD_LOG2 = 3.0
# Probability of True for redrawn booleans.
TRUE_SHARE = {"signed_scaled": 0.5, "near_equal": 0.9, "sparse_extreme": 0.1}
# Integers that only sums and products use are drawn up to this, of either sign.
WIDE_INTEGER = 1 << 15
# sparse_extreme: share of a loss's targets that are the one it ignores.
IGNORED_SHARE = 0.2
# near_equal integers take few distinct values.
FEW_INTEGERS = 2

# The disturbed run: y + N(0,1) * EPS32 * sqrt(K) / DISTURBANCE_DIVISOR * max(|y|, sqrt(sum a^2 b^2)).
EPS32 = torch.finfo(torch.float32).eps
DISTURBANCE_DIVISOR = 5.0

# A decision lies within rounding where its operand is as near to the jump as so many times the largest error that runs
# of the same decisions make around it, and as many roundings: what an output may err by.
NEAR_TIE_MULTIPLE = 4.0
NEAR_TIE_ROUNDINGS = 4.0

# The gate: |graph - eager| <= this * max(|eager|, rms(eager)); of 16-bit values this many eps of their type, since an
# operator that PyTorch runs whole rounds its sums at other places than one that is taken apart.
GATE_TOLERANCE = 1e-4
GATE_EPS = 4.0
