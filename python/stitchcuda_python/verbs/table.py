# SPDX-License-Identifier: Apache-2.0
"""Every verb by its name on the wire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .candidate_verbs import candidate_interface, candidate_source
from .forms_verb import run_forms
from .import_verb import run_import
from .oracle_verbs import (
    close_oracle,
    draw,
    extend,
    given,
    intermediates,
    look_at,
    null,
    nulls,
    open_oracle,
    own_draws,
    rest,
    unasked,
)
from .shape_verbs import run_batch_axis, run_hidden_shapes, run_small_scale
from .task_verbs import list_modules, look_at_task, measure_task, try_program
from .weights_verb import write_weights

VERBS: dict[str, Callable[[dict[str, Any], Callable[[str], None]], dict[str, Any]]] = {
    "import": run_import,
    "forms": run_forms,
    "oracle.open": open_oracle,
    "oracle.draw": draw,
    "oracle.look_at": look_at,
    "oracle.rest": rest,
    "oracle.given": given,
    "oracle.extend": extend,
    "oracle.intermediates": intermediates,
    "oracle.own_draws": own_draws,
    "oracle.nulls": nulls,
    "oracle.null": null,
    "oracle.unasked": unasked,
    "oracle.close": close_oracle,
    "hidden_shapes": run_hidden_shapes,
    "small_scale": run_small_scale,
    "batch_axis": run_batch_axis,
    "weights": write_weights,
    "candidate.interface": candidate_interface,
    "candidate.source": candidate_source,
    "task.look": look_at_task,
    "task.try": try_program,
    "task.measure": measure_task,
    "task.modules": list_modules,
}
