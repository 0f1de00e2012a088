#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: smoothing that looks ahead sees in segments the frames that it sees in one go: none behind the last one of --max-frames, and as many as its
# window has where frames come at an uneven rate.  One process, several, and mattes from the cache that were made with another end give the same.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -i "$VRS_DATA/person_flat.mp4" -vf scale=160:120 -frames:v 12 -an -c:v libx264 -preset ultrafast even.mp4
ffmpeg -v error -i even.mp4 -vf "setpts=if(gt(N\,5)\,N+floor((N-4)/2)\,N)/30/TB" -fps_mode vfr -c:v libx264 -preset ultrafast -bf 0 uneven.mp4
made() { # CLIP OPTION...: a hash of the pictures
  clip=$1
  shift
  vrseg "$clip.mp4" -o out.mkv --encoder ffv1 --output-mode matte --no-follow --overwrite --progress none "$@" >summary 2>messages || cat messages
  ffmpeg -v error -i out.mkv -map 0:v -f md5 -
}
same() { # CLIP OPTION...
  whole=$(made "$@" --segment-frames none)
  for segments in "--segment-frames 3" "--segment-frames 3 --processes --process-count 2" "--segment-frames 3 --cache"; do
    # shellcheck disable=SC2086
    test "$(made "$@" $segments)" = "$whole" && echo "$* $segments"
  done
}
same even --smoothing-window 5
same even --smoothing-window 5 --max-frames 8
same even --smoothing-window 60 --stride 3 --max-frames 8
same even --smoothing-window 5 --max-frames 5 --every-nth 2
same uneven --smoothing-window 3
same uneven --smoothing-window 3 --max-frames 8
