#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: options against each other, in jobs drawn by chance (random_job.c).  Options that affect nothing give the same bytes, and so do a run that
# was killed and continued, and mattes from the cache; segments give the same pictures where the encoder keeps every sample.  Compared is all that
# lies in the folder of the output.  A job may be refused by one sentence, but not most of them; what is accepted has to be made with every variant,
# but for the few that an input or a network rules out (`allowed`).
#   VRS_FIRST_JOB=N     number of the first job: without it one of today
#   VRS_JOBS=N          how many; without it as many as VRS_SECONDS=S seconds allow
#   VRS_KEEP=FOLDER     gets inputs and outputs of the first job that fails
# One job again:   VRS_FIRST_JOB=N VRS_JOBS=1 tests/cli/run.sh tests/keys/random_jobs.sh build/release/bin
command -v ffmpeg >/dev/null || exit 77
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
# A program in the sandbox cannot look for leaks; other tests do.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
set +e
set -f # arguments stand unquoted
first=${VRS_FIRST_JOB:-$(date -u +%Y%m%d0000)} jobs=${VRS_JOBS:-0} seconds=${VRS_SECONDS:-60}
mkdir in in/frames

make() { # FILE SOURCE FILTER OPTION...
  file=in/$1 source=$2 filter=$3
  shift 3
  ffmpeg -v error -y -i "$VRS_DATA/$source" -vf "$filter" "$@" "$file" || exit 1
}
x264='-c:v libx264 -preset ultrafast'
input() { # LINE of the list of random_job.c
  echo "$1" >>inputs
}
# shellcheck disable=SC2086
make_inputs() {
  vr=person_vr180_sbs.mp4 flat=person_flat.mp4
  make a_180_sbs.mp4 $vr scale=320:160 -frames:v 14 $x264 -g 5 -c:a copy -t 0.47
  make b_180_sbs.mkv $vr scale=302:150 -frames:v 11 -c:v ffv1 -pix_fmt yuv444p -c:a libopus -t 0.37
  make c_180_sbs.mp4 $vr scale=256:128 -frames:v 13 -c:v libx265 -preset ultrafast -x265-params log-level=error -pix_fmt yuv420p10 -t 0.44
  make d_180_tb.mp4 $vr 'split[l][r];[l]crop=iw/2:ih:0:0[a];[r]crop=iw/2:ih:iw/2:0[b];[a][b]vstack,scale=160:320' -frames:v 10 $x264 -an
  make e.mkv $flat scale=171:97 -frames:v 12 -c:v ffv1 -pix_fmt yuv422p -an
  make f_uneven.mkv $flat "scale=160:120,setpts=if(gt(N\,5)\,N+floor((N-4)/2)\,N)/30/TB" -frames:v 12 -fps_mode vfr $x264 -bf 2 -an
  make g.ts $flat scale=192:108 -frames:v 12 $x264 -an
  make h_rgb.mkv $flat scale=192:108 -frames:v 12 -c:v utvideo -pix_fmt gbrp -an
  make i_gray.mkv $flat scale=100:100 -frames:v 10 -c:v ffv1 -pix_fmt gray -an
  make j_interlaced.mpg $flat scale=200:112,fps=15 -frames:v 15 -c:v mpeg2video -flags +ilme+ildct -top 1 -an
  make k.y4m $flat scale=128:72 -frames:v 9 -pix_fmt yuv420p -an
  make frames/%02d.png $flat scale=128:72,format=rgba -frames:v 6
  make l.mp4 $flat scale=192:108 -frames:v 12 $x264 -an
  ffmpeg -v error -i in/l.mp4 -c copy -metadata:s:v rotate=90 in/l_turned.mp4
  make m.webm $flat scale=144:80,fps=12 -frames:v 8 -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -an
  make n.yuv $flat scale=128:72 -frames:v 8 -pix_fmt nv12 -f rawvideo
  make back.mp4 $flat scale=320:180,hflip -frames:v 5 $x264 -an
  make back.png $flat scale=200:200 -frames:v 1
  ffmpeg -v error -f lavfi -i color=black:s=64x64 -vf drawbox=0:40:64:24:white:fill -frames:v 1 in/mask.png
}
make_inputs

input 'a_180_sbs.mp4 even'
input 'a_180_sbs.mp4 even --layout mono --projection equirect'
input 'a_180_sbs.mp4 even --layout rl --projection fisheye'
input 'a_180_sbs.mp4 even --layout hsbs --projection fisheye:190'
input 'b_180_sbs.mkv even'
input 'b_180_sbs.mkv even --layout tb --projection equirect'
input 'c_180_sbs.mp4 even'
input 'd_180_tb.mp4 even'
input 'd_180_tb.mp4 even --layout bt --projection hequirect'
input 'e.mkv even'
input 'e.mkv even --layout sbs --projection flat'
input 'f_uneven.mkv uneven'
input 'g.ts even'
input 'h_rgb.mkv even'
input 'i_gray.mkv even'
input 'j_interlaced.mpg even'
input 'k.y4m even'
input 'frames/%02d.png even --fps 24'
input 'frames/%02d.png even --layout mono --projection fisheye'
input 'l_turned.mp4 even'
input 'm.webm even'
input 'n.yuv even --raw-format nv12 --raw-size 128x72 --fps 30'

cat >outputs <<'LIST'
out.mkv exact --encoder ffv1
out.mkv exact --encoder ffv1
out.mkv exact --encoder ffv1
out.mkv exact --encoder utvideo --lossless
out.mkv joined --preset ultrafast
out.mp4 joined --preset ultrafast
out.mp4 joined --encoder libx265 --preset ultrafast
out.mov joined --preset ultrafast
out.ts joined --preset ultrafast
out.avi joined
out.webm joined --encoder libvpx-vp9 --max-frames 3
pictures/%03d.png neither
LIST

# A calibration, which int8 makes of the input and keeps, is that of the base: it takes longer than the rest.
folder_of() { # NAME
  [ -d "job/$1" ] || { mkdir "job/$1" && { [ ! -d job/base/cache ] || cp -R job/base/cache "job/$1"; }; }
  mkdir -p "job/$1/out/pictures"
}
# One run of `vrseg $in $output $base MORE` in a folder of its own.  Sets code.
command_of() { # OPTION...
  echo "vrseg ../../../in/$input -o $output $base $*"
}
# shellcheck disable=SC2086
run() { # NAME OPTION...
  name=$1
  shift
  folder_of "$name"
  (cd "job/$name/out" && XDG_CACHE_HOME=$PWD/../cache exec timeout -k 5 300 $(command_of "$@")) >"job/$name/stdout" 2>"job/$name/message"
  code=$?
}
failed() { # WHAT NAME OPTION...
  echo "job $number, $2: $1"
  name=$2
  shift 2
  [ "$name" = base ] || echo "  $(command_of)"
  echo "  $(command_of "$@")"
  tail -n 3 "job/$name/message" | sed 's/^/  /'
  bad=$((bad + 1))
  [ -z "${VRS_KEEP:-}" ] || [ -e "$VRS_KEEP" ] || { mkdir "$VRS_KEEP" && cp -R in job "$VRS_KEEP"; }
}
refusal() { # NAME: its sentence
  tail -n 1 "job/$1/message" | sed 's/[0-9][0-9]*/N/g' | cut -c 1-110
}
same_files() { # NAME
  diff -r job/base/out "job/$1/out" >differences 2>&1
}
# A base is refused by its input or network; of what changes nothing, only these may be.
allowed() { # NAME
  tail -n 1 "job/$1/message" | grep -q \
    -e 'is recurrent, so ' \
    -e '^vrseg: --frames-in-flight [0-9]* \(leaves no room\|is less than\)' \
    -e 'cannot be joined from segments; leave one of the two out$' \
    -e 'are less than two segments' \
    -e '(an error because of --strict)$'
}
# Red discs have half the resolution of a small video: too little, perhaps.
is_too_coarse() { # NAME
  [ "$code" = 3 ] && echo "$base" | grep -q 'alpha-color red' && tail -n 1 "job/$1/message" | grep -q ' did not pass --verify-pack'
}
expect_same() { # NAME OPTION...
  if { [ "$code" = 2 ] && allowed "$1"; } || is_too_coarse "$1"; then
    echo "with variants: $(refusal "$1")" >>refused
  elif [ "$code" != 0 ]; then
    failed "exit code $code" "$@"
  elif ! same_files "$1"; then
    failed "$(head -n 1 differences)" "$@"
  fi
}

# shellcheck disable=SC2086
killed() { # OPTION...; uses kills
  signal=${kills%% *}
  for share in ${kills#* }; do
    folder_of killed
    (cd job/killed/out && XDG_CACHE_HOME=$PWD/../cache exec $(command_of "$@")) >job/killed/stdout 2>job/killed/message &
    pid=$!
    sleep "$(awk "BEGIN { print $share * $time / 1e9 }")"
    kill -"$signal" $pid 2>/dev/null
    (sleep 60 && kill -KILL $pid) 2>/dev/null &
    dog=$!
    wait $pid 2>/dev/null
    code=$?
    kill $dog 2>/dev/null
    wait $dog 2>/dev/null
    sleep 0.05 # worker processes notice
    case $signal-$code in
      *-0 | *-2) break ;;
      KILL-137 | TERM-143) ;;
      *) failed "exit code $code after SIG$signal at $share" killed "$@" && return ;;
    esac
  done
  [ $code = 0 ] || [ $code = 2 ] || run killed "$@"
  if [ $code = 2 ] && grep -q 'already exists; use --overwrite' job/killed/message; then
    # a video in one go that was stopped plays, pictures appear one by one, a trace before the output, and the signal may come after the last step
    [ $signal = TERM ] || [ "${output%/*}" = pictures ] || grep -q '^vrseg: \.\./' job/killed/message || same_files killed ||
      failed "a part under the name of the output" killed "$@"
    run killed "$@" --overwrite
  fi
  expect_same killed "$@"
}

pictures() { # NAME
  for file in $(find "job/$1/out" -name '.*' -prune -o -type f -print); do
    ffmpeg -v error -i "$file" -map 0:v -f framemd5 - 2>&1 | grep -v '^#'
  done
}
segments() { # OPTION...
  run segments "$@"
  if [ "$code" != 0 ]; then
    failed "exit code $code" segments "$@"
  else
    pictures base >pictures.base
    pictures segments >pictures.segments
    cmp -s pictures.base pictures.segments || failed "other pictures" segments "$@"
  fi
}

# shellcheck disable=SC2086
job() {
  rm -rf job
  mkdir job
  "$VRS_BIN/../tests/random_job" "$number" inputs outputs >drawn || exit 1
  variant=0
  while IFS="$(printf '\t')" read -r word value; do
    case $word in
      input) input=$value ;;
      output) output=$value ;;
      base)
        base=$value
        begin=$(date +%s%N)
        run base
        time=$(($(date +%s%N) - begin))
        case $code in
          0) accepted=$((accepted + 1)) ;;
          2 | 3)
            tail -n 1 job/base/message | grep '^vrseg: ' | grep -qv 'internal error' || failed "no sentence with exit code $code" base
            refusal base >>refused
            return
            ;;
          *) failed "exit code $code" base && return ;;
        esac
        ;;
      variant)
        variant=$((variant + 1))
        run variant$variant $value
        expect_same variant$variant $value
        ;;
      killed) more=$value ;;
      kills) kills=$value && killed $more ;;
      cached)
        for turn in cold warm; do
          rm -rf job/cached/out
          run cached --cache
          expect_same cached --cache
        done
        ;;
      segments) segments $value ;;
    esac
  done <drawn
}

: >refused
bad=0 accepted=0 count=0 begun=$(date +%s)
while [ "$count" -lt "$jobs" ] || { [ "$jobs" = 0 ] && [ $(($(date +%s) - begun)) -lt "$seconds" ]; }; do
  number=$((first + count))
  count=$((count + 1))
  job
done
echo "jobs from $first on: $count, accepted $accepted, failures $bad, seconds $(($(date +%s) - begun))"
sort refused | uniq -c | sort -rn
# A refusal that meets most jobs would leave nothing to compare.
[ $((accepted * 2)) -ge "$count" ] || { echo "most jobs were refused" && bad=1; }
[ "$bad" = 0 ]
