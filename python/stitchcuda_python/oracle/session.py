# SPDX-License-Identifier: Apache-2.0
"""One open oracle: a program at one size in one math mode, ready to make draws and write them to files."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from ..failures import ENVIRONMENT, PROGRAM_INVALID, Failure, from_user_code, one_line
from ..graph.functional import CONSTANT, INPUT, OUTPUT, PARAMETER, RANDOM, STATE
from ..graph.known import graph_with_data
from ..graph.supported import DTYPE_NAMES
from ..program.build import Request, build_program
from ..vocabulary import MATH_MODES
from ..weights.raw import read_raw, write_raw
from . import constants as c
from .bounds import index_source
from .constants import REGIMES
from .draw import Care, Drawer, Drawn
from .evaluate import Evaluator, Runs, is_unsteady
from .gate import compare_with_eager, refuse_unjudgeable
from .inputs import InputSource
from .interpret import Interpreter
from .large import LargeOutputs, large_depends_on_ties
from .manners import QUESTIONS, manner_of
from .native import NativeModule, tf32_flags
from .nulls.catalogue import DoesNotApply
from .nulls.maker import NullMaker, in_order
from .places import name_tensor, release_unused
from .plan_values import extended
from .seeds import derive
from .special_values import are_alike
from .unasked import standing

_MIN_SHARED_BYTES = 1 << 20
_INSTEAD = {
    Care.BOLD: "Regime {}: {}; parameters, states, integers and flags were drawn as they mostly are.",
    Care.PLAIN: "Regime {}: {}; its inputs were redrawn inside the range that the file draws.",
}
_UNSTEADY = "Regime {}: rounding decides with unusual parameters or states; others were drawn."
_MAX_BASES = 4
_DRAWS_COMPARED = 4  # of each regime
GATE = "gate"  # the name of the gate's draw, which no verdict uses


class Session:
    """Raises a Failure from the constructor where the program cannot be taken or the device is not there."""

    def __init__(self, request: Request, math: str, seed: int, device: str, folder: str) -> None:
        if math not in MATH_MODES:
            known = ", ".join(MATH_MODES)
            raise Failure(PROGRAM_INVALID, f"There is no math mode {math!r}.", "", f"Use one of {known}.")
        if device == "cuda" and not torch.cuda.is_available():
            raise Failure(ENVIRONMENT, "PyTorch sees no CUDA device.", "", "Use --device emulated.")
        self._seed, self._folder, self._device = seed, folder, torch.device(device)
        torch.manual_seed(derive(seed, "construct"))
        self._source = source = InputSource(self._device)
        self._program = build_program(request, source.stand_ins)
        self.graph = graph_with_data(self._program)
        self._native = NativeModule(self._program, self.graph, self._device)
        self._drawer = Drawer(self._program, self.graph, self._native, self._device, source, seed)
        has_own_sizes = not request.overrides
        self._evaluator = Evaluator(
            self.graph, self._native, self._drawer, math, self._device, has_own_sizes
        )
        self._math = math
        self._last: tuple[Drawn, Runs] | None = None
        self._large: LargeOutputs | None = None
        self._shared: list[torch.Tensor] = []  # what other processes were told the places of
        self._nulls: NullMaker | None = None
        self._bases: dict[int, Drawn] = {}  # of contents that were given
        self._finite, self._overflows = True, False
        self._cares: dict[tuple[str, int], tuple[Care, list[str]]] = {}  # of the draws made so far, with the reasons
        self.gate = self._run_gate()
        self._kept = self._drawer.try_states(lambda drawn: self._try(drawn)[1])

    def _first_run(self) -> tuple[Drawn, dict[str, torch.Tensor]]:
        drawn = self._drawer.draw(self._seed, "as_given", 0)
        try:
            with tf32_flags("fp32"):
                return drawn, self._native.run(drawn.inputs, drawn.tensors, drawn.numbers)
        except Exception as error:
            if self._source.keep(self._program.namespace):
                return self._first_run()
            remedy = "Check that Model(*get_init_inputs())(*get_inputs()) runs in plain PyTorch."
            raise from_user_code(error, "running forward", self._program.request.file, remedy) from error

    def _run_gate(self) -> dict[str, object]:
        drawn, eager = self._first_run()
        with tf32_flags("fp32"):
            graph = self._evaluator.interpreter.run(self._drawer.graph_values(drawn))
            self._overflows = self._evaluator.interpreter.has_overflow
            result = compare_with_eager(graph, eager)
            self._refuse_shared_memory(result.ok)
            again = eager if result.ok else self._native.run(drawn.inputs, drawn.tensors, drawn.numbers)
        refuse_unjudgeable(self.graph, eager, again, self._program.request.file)
        self._finite = all(bool(torch.isfinite(item).all()) for item in eager.values() if item.is_floating_point())
        return result.to_json()

    def _refuse_shared_memory(self, is_right: bool) -> None:
        """Raises a Failure where the gate fails since a tensor beside a parameter changes with it unseen."""
        found = None if is_right else self._native.read_through()
        if found is not None:
            message = f"self.{found[0]} lies in the memory of the parameter {found[1]}, and changes with it."
            remedy = "Make it of the parameter in forward, where that can be seen."
            raise Failure(PROGRAM_INVALID, message, self._program.request.file, remedy)

    def describe(self) -> dict[str, Any]:
        """The specs that the files of a draw follow."""
        results = self.graph.results()
        made = {role: [out for out in self.graph.outputs if out.role == role] for role in (OUTPUT, STATE)}
        spec = lambda name: {  # noqa: E731
            "name": name,
            "dtype": DTYPE_NAMES[results[name][0]],
            "shape": list(results[name][1]),
        }
        return {
            "regimes": list(REGIMES),
            "inputs": [
                spec(value.name) | {"whole": self._drawer.keeps(value.name)}
                for value in self.graph.of_role(INPUT, RANDOM)
            ],
            "random_inputs": len(self.graph.of_role(RANDOM)),
            "parameters": [spec(value.name) for value in self.graph.of_role(PARAMETER, CONSTANT)],
            "states": [spec(value.name) for value in self.graph.of_role(STATE)],
            "outputs": [spec(out.value) for out in made[OUTPUT]],
            "states_out": [spec(out.value) | {"binding": out.binding} for out in made[STATE]],
            "gate": self.gate,
        }

    def draw(self, regime: str, number: int, keep: bool = False, stays: bool = False) -> dict[str, Any]:
        """Makes a draw and writes its files. A regime that the program cannot take even inside the observed range is
        dropped with a sentence. With `stays` what is large stays where it is until the next draw: of inputs,
        parameters and states the place is told, and a candidate's outputs are looked at by look_at()."""
        if regime not in REGIMES:
            raise Failure(PROGRAM_INVALID, f"There is no regime {regime!r}.", "", f"Use {', '.join(REGIMES)}.")
        if stays or self._large is not None:
            self._forget()
        drawn, runs, said = self._settled(regime, number, stays)
        if runs is None:
            return {"dropped": f"Regime {regime} is left out: {said[-1]}.", "fallback": _joined(said[:-1])}
        try:
            is_steady = self._measure(drawn, runs, regime, number, stays)
        except torch.linalg.LinAlgError as error:
            reason = f"with other rounding it is refused ({one_line(str(error))})"
            return self._with_more_care(regime, number, keep, stays, reason)
        if not is_steady:
            self._cares[(regime, number)] = (Care.PLAIN, [*said, _UNSTEADY.format(regime)])
            return self.draw(regime, number, keep, stays)
        self._last = (drawn, runs)
        if self._nulls is not None:
            right = runs.native_fp32 if self._large is None else runs.native
            self._nulls.look_at(self._seed, regime, number, drawn, right)
        return {"dropped": None, "fallback": _joined(said)} | self._write(
            self._whole_draw, f"{regime}_{number}_" if keep else ""
        )

    def _measure(self, drawn: Drawn, runs: Runs, regime: str, number: int, stays: bool) -> bool:
        """Fills in what tells the reference's own error. Whether rounding leaves the draw as it is, where that may be
        otherwise with unusual parameters or states."""
        place = (self._seed, regime, number)
        self._evaluator.decide_otherwise(runs, drawn, *place)
        if not stays or large_depends_on_ties(runs):
            self._evaluator.add_error_runs(runs, drawn, *place)
            return self._cares[(regime, number)][0] > Care.BOLD or not is_unsteady(runs)
        release_unused()
        error_runs = lambda: self._evaluator.error_runs(drawn, *place)  # noqa: E731
        is_rounded = self._math in ("tf32", "reduced")
        self._large = LargeOutputs(
            runs, error_runs, is_rounded, self._coarsest_eps(), self._evaluator.rounds_openly()
        )
        return True

    def _with_more_care(self, regime: str, number: int, keep: bool, stays: bool, reason: str) -> dict[str, Any]:
        """The draw nearer to what the file draws; dropped where it is as near as can be."""
        care, said = self._cares[(regime, number)]
        if care == Care.INSIDE or (care == Care.PLAIN and regime == "as_given"):
            return {"dropped": f"Regime {regime} is left out: {reason}.", "fallback": _joined(said)}
        said = [*said, *([_INSTEAD[care].format(regime, reason)] if care in _INSTEAD else [])]
        self._cares[(regime, number)] = (Care(care + 1), said)
        return self.draw(regime, number, keep, stays)

    def _settled(self, regime: str, number: int, stays: bool = False) -> tuple[Drawn, Runs | None, list[str]]:
        """The draw with as little care as the program takes, its references, and in sentences why it is no bolder.
        Without references where it takes none; the last reason then is no sentence."""
        least = self._drawer.least_care(regime, number)
        first, known = self._cares.get((regime, number), (least, self._kept))
        cares = [care for care in Care if care >= first and (care != Care.INSIDE or regime != "as_given")]
        if not self._drawer.may_be_bold(regime, number):
            cares = [care for care in cares if care != Care.BOLD]
        said = list(known)
        for care in cares:
            drawn = self._drawer.draw(self._seed, regime, number, care)
            if stays:
                release_unused()
            runs, reason = self._try(drawn)
            if runs is not None:
                self._cares[(regime, number)] = (care, said)
                return drawn, runs, said
            if care == cares[-1]:
                return drawn, None, [*said, reason]
            said += [_INSTEAD[care].format(regime, reason)] if care in _INSTEAD else []
            del drawn
        raise AssertionError("a draw has at least one care")

    def look_at(self, outputs: list[dict[str, Any] | None], whole: bool) -> list[dict[str, Any] | None]:
        """What a candidate's outputs and new states, each at its place, look like beside the last draw's references;
        nothing where no place is named. See LargeOutputs.look_at."""
        names = [output.value for role in (OUTPUT, STATE) for output in self.graph.outputs if output.role == role]
        if self._large is None or len(outputs) != len(names):
            raise Failure(PROGRAM_INVALID, "No outputs of the last draw stay here.", "", "Ask for oracle.draw first.")
        large, answers = self._large, []
        for index, (name, place) in enumerate(zip(names, outputs)):
            path = lambda part, at=index: self._path(f"doubt_{at}_{part}")  # noqa: E731
            answers.append(None if place is None else large.look_at(name, place, path, whole))
        return answers

    def rest(self) -> None:
        """Frees a draw that stays: nobody asks about it again."""
        if self._large is not None:
            self._forget()

    def _forget(self) -> None:
        """Frees the last draw: the next one needs its room."""
        self._last, self._large, self._shared = None, None, []
        release_unused()

    def _coarsest_eps(self) -> float:
        """Of what the program is given; 0 where none of it is floating-point."""
        values = self.graph.of_role(INPUT, RANDOM, PARAMETER, CONSTANT, STATE)
        dtypes = [self.graph.results()[value.name][0] for value in values]
        return max([torch.finfo(dtype).eps for dtype in dtypes if dtype.is_floating_point], default=0.0)

    def given(self, number: int, inputs: list[str], states: list[str], folder: str) -> dict[str, Any]:
        """The answers to the inputs, random numbers among them, and states in these files, with the parameters of draw
        `number` as given; dropped with a sentence where the program does not take them. From now on files are written
        to `folder`."""
        self._folder = folder
        start = time.process_time()
        base = self._base_draw(number)
        values = self._drawer.graph_values(base)
        like = [[values[value.name] for value in self.graph.of_role(*roles)] for roles in ((INPUT, RANDOM), (STATE,))]
        contents = [_read_all(paths, tensors) for paths, tensors in zip((inputs, states), like)]
        drawn = self._drawer.with_contents(base, *contents)
        runs, reason = self._try(drawn)
        if runs is None:
            return {"dropped": f"These contents are left out: {reason}."}
        try:
            self._evaluator.decide_otherwise(runs, drawn, self._seed, "given", number)
            self._evaluator.add_error_runs(runs, drawn, self._seed, "given", number)
        except torch.linalg.LinAlgError as error:
            return {"dropped": f"These contents are left out: with other rounding ({one_line(str(error))})."}
        self._last = (drawn, runs)
        answers = self._write(self._answers, "given_")
        return {"dropped": None, "cpu_s": time.process_time() - start} | answers

    def _base_draw(self, number: int) -> Drawn:
        """Draw `number` as given, kept for the contents that are given next: parameters come by turns."""
        if number not in self._bases:
            if len(self._bases) == _MAX_BASES:
                del self._bases[next(iter(self._bases))]
            self._bases[number] = self._settled("as_given", number)[0]
        return self._bases[number]

    def _try(self, drawn: Drawn) -> tuple[Runs | None, str]:
        try:
            runs = self._evaluator.references(drawn)
        except Exception as error:  # noqa: BLE001 - whatever the user's forward raises on transformed data
            return None, f"the reference raised {type(error).__name__} ({one_line(str(error))})"
        if drawn.special:
            reason = "" if _are_defined(drawn, runs) else "special values are not defined there"
            return (None, reason) if reason else (runs, "")
        if self._finite and not runs.all_finite():
            return None, "the reference is not finite, though it is on the data that the file draws"
        if runs.has_overflow and not self._overflows:
            return None, "the reference makes integers of numbers that no integer of their type holds"
        return runs, ""

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name + ".bin")

    def _write(self, files: Callable[[str], dict[str, Any]], prefix: str) -> dict[str, Any]:
        try:
            return files(prefix)
        except OSError as error:
            message = f"A draw cannot be written to {self._folder}: {error.strerror}."
            raise Failure(ENVIRONMENT, message, self._folder, "Free space there.") from error

    def _whole_draw(self, prefix: str) -> dict[str, Any]:
        values = self._drawer.graph_values(self._last_draw()[0])
        written = lambda role_values, group: [  # noqa: E731
            self._hand_over(values[value.name], self._path(f"{prefix}{group}_{index}"))
            for index, value in enumerate(role_values)
        ]
        return {
            "inputs": written(self.graph.of_role(INPUT, RANDOM), "input"),
            "parameters": written(self.graph.of_role(PARAMETER, CONSTANT), "parameter"),
            "states": written(self.graph.of_role(STATE), "state"),
        } | self._answers(prefix)

    def _hand_over(self, tensor: torch.Tensor, path: str) -> str | dict[str, Any]:
        """A file of it, or its place where what is large stays."""
        if self._large is None or tensor.numel() * tensor.element_size() < _MIN_SHARED_BYTES:
            return write_raw(tensor, path)
        self._shared.append(tensor.detach().contiguous())
        return name_tensor(self._shared[-1], path)

    def _answers(self, prefix: str) -> dict[str, Any]:
        runs = self._last_draw()[1]
        return {
            "near_ties": runs.near_ties,
            "outputs": self._write_results(OUTPUT, prefix + "output", runs),
            "states_out": self._write_results(STATE, prefix + "state_out", runs),
        }

    def _write_results(self, role: str, prefix: str, runs: Runs) -> list[dict[str, Any]]:
        made = []
        outputs = [output for output in self.graph.outputs if output.role == role]
        for index, output in enumerate(outputs):
            name, path = output.value, f"{prefix}_{index}"
            if self._large is not None and name in self._large:
                made.append({"name": name, "kind": "float", "stays": True})
                continue
            entry: dict[str, Any] = {
                "name": name,
                "ref64": write_raw(_wide(runs.ref64[name]), self._path(path + "_ref64")),
                "native": write_raw(runs.native[name], self._path(path + "_native")),
                "kind": "float" if runs.native[name].is_floating_point() else "exact",
            }
            for key, group in (("runs", runs.runs), ("runs_tf32", runs.runs_tf32)):
                if group:
                    paths = [self._path(f"{path}_{key}_{position}") for position in range(len(group))]
                    entry[key] = [write_raw(values[name], where) for values, where in zip(group, paths)]
            others = [run[name] for run in runs.otherwise if not torch.equal(run[name], runs.ref64[name])]
            if others:
                paths = [self._path(f"{path}_otherwise_{position}") for position in range(len(others))]
                entry["otherwise"] = [write_raw(_wide(values), where) for values, where in zip(others, paths)]
            if runs.runs_tf32:
                entry["native_fp32"] = write_raw(runs.native_fp32[name], self._path(path + "_native_fp32"))
                entry["rounds_openly"] = self._evaluator.rounds_openly()
            made.append(entry | self._index_entry(name, path))
        return made

    def _index_entry(self, name: str, path: str) -> dict[str, Any]:
        """For an output of positions: the fp64 values they point into, so that they are judged by those."""
        source = index_source(self.graph, name)
        if source is None:
            return {}
        values = self.intermediate_values([source.value])[source.value]
        if source.axis is None:
            values = values.reshape(-1)
        if not values.is_floating_point():
            values = values.double()
        where = write_raw(_wide(values), self._path(path + "_values64"))
        place = {
            "axis": source.axis or 0,
            "kept": source.kept,
            "distinct": source.distinct,
            "stable": source.stable,
        }
        return {"kind": "index", "values64": where, "values_shape": list(values.shape)} | place

    def _last_draw(self) -> tuple[Drawn, Runs]:
        if self._last is None:
            raise Failure(PROGRAM_INVALID, "No draw has been made yet.", "", "Ask for oracle.draw first.")
        return self._last

    def intermediate_values(self, names: list[str], double: bool = True) -> dict[str, torch.Tensor]:
        """Values of the last draw by name, in fp64 or native precision. Inputs may be named too."""
        values = self._drawer.graph_values(self._last_draw()[0])
        unknown = [name for name in names if name not in self.graph.results()]
        if unknown:
            raise Failure(PROGRAM_INVALID, f"The graph has no value {unknown[0]}.", "", "Name one that import lists.")
        with tf32_flags("fp32"):
            made = self._evaluator.interpreter.run(values, double=double, keep=frozenset(names))
        return {name: made.get(name, values.get(name)) for name in names}

    def extend(self, nodes: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> dict[str, str]:
        """Adds the values of a plan that the program lacks, and says which of its values each wanted one is. Raises
        NoReference where they cannot be had; nothing has changed then."""
        graph, names = extended(self.graph, nodes, wanted)
        interpreter = Interpreter(graph, self._device)
        if len(graph.calls) > len(self.graph.calls):
            # Run once now: in a draw what they raise would pass for what the program cannot take.
            with tf32_flags("fp32"):
                interpreter.run(self._drawer.graph_values(self._drawer.draw(self._seed, "as_given", 0)))
        self.graph, self._evaluator.interpreter = graph, interpreter
        return names

    def write_intermediates(self, names: list[str]) -> list[dict[str, Any]]:
        """Writes values of the last draw: fp64 reference, native precision (the graph run in fp32), error runs."""
        wide, native = self.intermediate_values(names), self.intermediate_values(names, double=False)
        runs = self._evaluator.intermediate_runs(names, self._last_draw()[0], self._seed)
        return [
            {
                "name": name,
                "ref64": write_raw(_wide(wide[name]), self._path(f"value_{name}_ref64")),
                "native": write_raw(native[name], self._path(f"value_{name}_native")),
                "runs": [write_raw(run[name], self._path(f"value_{name}_run_{at}")) for at, run in enumerate(runs)],
            }
            for name in names
        ]

    def write_own_draws(self, count: int) -> list[list[str]]:
        """Writes outputs and new states of `count` eager runs on the last draw that draw their own random numbers."""
        drawn = self._last_draw()[0]
        runs = []
        for number in range(count):
            with tf32_flags("fp32"):
                made = self._native.run(drawn.inputs, drawn.tensors, seed=derive(self._seed, "own draws", number))
            names = [output.value for role in (OUTPUT, STATE) for output in self.graph.outputs if output.role == role]
            runs.append([write_raw(made[name], self._path(f"own_{number}_{at}")) for at, name in enumerate(names)])
        return runs

    def unasked(self) -> list[str]:
        """Questions of every verdict that this program does not take, each with the reason."""
        kept = self._drawer.kept_states
        found = [f"state {name} otherwise than as constructed: {why}" for name, why in sorted(kept.items())]
        names = self._native.persistent - kept.keys()
        found += standing(self.graph, names, self._drawer.declares, self._values_of_draws())
        for number in range(1, len(c.MANNERS)):
            if not self._drawer.may_be_bold("as_given", number):
                break
            drawn = self._drawer.draw(self._seed, "as_given", number, Care.BOLD)
            reason = self._try(drawn)[1]
            manner = manner_of(self._seed, "as_given", number)
            question = QUESTIONS[manner] if self._drawer.has_parameters else "with integers and flags of any legal kind"
            found += [f"calls {question}: {reason}"] if reason else []
        return list(dict.fromkeys(found))

    def _values_of_draws(self) -> Iterator[dict[str, torch.Tensor]]:
        """Those of the draws that were made, then of others, by graph value name: what is alike in few may be so by
        chance. The first draw is a new module's, and nothing else is drawn as it is."""
        made = {place: care for place, (care, _) in self._cares.items() if place != ("as_given", 0)}
        more = ((regime, number) for number in range(1, _DRAWS_COMPARED) for regime in REGIMES)
        for regime, number in [*made, *(place for place in more if place not in made)]:
            least = max(self._drawer.least_care(regime, number), made.get((regime, 0), Care.SPECIAL))
            care = made.get((regime, number), least)
            yield self._drawer.graph_values(self._drawer.draw(self._seed, regime, number, care))

    def null_list(self) -> dict[str, Any]:
        """The program's null candidates; those of draws made from now on can be asked for."""
        if self._nulls is None:
            self._nulls = NullMaker(self.graph, self._evaluator, self._native, self._drawer, self._math)
        return self._nulls.list()

    def write_null(self, key: str) -> dict[str, Any]:
        """Writes outputs and new states that a null candidate gives to the last draw; nothing where it gives none."""
        self._last_draw()
        if self._nulls is None:
            raise Failure(PROGRAM_INVALID, "No null candidates are known yet.", "", "Ask for oracle.nulls first.")
        try:
            made = self._nulls.outputs(key)
        except DoesNotApply:
            return {"run": [], "applies": False, "silent": [], "unchanged": []}
        tensors = [] if made is None else in_order(made, self.graph, (OUTPUT, STATE))
        paths = [write_raw(tensor, self._path(f"null_{at}")) for at, tensor in enumerate(tensors)]
        return {"run": paths, "applies": True, **self._nulls.spared()}


def _are_defined(drawn: Drawn, runs: Runs) -> bool:
    """Whether both references make the same of special values, and no NaN of infinities."""
    floats = [(runs.ref64[name], native) for name, native in runs.native.items() if native.is_floating_point()]
    is_nan_given = any(value != value for value in drawn.special)
    made_none = is_nan_given or not any(bool(torch.isnan(native).any()) for _, native in floats)
    return made_none and not runs.has_overflow and all(are_alike(*pair) for pair in floats)


def _joined(sentences: list[str]) -> str | None:
    return " ".join(sentences) or None


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor.long()


def _read_all(paths: list[str], like: list[torch.Tensor]) -> list[torch.Tensor]:
    if len(paths) != len(like):
        raise Failure(PROGRAM_INVALID, f"{len(like)} tensors are taken here, not {len(paths)}.", "", "Name them all.")
    return [read_raw(path, tensor) for path, tensor in zip(paths, like)]
