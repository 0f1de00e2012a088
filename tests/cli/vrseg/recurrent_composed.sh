#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards the thread that composes beside a recurrent network: on one CPU there is none, and pictures, backgrounds and
# mattes that come late are the same.
command -v ffmpeg >/dev/null || exit 77
command -v taskset >/dev/null || exit 77
[ "$(nproc)" -gt 1 ] || exit 77
net=$VRS_TEST_DIR/files/recurrent/colours.yaml
ffmpeg -v error -i "$VRS_DATA/person_vr180_sbs.mp4" -vf scale=512:256 -frames:v 14 -an -c:v libx264 -preset veryfast clip_180_sbs.mp4
one=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
for how in "" "--output-mode cutout" "--output-mode alpha --smoothing-window 4" "--background clip_180_sbs.mp4" "--background blur --stride 2" \
  "--queue-size 1 --frames-in-flight 1"; do
  for cpus in one all; do
    run=
    [ $cpus = all ] || run="taskset -c $one"
    # shellcheck disable=SC2086
    $run vrseg clip_180_sbs.mp4 -m "$net" -o $cpus.mkv --encoder ffv1 --overwrite --progress none --log-level error --trace $cpus.json \
      $how >/dev/null || echo "failed on $cpus"
    ffmpeg -v error -i $cpus.mkv -map 0:v -f framemd5 $cpus.txt -y
  done
  row='"name":"compose"}'
  cmp one.txt all.txt && echo "${how:-default}: same, threads that compose: $(grep -c "$row" one.json) and $(grep -c "$row" all.json)"
done
