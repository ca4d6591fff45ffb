# SPDX-License-Identifier: Apache-2.0
# make run    set up what is missing, build, and turn one of our programs into verified CUDA
# make test   everything that needs no GPU; the last line is "N passed, N failed"
.PHONY: run test test-long test-gpu build build-tests dist setup setup-tests format clean help
.DEFAULT_GOAL := help

PROGRAM ?= problems/mlp_residual.py

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

setup:
	@tools/setup

# Besides, what only tests need.
setup-tests:
	@tools/setup --tests

build: setup
	@tools/build

build-tests: setup-tests
	@tools/build --tests

run: build
	@build/stitchcuda optimize $(PROGRAM)

test: build-tests
	@tools/run-tests

# Sweeps that do not fit the two-core budget of `make test`; each leaves a record in bench/results/.
test-long: build-tests
	@tools/setup --long
	@tools/run-tests --long

# Needs an NVIDIA GPU: a missing one is an error here, not a skip.
test-gpu: build
	@STITCH_REQUIRE_GPU=1 tools/run-tests --gpu

# A tarball that runs as it is on any x86-64 Linux with glibc 2.36 or newer.
dist: build
	@tools/make-dist

format:
	@git ls-files '*.h' '*.cc' '*.cu' '*.cuh' | xargs clang-format -i

clean:
	rm -rf build build-asan build-tsan dist
