# SPDX-License-Identifier: Apache-2.0
"""The emulator's tests.

idioms/*.cu must compile with nvcc, and print PASS when emulated: in order, in random orders, and in the checked build.
faults/*.cu say in their first lines what must become of them:
  // expect: refused | fault | checked | wrong      by the rewriter; when run; by the checked build; in a random order
  // says: TEXT                                     must be in the message; {HERE} is the line marked `// HERE`
counts/*.cu say what the counted build must count, in any order: `// counts: KERNEL NAME=NUMBER ...`.
Without --long half of them: 80 seconds on two cores; --long tries many more random orders, too. Compiled work is kept
in the build folder by content."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent
EMULATOR = FOLDER.parent.parent / "emulator"
PLAIN_FLAGS = ["-O2"]
CHECKED_FLAGS = ["-O1", "-g1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize=vptr",
                 "--param=asan-instrumentation-with-call-threshold=0"]
COUNTED_FLAGS = ["-O2", "-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0", "-fno-tree-vectorize",
                 "-fno-store-merging", "-fno-tree-sra", "-fno-ipa-sra"]
LIBRARIES = {"plain": "libstitch_emulator.a", "checked": "libstitch_emulator_checked.a",
             "counted": "libstitch_emulator_counted.a"}
FLAGS = {"plain": PLAIN_FLAGS, "checked": CHECKED_FLAGS, "counted": COUNTED_FLAGS}
# As src/toolchain links checked programs: the emulator sees what they access.
WRAPPED = [f"-Wl,--wrap=__asan_{kind}{size}" for kind in ("load", "store") for size in (1, 2, 4, 8, 16, "N")]
RUN_SECONDS = 60
PARTS = 2
RANDOM_SEEDS = range(1, 4)
LONG_RANDOM_SEEDS = range(1, 41)
FAULT_EXIT_CODE = 97


class Failure(Exception):
    pass


def sha(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part if isinstance(part, bytes) else str(part).encode())
        digest.update(b"\0")
    return digest.hexdigest()


def call(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", **options)


def last_lines(text, count=6):
    return "\n    ".join(text.strip().splitlines()[-count:])


class Builder:
    def __init__(self, build, seeds):
        self.build = build
        self.seeds = seeds
        self.cache = build / "emulator-test-cache"
        self.cache.mkdir(exist_ok=True)
        self.rewriter = build / "stitchcuda-rewrite"
        self.nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
        self.cuda_include = self.find_cuda_include()
        self.boost = self.find_boost()
        headers = sorted((EMULATOR / "include").rglob("*"))
        self.headers_hash = sha(*[path.read_bytes() for path in headers if path.is_file()])
        self.local_hash = sha(*[path.read_bytes() for path in sorted((FOLDER / "idioms").glob("*.*h"))])

    def from_cmake(self, name):
        cache = (self.build / "CMakeCache.txt").read_text(errors="replace")
        found = re.search(rf"^{name}:\w+=(.*)$", cache, re.M)
        return found.group(1) if found else None

    def find_cuda_include(self):
        return self.from_cmake("STITCH_EMULATOR_CUDA_INCLUDE")

    def find_boost(self):
        boost = self.from_cmake("STITCH_BOOST_CONTEXT")  # only where the stack switch is not our own
        return [boost] if boost else []

    def cached(self, key, suffix, make):
        """The file made by make(path), which is kept under its key."""
        path = self.cache / (key + suffix)
        if not path.exists():
            temporary = path.with_suffix(f".{os.getpid()}-{time.monotonic_ns()}{suffix}")
            make(temporary)
            temporary.replace(path)
        return path

    def compile_nvcc(self, source):
        def make(path):
            done = call([self.nvcc, "-std=c++20", "-arch=sm_90a", "-c", source, "-o", path])
            if done.returncode != 0:
                raise Failure("nvcc: " + last_lines(done.stderr))
            path.write_text("")  # that it compiled is all that is kept

        key = sha("nvcc", call([self.nvcc, "--version"]).stdout, source.read_bytes(), self.local_hash)
        self.cached(key, ".nvcc", make)

    def rewrite(self, source):
        path = self.cache / (source.stem + ".cc")
        done = call([self.rewriter, source.name, "-o", path, "-I", "."], cwd=source.parent)
        return done, path

    def compile(self, flags, *words):
        done = call(["g++", "-std=c++20", *flags, "-ffp-contract=off", "-fPIC", "-w", "-I", EMULATOR / "include",
                     "-isystem", self.cuda_include, *words])
        if done.returncode != 0:
            raise Failure("g++: " + last_lines(done.stderr))

    def prelude(self, flags):
        """A header that includes the emulator's, parsed beside it: half of what compiling a small source costs."""
        key = sha("prelude", self.headers_hash, self.cuda_include, flags)
        header = self.cached(key, ".h", lambda path: path.write_text('#include "stitch_emulator.h"\n'))
        self.cached(key, ".h.gch", lambda path: self.compile(flags, "-x", "c++-header", header, "-o", path))
        return header

    def program(self, source, kind):
        done, rewritten = self.rewrite(source)
        if done.returncode != 0:
            raise Failure("the rewriter refused it: " + last_lines(done.stderr))
        flags = FLAGS[kind]
        library = self.build / LIBRARIES[kind]

        def compile_object(path):
            self.compile(flags, "-include", self.prelude(flags), "-c", rewritten, "-o", path)

        def link(path):
            archive = ["-Wl,--whole-archive", library, "-Wl,--no-whole-archive"]
            checking = flags + WRAPPED if kind == "checked" else []
            done = call(["g++", *checking, "-rdynamic", made, *archive, *self.boost, "-o", path])
            if done.returncode != 0:
                raise Failure("link: " + last_lines(done.stderr))

        made = self.cached(sha("object", rewritten.read_bytes(), self.headers_hash, flags), ".o", compile_object)
        return self.cached(sha("program", made.name, library.read_bytes()), ".exe", link)


def run_program(program, seed=0):
    environment = dict(os.environ, STITCH_EMULATOR_SEED=str(seed))
    try:
        return call([program], timeout=RUN_SECONDS, env=environment)
    except subprocess.TimeoutExpired:
        raise Failure(f"did not end in {RUN_SECONDS} s")


def expect_pass(program, seed, how):
    done = run_program(program, seed)
    if done.returncode != 0 or done.stdout.strip().splitlines()[-1:] != ["PASS"]:
        raise Failure(f"{how}: exit code {done.returncode}: {last_lines(done.stdout + done.stderr)}")


def idiom(builder, source):
    if builder.nvcc:
        builder.compile_nvcc(source)
    plain = builder.program(source, "plain")
    expect_pass(plain, 0, "in order")
    for seed in builder.seeds:
        expect_pass(plain, seed, f"in random order {seed}")
    expect_pass(builder.program(source, "checked"), 0, "checked")
    return ("nvcc, " if builder.nvcc else "") + f"in order, {len(builder.seeds)} random orders, checked"


def must_say(text, says):
    for part in says:
        if part not in text:
            raise Failure(f"the message lacks '{part}': {last_lines(text)}")


def fault(builder, source):
    text = source.read_text()
    expected = re.search(r"^// expect: (\w+)", text, re.M).group(1)
    marked = next((number for number, line in enumerate(text.splitlines(), 1) if line.endswith("// HERE")), 0)
    says = [part.replace("{HERE}", f"{source.name}:{marked}") for part in re.findall(r"^// says: (.*)$", text, re.M)]
    if expected == "refused":
        done, _ = builder.rewrite(source)
        if done.returncode != 1:
            raise Failure("the rewriter took it")
        must_say(done.stderr, says)
        return "refused: " + done.stderr.strip().splitlines()[0]
    program = builder.program(source, "checked" if expected == "checked" else "plain")
    if expected == "wrong":
        seed = next((s for s in builder.seeds if run_program(program, s).returncode != 0), None)
        if seed is None:
            raise Failure("it passed in every order")
        return f"wrong in random order {seed}"
    done = run_program(program)
    if done.returncode == 0 or "PASS" in done.stdout:
        raise Failure("it passed")
    must_say(done.stderr, says + ["stitch-emulator: "])
    if expected == "checked" and done.returncode != FAULT_EXIT_CODE:
        raise Failure(f"exit code {done.returncode}, not {FAULT_EXIT_CODE}")
    return next(line for line in done.stderr.splitlines() if line.startswith("stitch-emulator: "))


def counted(builder, source):
    expected = [(words[0], dict(word.split("=") for word in words[1:]))
                for words in (line.split() for line in re.findall(r"^// counts: (.*)$", source.read_text(), re.M))]
    program = builder.program(source, "counted")
    for seed in [0, *builder.seeds]:
        done = run_program(program, seed)
        found = {line.split()[0].strip("()"): dict(word.split("=") for word in line.split()[1:])
                 for line in done.stdout.splitlines()}
        for kernel, numbers in expected:
            seen = {name: found.get(kernel, {}).get(name) for name in numbers}
            if seen != numbers:
                raise Failure(f"{kernel}, order {seed}: {seen}, not {numbers} {last_lines(done.stderr)}")
    return f"{len(expected)} lines in {len(builder.seeds) + 1} orders"


@pytest.fixture(scope="module", name="builder")
def one_builder(build, is_long):
    return Builder(build, LONG_RANDOM_SEEDS if is_long else RANDOM_SEEDS)


def test_rewriter(build):
    done = call([build / "emulator" / "rewriter_test", "--gtest_brief=1"])
    assert done.returncode == 0, last_lines(done.stdout, 30)


def sources(folder):
    return [pytest.param(path, id=path.stem) for path in sorted((FOLDER / folder).glob("*.cu"))]


@pytest.mark.in_parts(PARTS)
@pytest.mark.parametrize("source", sources("idioms"))
def test_idiom(source, builder):
    print(idiom(builder, source))


@pytest.mark.in_parts(PARTS)
@pytest.mark.parametrize("source", sources("faults"))
def test_fault(source, builder):
    print(fault(builder, source))


@pytest.mark.parametrize("source", sources("counts"))
def test_counts(source, builder):
    print(counted(builder, source))
