#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workers on a Ray cluster: Ray reserves the GPUs, and each reservation runs this same binary as a process.

    python launchers/ray_worker.py --workers 8 --store redis://queue:6379 --artefacts /shared/artefacts
    python launchers/ray_worker.py --workers 4 --class build --cpus 2 --store ... --artefacts ... -- --seconds 3600

What stands behind `--` goes to `stitchcuda work` as it is. Ends when all workers have ended; Ctrl-C drains them. Needs
Ray, and on every node of the cluster stitchcuda in PATH (or STITCHCUDA) and the shared folder. Where RAY_ADDRESS names
no cluster and none runs here, Ray begins one of this machine alone. A cluster that has no room for one worker is told
at once, since Ray would wait without a word; `--wait` is for those whose nodes come when they are asked for.
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


def room(nodes: list[dict], cpus: float, gpus: int) -> int:
    """How many workers the nodes can run at once."""
    fits = 0
    for node in nodes:
        have = node["Resources"] if node["Alive"] else {}
        by_gpus = [int(have.get("GPU", 0) // gpus)] if gpus else []
        fits += min([int(have.get("CPU", 0) // cpus), *by_gpus]) if cpus > 0 else min(by_gpus, default=1)
    return fits


def run(ray, options: argparse.Namespace) -> int:
    """The largest exit status of the workers, or 4 where none has room."""
    gpus = 1 if options.job_class == "device" else 0
    fits = room(ray.nodes(), options.cpus, gpus)
    if fits == 0 and not options.wait:
        need = f"{options.cpus:g} processors" + (" and a GPU" if gpus else "")
        print(f"ray_worker: no node of this Ray cluster has {need}, which a worker of the class {options.job_class} "
              "needs: give --cpus or --class, begin a node that has them (ray start), or --wait for one",
              file=sys.stderr)
        return 4
    if fits < options.workers:
        print(f"ray_worker: {fits} of {options.workers} workers have room now; the others begin when there is more",
              file=sys.stderr)
    command = [os.environ.get("STITCHCUDA", "stitchcuda"), "work", "--store", options.store, "--artefacts",
               options.artefacts, "--class", options.job_class, *options.more]
    # Two calls at once: one waits for the process, the other ends it.
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--class", dest="job_class", choices=["build", "device"], default="device")
    parser.add_argument("--cpus", type=float, default=4)
    parser.add_argument("--store", required=True)
    parser.add_argument("--artefacts", required=True)
    parser.add_argument("--wait", action="store_true", help="for nodes that have room, which come later")
    parser.add_argument("more", nargs="*", help="of stitchcuda work, behind --")
    options = parser.parse_args()
    try:
        import ray
    except ImportError:
        print("ray_worker: no Ray here: pip install ray", file=sys.stderr)
        return 4
    try:
        ray.init()
        return run(ray, options)
    except (ray.exceptions.RayError, ConnectionError, RuntimeError) as error:
        # A node that died, or a head that never answered; jobs of its workers are taken over by others.
        print(f"ray_worker: Ray failed: {str(error).strip().splitlines()[0]}", file=sys.stderr)
        return 4


if __name__ == "__main__":
    sys.exit(main())
