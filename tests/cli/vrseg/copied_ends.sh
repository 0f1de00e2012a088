#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards where the streams beside the video end, in one go and in segments alike: sound of a whole video has its own end, also with --every-nth, which
# leaves out the last frames; --duration cuts it, and --max-frames ends it with the last frame.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=6 -c:v libx264 -preset ultrafast -bf 2 -c:a aac sound.mp4
made() { # CLIP SEGMENTS OPTION...
  clip=$1
  segments=$2
  shift 2
  rm -f out.mp4
  vrseg "$clip" -o out.mp4 --backend null --segment-frames "$segments" --progress none --log-level warning "$@" >/dev/null
}
ends() { # STREAM: in tenths of a second
  ffprobe -v error -select_streams "$1" -show_entries stream=duration -of csv=p=0 out.mp4 | awk '{ printf "%.1f\n", $1 }'
}
for options in "--every-nth 7" "--every-nth 10" "--duration 3" "--duration 1.5" "--max-frames 50" "--max-frames 3 --every-nth 10"; do
  for segments in none 20; do
    # shellcheck disable=SC2086
    made sound.mp4 $segments $options
    echo "$options, segments: $segments: sound ends at $(ends a)"
  done
done
