#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the memory plan (--dry-run) knows what its parts depend on.
#   a background and the picture of --exclude: their own sizes
#   HDR that is mapped to SDR: the encoder's pictures are smaller than the decoder's, and libx264 looks ahead in them
#   an input of one picture: each stage holds one; pictures have encoders of their own
#   pictures that become larger in the middle: refused where their decoder does not fit, with a figure that is enough
command -v ffmpeg >/dev/null || exit 77
[ -z "${ASAN_OPTIONS:-}${TSAN_OPTIONS:-}" ] || exit 77 # sanitizers need terabytes of addresses
ff() {
  ffmpeg -nostdin -v error -y "$@" || exit 77
}
part() { # PART, ARGUMENTS: MiB, whole
  part=$1
  shift
  vrseg "$@" --overwrite --dry-run 2>dry.err | sed -n "s/^$part  *\([0-9]*\).*/\1/p"
}
more() { # WORDS, MIB, MIB
  if [ "${2:-0}" -gt "${3:-0}" ]; then echo "$1"; else echo "NOT: $1 ($2, $3)"; cat dry.err; fi
}

ff -f lavfi -i color=size=5760x2880:rate=25,format=yuv420p10le -frames:v 1 -c:v libx264 -preset ultrafast \
  -color_trc smpte2084 -color_primaries bt2020 -colorspace bt2020nc hdr.mp4
kept=$(part encoder hdr.mp4 -o o.mp4 --tonemap off)
mapped=$(part encoder hdr.mp4 -o o.mp4 --tonemap bt2390)
more "libx264 is planned with more for mapped pictures, in which it looks ahead" "$mapped" $((2 * kept))

ff -f lavfi -i testsrc2=size=256x128:rate=25,format=yuv420p -frames:v 3 -c:v mpeg4 clip.mp4
ff -f lavfi -i color=size=4096x2048 -frames:v 1 large.png
ff -f lavfi -i color=size=4096x2048:rate=25,format=yuv420p -frames:v 2 -c:v libx264 -preset ultrafast large.mp4
cat large.png large.png >two.png
plain=$(part frames clip.mp4 -o null:)
still=$(part frames clip.mp4 -o null: --background large.png)
two=$(part frames clip.mp4 -o null: --background two.png)
more "a background counts with its own size" "$still" $((plain + 40))
more "what is not one picture alone counts as a video" "$two" $((still + 40))
more "so does a video" "$(part frames clip.mp4 -o null: --background large.mp4)" $((plain + 80))
more "the picture of --exclude counts while it is read" "$(part frames clip.mp4 -o null: --exclude large.png)" $((plain + 40))

ff -f lavfi -i testsrc2=size=256x128:rate=25,format=yuv420p -frames:v 20 -c:v libx264 -preset ultrafast small.ts
ff -f lavfi -i testsrc2=size=4096x2048:rate=25,format=yuv420p -frames:v 4 -c:v libx264 -preset ultrafast -output_ts_offset 0.8 then.ts
cat small.ts then.ts >grows.ts
grown() { # KIB, WORDS
  code=0
  (ulimit -v "$1" && vrseg grows.ts -o grown.mp4 --overwrite >grown.out 2>grown.err) || code=$?
  echo "$2: exit $code"
}
planned=$(ulimit -v 4000000 && part addresses grows.ts -o grown.mp4)
grown $(((planned + 40) * 1024)) "room for the small pictures alone"
sed -n 's/.*\(has pictures of .* at least\) \([0-9]*\) MiB .*/\1 N MiB/p' grown.err
ls grown.mp4 2>/dev/null || :
grown $(($(sed -n 's/.*at least \([0-9]*\) MiB.*/\1/p' grown.err) * 1024)) "as much as it says"

ff -i large.png -frames:v 1 -pix_fmt yuvj420p large.jpg # 12 MiB decoded
[ "$(part all large.jpg -o null:)" -lt "$(part all large.mp4 -o null:)" ] && echo "one picture takes less than a video"
[ "$(part frames large.jpg -o null:)" -lt 30 ] && echo "and no more than one waits"
[ "$(part encoder large.jpg -o o.jpg)" -lt 60 ] && echo "nor is it planned as a video that is encoded"
