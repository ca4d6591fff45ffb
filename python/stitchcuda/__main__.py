# SPDX-License-Identifier: Apache-2.0
"""The command `stitchcuda` of an installed package: becomes the program itself."""

import os
import sys

from .errors import MissingEnvironment
from .places import environment, installed_command


def main() -> None:
    """Runs the program with this command's arguments."""
    try:
        program = installed_command()
    except MissingEnvironment as error:
        print(f"stitchcuda: {error}", file=sys.stderr)
        sys.exit(4)
    os.execve(program, [program, *sys.argv[1:]], environment())


if __name__ == "__main__":
    main()
