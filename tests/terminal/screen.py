# SPDX-License-Identifier: Apache-2.0
"""A program on a terminal of its own, and what that terminal shows: as much of one as our display uses."""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unicodedata

SEQUENCE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")


def columns_of(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


class Screen:
    """Rows grow downwards without end: what scrolled off stays to be looked at. `broken` counts lines that the
    terminal had to break, `unknown` the sequences that we do not use."""

    def __init__(self, columns: int) -> None:
        self.columns, self.rows, self.row, self.column = columns, [[]], 0, 0
        self.broken, self.unknown = 0, []

    def feed(self, text: str) -> None:
        place = 0
        while place < len(text):
            found = SEQUENCE.match(text, place)
            if found:
                self._obey(found.group(1), found.group(2))
                place = found.end()
            else:
                self._put(text[place])
                place += 1

    def _obey(self, number: str, name: str) -> None:
        if name == "A":
            self.row = max(0, self.row - int(number or 1))
        elif name == "K" and number in ("", "0"):
            del self.rows[self.row][self.column :]
        elif name == "J" and number in ("", "0"):
            del self.rows[self.row][self.column :]
            del self.rows[self.row + 1 :]
        elif name != "m":
            self.unknown.append(number + name)

    def _put(self, letter: str) -> None:
        if letter == "\r":
            self.column = 0
        elif letter == "\n":
            self._next_row()
        elif letter == "\x1b":
            self.unknown.append("ESC")
        else:
            width = columns_of(letter)
            if self.column + width > self.columns:
                self.broken += 1
                self._next_row()
                self.column = 0
            line = self.rows[self.row]
            line += [" "] * (self.column - len(line))
            if width == 0 and line:
                line[self.column - 1] += letter
                return
            line[self.column : self.column + width] = [letter] + [""] * (width - 1)
            self.column += width

    def _next_row(self) -> None:
        self.row += 1
        while len(self.rows) <= self.row:
            self.rows.append([])

    def text(self) -> str:
        return "\n".join("".join(row).rstrip() for row in self.rows).rstrip("\n")


class Terminal:
    """stdout and stderr of `command` on one terminal of this width."""

    def __init__(self, command: list[str], columns: int, environment: dict[str, str], folder: str) -> None:
        self.ours, theirs = pty.openpty()
        self.resize(columns)
        self.raw = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            preexec_fn=lambda: (os.setsid(), fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)),
        )
        os.close(theirs)

    def resize(self, columns: int, rows: int = 24) -> None:
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press_interrupt(self) -> None:
        os.write(self.ours, b"\x03")

    def read(self, seconds: float) -> bool:
        """Reads for so long at most; false when the program's end is reached."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.ours], [], [], left)[0]:
                return True
            try:
                data = os.read(self.ours, 65536)
            except OSError:
                data = b""
            if not data:
                return False
            self.raw += self._decoder.decode(data)
        return True

    def finish(self, seconds: float = 300) -> int:
        if self.read(seconds):
            self.process.send_signal(signal.SIGKILL)
        return self.process.wait()

    def shown(self, columns: int) -> Screen:
        screen = Screen(columns)
        screen.feed(self.raw)
        return screen
