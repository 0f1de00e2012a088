#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards where the streams beside the video end, in one go and in segments alike: sound of a whole video has its own end, also with --every-nth, which
# leaves out the last frames; --duration cuts it, and --max-frames ends it with the last frame.  Chapters, which last
# as long as the sound here, end so too.  Where the container says nothing of durations (Matroska), that is when the frame behind it comes, and
# not the average of uneven ones.  A last picture that stays keeps its time, but for that of --duration, and is no reason to make an output anew.
# A track of MP4 with B frames is as long as its pictures are shown, though the last packet is decoded seconds before the last picture comes; that one
# lasts until the picture behind it would come, of which MP4 says nothing where there are B frames.
command -v ffmpeg >/dev/null || exit 77
cat >chapters.txt <<EOF
;FFMETADATA1
[CHAPTER]
TIMEBASE=1/1000
START=0
END=1000
title=One
[CHAPTER]
TIMEBASE=1/1000
START=1000
END=6000
title=Two
EOF
ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=6 -i chapters.txt -c:v libx264 -preset ultrafast -bf 2 -c:a aac sound.mp4
ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=2.04 -vf "setpts=if(eq(N\,50)\,5/TB\,PTS)" -fps_mode vfr -c:v libx264 -preset ultrafast \
  -bf 0 longer.mp4
ffmpeg -v error -i longer.mp4 -c copy -frames:v 50 stays.mp4
made() { # CLIP SEGMENTS OPTION...
  clip=$1
  segments=$2
  shift 2
  rm -f out.mp4
  vrseg "$clip" -o out.mp4 --backend null --segment-frames "$segments" --progress none --log-level warning "$@" >/dev/null
}
end() { # ENTRIES [STREAMS]: of the last of them, to a tenth of a second
  ffprobe -v error -select_streams "${2:-a}" -show_entries "$1" -of default=nk=1:nw=1 out.mp4 | awk '{ end = $1 } END { printf "%.1f\n", end }'
}
for options in "--every-nth 7" "--every-nth 10" "--duration 3" "--duration 1.5" "--max-frames 50" "--max-frames 3 --every-nth 10"; do
  for segments in none 20; do
    # shellcheck disable=SC2086
    made sound.mp4 $segments $options
    echo "$options, segments: $segments: sound ends at $(end stream=duration), chapters at $(end chapter=end_time)"
  done
done
ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -f lavfi -i sine=d=20 -vf "setpts=if(gt(N\,5)\,(N-5)*4/TB\,PTS)" -fps_mode vfr -c:v libx264 \
  -preset ultrafast -bf 2 -c:a aac uneven.mp4
ffmpeg -v error -i uneven.mp4 -c copy uneven.mkv
for segments in none 2; do
  made uneven.mkv $segments --max-frames 3
  echo "uneven, --max-frames 3, segments: $segments: ends at $(end stream=duration v), sound at $(end stream=duration)"
done
ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=1 -vf "setpts='(N*1.2+0.4*mod(N*7\,3))/TB',settb=1/1000" -fps_mode vfr -c:v libx264 \
  -preset veryfast -bf 2 seconds.mp4
for encoder in libx264 libx265 mpeg2video; do
  for segments in none 3; do
    made seconds.mp4 $segments --max-frames 8 --encoder $encoder
    echo "pictures a second apart, $encoder, segments: $segments: the track lasts $(end stream=duration v) of $(end format=duration v) s"
  done
done
for options in "--max-frames 50" "--duration 3" "--encoder mpeg4"; do
  for segments in none 20; do
    # shellcheck disable=SC2086
    made stays.mp4 $segments $options
    echo "a picture stays, $options, segments: $segments: ends at $(end format=duration v)"
  done
done
made stays.mp4 none
vrseg stays.mp4 -o out.mp4 --backend null --skip-existing --progress none 2>&1 | grep skipped
# Matroska says it in its header alone, where it would be a lie: what we write we also read.
vrseg stays.mp4 -o out.mkv --backend null --progress none --log-level error >/dev/null
vrseg out.mkv -o null: --backend null --progress none --log-level error >/dev/null && echo "a picture stays: out.mkv is read"
# More frames than there are: nothing is cut.
made sound.mp4 none --max-frames 60
echo "--max-frames 60 of 50: sound ends at $(end stream=duration), chapters at $(end chapter=end_time)"
