#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: mattes are held against the truth, and the reference's mattes, of the frames that they are of: with --every-nth, of the whole job and of one
# case, of a drawn clip too; where the truth ends before the clip, later frames are not compared; where both begin anew, they are, also where
# every n-th frame is counted from the beginning again.
ffmpeg -v error -i "$VRS_DATA/person_flat.mp4" -c copy clip.mp4
ffmpeg -v error -i "$VRS_DATA/person_flat_alpha.mkv" -frames:v 5 -c copy clip_alpha.mkv
ffmpeg -v error -i "$VRS_DATA/person_flat.mp4" -frames:v 10 -c:v libx264 -preset ultrafast short.mp4
ffmpeg -v error -i "$VRS_DATA/person_flat_alpha.mkv" -frames:v 10 -c copy short_alpha.mkv
every_6th='select=not(mod(n\,6)),setpts=N/30/TB' # 10 frames, each unlike the one before
ffmpeg -v error -i "$VRS_DATA/person_flat.mp4" -vf "$every_6th" -r 30 -c:v ffv1 quick.mkv
ffmpeg -v error -i "$VRS_DATA/person_flat_alpha.mkv" -vf "$every_6th" -r 30 -c:v ffv1 quick_alpha.mkv
score() { # VIDEO FLAGS...
  echo "== ${*##*/}"
  vrbench "$@" --threads 1 --runs 1 --warmup 0.1 --duration 20 --max-frames 24 --no-graphs --gates off --output-dir out --overwrite \
    >report 2>messages || cat messages
  sed -nE 's/.*"id":"[^"]*t=1([^"]*)".*"iou":([0-9.]+),.*"agreement":([0-9.]+),.*"quality_frames":([0-9]+).*/\1 \2 \3 \4/p' out/journal.jsonl |
    sed 's|^/||' | sort | awk '{ print (NF > 3 ? $1 : "-"), ($(NF - 2) > 0.85), ($(NF - 1) > 0.9), $NF }'
}
score "$VRS_DATA/person_flat.mp4" --every-nth 3
score "$VRS_DATA/person_flat.mp4" --set pipeline.every_nth=1,3
score synth:320x160,sbs,frames=30 --set pipeline.every_nth=1,3
score clip.mp4
score short.mp4
score quick.mkv --every-nth 3
score quick.mkv --set pipeline.every_nth=1,3
