# SPDX-License-Identifier: Apache-2.0
"""One operator's program, built for the emulated device and called on special values; what PyTorch says of them."""

import inspect
import os
import pathlib
import subprocess
import tempfile
import warnings

import torch

from .agreement import first_disagreement
from .catalogue import Operator, pointwise, shape
from .differences import OPEN_SIGNS, has_open_positions, stated, stays_ordinary
from .program_text import program
from .sums import terms_of_outputs
from .trial import Outcome

# What stands in for some elements: alone, since one NaN hides every other difference of a sum.
MIXTURES = {
    "small": [0.0, -0.0, 1e-40, -3e-41, 1.2e-38],
    "large": [1e30, -2e33, 3e38],
    "infinite": [float("inf"), float("-inf")],
    "undefined": [float("nan")],
}
KEEPS_SIGNS = {operator.name for operator in pointwise.OPERATORS + shape.MOVEMENT} - set(OPEN_SIGNS)
BUILDING = [
    ["import", "operator_program.py", "--out", "graph.ir"],
    ["plan", "graph.ir", "--out", "plan.json"],
    ["emit", "plan.json", "--out", "project"],
    ["build", "project", "--device", "emulated", "--out", "program.so"],
]
DEADLINE_SECONDS = 300


def built(stitchcuda: str, folder: pathlib.Path, text: str) -> str:
    """Builds the program into folder/program.so; "" or why not."""
    (folder / "operator_program.py").write_text(text)
    environment = {"STITCHCUDA_PYTHON_THREADS": "1", **os.environ}
    for command in BUILDING:
        done = subprocess.run(
            [stitchcuda, *command, "--quiet"],
            cwd=folder,
            env=environment,
            text=True,
            capture_output=True,
            check=False,
            timeout=DEADLINE_SECONDS,
        )
        if done.returncode != 0:
            return f"{command[0]}: {(done.stderr.strip() or done.stdout.strip())[-300:]}"
    return ""


def with_specials(tensor: torch.Tensor, values: list[float], generator: torch.Generator) -> torch.Tensor:
    """Up to an eighth of the elements, at least one, become special."""
    if not tensor.dtype.is_floating_point or tensor.numel() == 0:
        return tensor
    flat = tensor.clone().flatten()
    count = max(1, min(len(values) * 2, flat.numel() // 8))
    places = torch.randperm(flat.numel(), generator=generator)[:count]
    flat[places] = torch.tensor([values[i % len(values)] for i in range(count)]).to(tensor.dtype)
    return flat.reshape(tensor.shape)


def tensors_of(result: object) -> list[torch.Tensor]:
    if result is None:
        return []
    if isinstance(result, torch.Tensor):
        return [result]
    return [tensor for part in result for tensor in tensors_of(part)]


def in_double(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to(torch.float64) if tensor.dtype.is_floating_point else tensor


def is_random(model: type[torch.nn.Module], inputs: list[torch.Tensor]) -> bool:
    """Whether PyTorch's own results differ from call to call."""
    torch.manual_seed(1)
    first = tensors_of(model()(*inputs))
    torch.manual_seed(2)
    second = tensors_of(model()(*inputs))
    return any(not torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(first, second, strict=True))


def largest_finite(tensors: list[torch.Tensor]) -> float:
    """Of the operands together."""
    floats = [tensor[torch.isfinite(tensor)].abs() for tensor in tensors if tensor.dtype.is_floating_point]
    return max((float(values.max()) for values in floats if values.numel()), default=0.0)


def constants_of(folder: pathlib.Path) -> dict[str, torch.Tensor]:
    """Tensors that forward makes of literals, as the import finds them."""
    from stitchcuda_python.graph.export import export_program
    from stitchcuda_python.program.build import Request, build_program

    request = Request.from_json({"file": str(folder / "operator_program.py")})
    return dict(export_program(build_program(request)).graph.tensors)


def compared(operator: Operator, dtypes: tuple[str, ...], folder: pathlib.Path, text: str, seed: int) -> dict[str, str]:
    """By dtype, a sentence about the first disagreement; "" where there is none. Empty when results are random."""
    from stitchcuda_runtime import Program, load_library

    names: dict = {}
    exec(compile(text, "operator_program.py", "exec"), names)
    emulated = Program(load_library(str(folder / "program.so")))
    emulated.prepare(constants_of(folder) if emulated.parameters else {})
    all_terms = terms_of_outputs((folder / "graph.ir").read_text())
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    drawn = names["get_inputs"]()
    arguments = list(inspect.signature(names["Model"].forward).parameters)[1:]
    found = dict.fromkeys(dtypes, "")
    if is_random(names["Model"], drawn):
        return {}
    for mixture, values in MIXTURES.items():
        inputs = [
            tensor if stays_ordinary(operator.name, mixture, name) else with_specials(tensor, values, generator)
            for name, tensor in zip(arguments, drawn, strict=True)
        ]
        try:
            results = names["Model"]()(*inputs)
        except RuntimeError:
            continue  # PyTorch does not take these values: probabilities beyond one
        dtype_of = [dtypes[index % len(dtypes)] for index, part in enumerate(results) for _ in tensors_of(part)]
        native = tensors_of(results)
        try:
            exact = tensors_of(names["Model"]()(*[in_double(tensor) for tensor in inputs]))
        except RuntimeError:
            exact = native  # the expression itself names a dtype
        got, _ = emulated.run(inputs)
        largest = largest_finite(inputs)
        compared_parts = zip(got, native, exact, dtype_of, all_terms, strict=True)
        for index, (mine, theirs, reference, dtype, terms) in enumerate(compared_parts):
            if not theirs.dtype.is_floating_point and has_open_positions(operator.name):
                continue
            reference = reference if reference.shape == theirs.shape else theirs
            sentence = first_disagreement(mine, theirs, reference, operator.name in KEEPS_SIGNS, terms, largest)
            if sentence and not found[dtype] and not stated(operator.name, mixture):
                found[dtype] = f"{mixture} values, output {index}: {sentence}"
                keep(operator.name, mixture, index, inputs, mine, theirs, reference)
    return found


def keep(name: str, mixture: str, index: int, *tensors: object) -> None:
    """For a look at a disagreement afterwards: what was called and what came, where STITCHCUDA_KEEP names a folder."""
    if folder := os.environ.get("STITCHCUDA_KEEP"):
        torch.save(tensors, pathlib.Path(folder, f"{name}-{mixture}-{index}.pt"))


def tried(stitchcuda: str, operator: Operator, dtypes: tuple[str, ...], seed: int) -> dict[str, Outcome]:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = program(operator, dtypes, seed)
        try:
            if sentence := built(stitchcuda, folder, text):
                kind = "left out" if sentence.startswith("import") else "differs"
                return {dtype: Outcome(kind, sentence) for dtype in dtypes}
            found = compared(operator, dtypes, folder, text, seed)
        except Exception as error:  # a case that cannot be run is a finding, not the end of the sweep
            return {dtype: Outcome("differs", f"{type(error).__name__}: {error}") for dtype in dtypes}
        if not found:
            return {dtype: Outcome("left out", "random: no two results are to be compared") for dtype in dtypes}
        return {dtype: Outcome("differs" if sentence else "agrees", sentence) for dtype, sentence in found.items()}


def outcomes(stitchcuda: str, operator: Operator, dtypes: tuple[str, ...], seed: int) -> dict[str, Outcome]:
    """By dtype: "agrees", "left out" (refused at import) or "differs". Dtypes share a program where all are taken."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    together = tried(stitchcuda, operator, dtypes, seed)
    if len(dtypes) == 1 or not all(outcome.kind == "left out" for outcome in together.values()):
        return together
    return {dtype: tried(stitchcuda, operator, (dtype,), seed)[dtype] for dtype in dtypes}
