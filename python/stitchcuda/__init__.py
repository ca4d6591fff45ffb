# SPDX-License-Identifier: Apache-2.0
"""PyTorch programs as verified CUDA.

fast = stitchcuda.optimize(model, example_inputs)
"""

from .errors import Error, InternalError, MissingEnvironment, NotVerified, ProgramError, UsageError
from .module import Optimized
from .optimize import optimize
from .places import runtime
from .report import Report
from .verdict import Verdict

Refused: type[RuntimeError] = runtime().Refused

__all__ = [
    "Error",
    "InternalError",
    "MissingEnvironment",
    "NotVerified",
    "Optimized",
    "ProgramError",
    "Refused",
    "Report",
    "UsageError",
    "Verdict",
    "optimize",
]
