# SPDX-License-Identifier: Apache-2.0
"""A Slurm of a test's own on this machine: controller and daemon in a scratch folder, without accounting."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "scancel", "sinfo")
CONFIGURATION = """
ClusterName=stitch
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldParameters=enable_configless
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=10 State=UP OverSubscribe=FORCE:4
"""


def why_none() -> str:
    """Empty where it can be tried."""
    sbin = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
    missing = [name for name in PROGRAMS if shutil.which(name, path=sbin) is None]
    if missing:
        return f"no {missing[0]} here: 'sudo apt-get install slurmctld slurmd slurm-client' brings it"
    return "" if os.geteuid() == 0 else "slurmd starts jobs as root alone"


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@contextlib.contextmanager
def small_slurm(folder: pathlib.Path) -> Iterator[dict[str, str]]:
    """The environment in which sbatch and its kin meet it. RuntimeError, with its words, where it starts not."""
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    host = socket.gethostname().split(".")[0]
    configuration = folder / "slurm.conf"
    configuration.write_text(CONFIGURATION.format(host=host, ports=free_ports(2), folder=folder))
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
    environment = {**os.environ, "SLURM_CONF": str(configuration), "PATH": path}
    with contextlib.ExitStack() as stack:
        for command in (["slurmctld", "-D"], ["slurmd", "-D", "-N", host]):
            log = stack.enter_context((folder / f"{command[0]}.out").open("w"))
            process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
            stack.callback(process.wait)
            stack.callback(process.terminate)
        wait_until_idle(environment, folder)
        yield environment


def wait_until_idle(environment: dict[str, str], folder: pathlib.Path, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        seen = subprocess.run(["sinfo", "-h", "-o", "%T"], env=environment, capture_output=True, text=True, check=False)
        if seen.stdout.strip() in ("idle", "mixed", "allocated"):
            return
        time.sleep(0.5)
    logs = "".join(path.read_text()[-1500:] for path in sorted(folder.glob("*.log")) + sorted(folder.glob("*.out")))
    raise RuntimeError(f"Slurm did not start in {seconds:.0f} s ({seen.stdout}{seen.stderr}): {logs}")
