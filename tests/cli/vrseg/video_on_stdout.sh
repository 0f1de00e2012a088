#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: when the video goes to standard output, nothing else does, whatever name leads there: header, and frames of a fixed size.
vrseg "$VRS_DATA/person_flat.mp4" -o y4m:- --max-frames 3 --stats >video.y4m
head -n 1 video.y4m | cut -d ' ' -f 1-3
frame=$((640 * 480 * 3 / 2 + 6))
header=$(head -n 1 video.y4m | wc -c)
test "$(wc -c <video.y4m)" -eq $((header + 3 * frame)) && echo "three frames and nothing else"
run() { vrseg "$VRS_DATA/person_flat.mp4" --max-frames 3 --log-level error "$@"; }
run -o y4m:/dev/stdout 2>summary | cmp - video.y4m && grep -c '3 frames' summary
mkfifo pipe.y4m
cat pipe.y4m >read.y4m &
run -o pipe.y4m >pipe.y4m 2>summary
wait
cmp read.y4m video.y4m && grep -c '3 frames' summary
run -o hash:sums >kept
run -o hash:/dev/stdout 2>summary | cmp - sums && grep -c '3 frames' summary
echo old >same
run -o hash:same --overwrite >>same 2>summary && cmp same sums && grep -c '3 frames' summary
run -o y4m:/dev/null 2>message >/dev/null
cat message

# Containers whose muxer goes back to the beginning are refused before anybody reads; the others come through, and /dev/null takes all.
for name in movie.mp4 movie.mov movie.avi movie.ivf; do
  mkfifo "$name"
  timeout 20 vrseg "$VRS_DATA/person_flat.mp4" --max-frames 3 -o "$name" 2>&1 || echo "exit $?"
done
for name in movie.mkv movie.ts; do
  mkfifo "$name"
  cat "$name" >"read_$name" &
  run -o "$name" >summary
  wait
  grep -c '3 frames' summary
done
ln -s /dev/null movie_null.mp4
run -o movie_null.mp4 >summary && grep -c "3 frames" summary
