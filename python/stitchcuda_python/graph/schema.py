# SPDX-License-Identifier: Apache-2.0
"""Fills in an operator's default arguments from its schema, so that readers need no table of defaults."""

from __future__ import annotations

from typing import Any

# Where and how a tensor lies in memory is ours to decide; these say nothing about its values.
_PLACEMENT = {"layout", "device", "pin_memory", "memory_format"}


def complete_arguments(target: Any, args: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """`args` and `kwargs` of a call with all defaults present, positional ones in `args`. Keyword-only arguments that
    only say where a tensor lies are dropped; so are keyword-only ones left at None. Targets without a schema are
    returned as they are."""
    schema = getattr(target, "_schema", None)
    if schema is None:
        return args, kwargs
    given = dict(kwargs)
    positional: list[Any] = list(args)
    keywords: dict[str, Any] = {}
    for index, argument in enumerate(schema.arguments):
        if argument.kwarg_only:
            value = given.pop(argument.name, argument.default_value if argument.has_default_value() else None)
            if value is not None and argument.name not in _PLACEMENT:
                keywords[argument.name] = value
        elif index >= len(positional):
            default = argument.default_value if argument.has_default_value() else None
            positional.append(given.pop(argument.name, default))
    return positional, keywords | given
