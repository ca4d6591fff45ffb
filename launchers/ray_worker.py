#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workers on a Ray cluster: Ray reserves the GPUs, and each reservation runs this same binary as a process.

    python launchers/ray_worker.py --workers 8 --store redis://queue:6379 --artefacts /shared/artefacts
    python launchers/ray_worker.py --workers 4 --class build --cpus 2 --store ... --artefacts ... -- --seconds 3600

What stands behind `--` goes to `stitchcuda work` as it is. Ends when all workers have ended; Ctrl-C drains them. Needs
Ray, and on every node of the cluster stitchcuda in PATH (or STITCHCUDA) and the shared folder.
"""
from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys


class Worker:
    """An actor: its process is on the node, and has the GPU, that Ray has reserved for it."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command)

    def wait(self) -> int:
        return self.process.wait()

    def drain(self) -> None:
        self.process.send_signal(signal.SIGTERM)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--class", dest="job_class", choices=["build", "device"], default="device")
    parser.add_argument("--cpus", type=float, default=4)
    parser.add_argument("--store", required=True)
    parser.add_argument("--artefacts", required=True)
    parser.add_argument("more", nargs="*", help="of stitchcuda work, behind --")
    options = parser.parse_args()
    try:
        import ray
    except ImportError:
        print("ray_worker: no Ray here: pip install ray", file=sys.stderr)
        return 4
    ray.init()
    command = [os.environ.get("STITCHCUDA", "stitchcuda"), "work", "--store", options.store, "--artefacts",
               options.artefacts, "--class", options.job_class, *options.more]
    # Two calls at once: one waits for the process, the other ends it.
    gpus = 1 if options.job_class == "device" else 0
    actor = ray.remote(num_cpus=options.cpus, num_gpus=gpus, max_concurrency=2)(Worker)
    workers = [actor.remote(command) for _ in range(options.workers)]
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    ends = [worker.wait.remote() for worker in workers]
    try:
        statuses = ray.get(ends)
    except KeyboardInterrupt:
        ray.get([worker.drain.remote() for worker in workers])
        statuses = ray.get(ends)
    return max(statuses)


if __name__ == "__main__":
    sys.exit(main())
