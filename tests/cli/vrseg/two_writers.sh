#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: two containers that write one output on a shared volume.  Each runs vrseg in a PID namespace of its own, where both may have one number:
# one of them is refused with a clear sentence, and the other's file is that of an undisturbed run: in one go, in segments, as pictures.  A container
# that is killed leaves what the same command of another one finishes, and nothing else.  A run that was suspended until another took over finds that
# out before it moves, replaces or removes a segment, what a segment leaves for the next one, or the checkpoint: as one process, with workers, and
# when it is stopped then.
command -v ffmpeg >/dev/null || exit 77
unshare -rpf --mount-proc true 2>/dev/null || { echo "PID namespaces are not available here"; exit 77; }
ffmpeg -v error -i "$VRS_DATA/person_flat.mp4" -frames:v 24 -vf scale=320:-2 -c:v libx264 -preset veryfast -g 6 clip.mp4
common="clip.mp4 --progress none --log-level error --threads 1"
container() { unshare -rpf --mount-proc vrseg $common "$@" 2>>messages; }
start() { # [OPTION...]: a container in the background; its first process is $first
  unshare -rpf --mount-proc vrseg $common "$@" >summary 2>>messages &
  pid=$!
  first=
  while [ -z "$first" ] && kill -0 $pid 2>/dev/null; do first=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null) || true; done
}
await() { # PATTERN: of a file that the container in the background makes
  until ls $1 >/dev/null 2>&1 || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
}
same() { # FILE of an undisturbed run
  case $1 in
    pictures) diff -r whole pictures && rm -f pictures/*.png && ls -A pictures ;;
    *) cmp "$1" out.mp4 && rm out.mp4 && ls -A | grep '^\.' || true ;;
  esac
}
vrseg $common -o whole.mp4 --preset ultrafast --segment-frames none >summary
vrseg $common -o parts.mp4 --preset ultrafast --segment-frames 6 >summary
mkdir whole pictures
vrseg $common -o 'whole/p_%03d.png' >summary

each() { # FUNCTION: with what to compare, the file that tells that work has begun, and the options
  $1 whole.mp4 '.out.mp4.vrseg/.output.*' -o out.mp4 --preset ultrafast --segment-frames none
  $1 parts.mp4 .out.mp4.vrseg/segment-000000.part -o out.mp4 --preset ultrafast --segment-frames 6
  $1 pictures 'pictures/.p_%03d.png.vrseg/picture-*' -o pictures/p_%03d.png
}

echo "-- one works, another comes"
refused() {
  wanted=$1 begun=$2
  shift 2
  start "$@"
  await "$begun"
  kill -STOP "$first"
  code=0
  container "$@" --overwrite >summary || code=$?
  kill -CONT "$first"
  wait $pid && echo "exit $code"
  same "$wanted"
}
each refused
sed 's/(process [0-9]* on [^)]*)/(process N on HOST)/' messages
rm messages

echo "-- both at once: each time one of them is done at least, and never a mixture"
race() {
  wanted=$1
  shift 2
  start "$@" --overwrite
  code=0 other=0
  container "$@" --overwrite >summary || code=$?
  wait $pid || other=$?
  test $code = 0 || test $other = 0 || cat messages
  same "$wanted"
}
each race

echo "-- one is killed, and another finishes"
killed() {
  wanted=$1 begun=$2
  shift 2
  start "$@"
  await "$begun"
  kill -KILL "$first"
  wait $pid && echo "it was too fast" || true
  container "$@" >summary && echo "exit 0"
  same "$wanted"
}
each killed
rm messages summary

echo "-- one is suspended, and another takes over"
ffmpeg -v error -y -i "$VRS_DATA/person_flat.mp4" -frames:v 24 -vf scale=1280:-2 -c:v libx264 -preset ultrafast clip.mp4 # a segment takes a while
others() { ls -i $folder/segment-00000?.part $folder/segment-00000?.past $folder/checkpoint.json; }
suspended() { # SIGNAL-OR-none OPTION...
  signal=$1 folder=.out.mp4.vrseg code=0
  shift
  vrseg $common -o out.mp4 --segment-frames 6 --preset slow "$@" >summary 2>messages &
  pid=$!
  await "$folder/.segment-00000*"
  all="$pid $(cat /proc/$pid/task/*/children 2>/dev/null || true)" # a thread may end meanwhile
  kill -STOP $all
  rm "$folder/.lease-000001"
  for name in 0.part 1.part 2.part 3.part 0.past 1.past; do echo other >"$folder/segment-00000$name"; done
  touch "$folder/checkpoint.json" "$folder/.lease-000002"
  others >before
  [ "$signal" = none ] || kill -"$signal" $pid
  kill -CONT $all
  wait $pid || code=$?
  [ "$signal" = none ] && sed 's/^vrseg: //' messages && echo "exit $code"
  others | cmp before - && echo "nothing of the other's was touched"
  ls "$folder" | grep 'part\.' || true # what workers have made goes
  rm -r "$folder" before summary messages
}
suspended none
suspended none --processes --process-count 2
suspended TERM --processes --process-count 2
suspended none -m "$VRS_TEST_DIR/files/recurrent/colours.yaml"
