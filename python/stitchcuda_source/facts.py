# SPDX-License-Identifier: Apache-2.0
"""What is told of a source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MAX_FACTS = 100  # of one unit: enough to look at, and no answer without an end


@dataclass(frozen=True)
class Fact:
    """One thing at one place. Facts explain; `audit` sends a person to look; `refused` is what no kernel needs, and
    `uncompilable` what no compiler for GPUs takes."""

    file: str
    line: int
    what: str
    audit: bool = False
    refused: bool = False
    uncompilable: bool = False

    def to_json(self) -> dict[str, Any]:
        """As the protocol has it."""
        return {
            "file": self.file,
            "line": self.line,
            "what": self.what,
            "audit": self.audit or self.refused,
            "refused": self.refused,
            "uncompilable": self.uncompilable,
        }
