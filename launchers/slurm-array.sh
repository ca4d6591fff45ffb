#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One worker a GPU, as a Slurm array:
#     sbatch --array=0-7 --time=04:00:00 launchers/slurm-array.sh redis://queue:6379 /shared/artefacts
#     sbatch --array=0-1 --gres=none launchers/slurm-array.sh redis://queue:6379 /shared/artefacts build
# 60 s before the end of its time Slurm sends SIGTERM: the worker takes no further job, and gives back what it cannot end.
# An array's task that is preempted or whose node dies loses its lease; its job is another worker's within 30 s.
#SBATCH --job-name=stitchcuda
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --gres=gpu:1
#SBATCH --signal=B:TERM@60
#SBATCH --requeue
#SBATCH --output=stitchcuda-%A_%a.log
set -eu
if [ $# -lt 2 ]; then
  echo "usage: sbatch [--array=...] slurm-array.sh STORE ARTEFACTS [build|device] [more of stitchcuda work]" >&2
  exit 2
fi
store=$1 artefacts=$2 class=${3:-device}
shift $(($# < 3 ? $# : 3))
# Slurm has set CUDA_VISIBLE_DEVICES. exec: the signal, which goes to the batch script, shall reach the worker.
exec "${STITCHCUDA:-stitchcuda}" work --store "$store" --artefacts "$artefacts" --class "$class" --grace 45 "$@"
