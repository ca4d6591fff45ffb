# SPDX-License-Identifier: Apache-2.0
"""Python for stitchcuda, with a fault: at the NUMBER-th request VERB it does as STITCH_TEST_PYTHON says,
"VERB:NUMBER:HOW", HOW one of killed, exit, rubbish, closed. Run as `faulty_python.py -c CODE`, like the interpreter."""

import os
import signal
import sys


def fail(how: str, channel: int) -> None:
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "exit":
        os._exit(0)
    elif how == "rubbish":
        os.write(channel, b"\xff no line of JSON\n")
    elif how == "closed":
        os.close(channel)


def main() -> None:
    wanted, number, how = os.environ["STITCH_TEST_PYTHON"].split(":")
    from stitchcuda_python import server

    real, seen, channels = server.answer, [], []

    class Channel(server.Channel):
        def __init__(self) -> None:
            super().__init__()
            channels.append(self._descriptor)

    def answer(request, *rest):
        if request.get("verb") == wanted:
            seen.append(request)
            if len(seen) == int(number):
                fail(how, channels[0])
        return real(request, *rest)

    server.answer, server.Channel = answer, Channel
    exec(compile(sys.argv[2], "-c", "exec"), {"__name__": "__main__"})  # noqa: S102 - what stitchcuda asked for


if __name__ == "__main__":
    main()
