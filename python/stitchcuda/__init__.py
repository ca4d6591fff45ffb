# SPDX-License-Identifier: Apache-2.0
"""PyTorch programs as verified CUDA.

fast = stitchcuda.optimize(model, example_inputs)
"""

from typing import TYPE_CHECKING, Any

from .errors import Error, InternalError, MissingEnvironment, NotVerified, ProgramError, UsageError

if TYPE_CHECKING:
    from .module import Optimized
    from .optimizing import optimize
    from .report import Report
    from .stages import altered_files, decide, devices, emit, operators, plan, step_costs, write_report
    from .verdict import Verdict

    Refused: type[RuntimeError]
    __version__: str

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
    "__version__",
    "altered_files",
    "decide",
    "devices",
    "emit",
    "operators",
    "optimize",
    "plan",
    "step_costs",
    "write_report",
]


def __getattr__(name: str) -> Any:
    """What needs PyTorch is imported at its first use: the command `stitchcuda` does not wait for it."""
    from importlib import import_module

    stages = ("altered_files", "decide", "devices", "emit", "operators", "plan", "step_costs", "write_report")
    homes = {"Optimized": "module", "optimize": "optimizing", "Report": "report", "Verdict": "verdict"}
    homes |= dict.fromkeys(stages, "stages")
    if name in homes:
        value = getattr(import_module(f".{homes[name]}", __name__), name)
    elif name == "Refused":
        value = import_module(".places", __name__).runtime().Refused
    elif name == "__version__":
        value = import_module(".driver", __name__).ask("version")["version"]
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
