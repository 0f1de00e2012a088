#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the owner of a GPU is told that a job leaves it alone, and how to use it; not where the backend was chosen, nor where there is no GPU.  The
# GPUs here are the device files of their drivers in a folder that stands for the root.
mkdir -p nvidia/dev amd/dev none/dev
touch nvidia/dev/nvidiactl amd/dev/kfd
job() { # ROOT [OPTION...]
  root=$1
  shift
  echo "-- $root${*:+ $*}"
  VRSEG_ROOT=$PWD/$root vrseg "$VRS_DATA/person_flat.mp4" -o null: --max-frames 1 --progress none "$@" 2>&1 >/dev/null | grep 'GPU' || :
}
job nvidia
job amd
job none
job nvidia --backend cpu
VRSEG_ENGINE_BACKEND=auto job nvidia
