#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --interactive: commands from a pipe with the messages of the option table, a failed command does not end it and gives the exit code of a
# script, what set changes is what run uses, and it refuses what no run uses; and on a terminal Tab completes keys and file names, and a line of the
# history comes back.
unset $VRS_SMALL_NETWORK # config shows what is not the default
cp "$VRS_DATA/person_flat.mp4" person_of_the_clip.mp4
cat >commands <<'END'
# a comment, an empty line, quotes

help
stats
set matte.cutof 1
set matte.cutoff 2
set pipeline.max_frames 4
set output.color "ff0000"
foo
run
run missing.mp4
run person_of_the_clip.mp4 -o "hash:two words.txt"
run - -o null:
set output.color "ff
config
stats
quit
help
END
code=0
vrseg --interactive --progress none --log-level error <commands >out 2>messages || code=$?
sed -e 's/ in [0-9.]* s, [0-9.]* frames\/s//' -e 's/^\(decode\|preprocess\|inference\|postprocess\|compose\|encode\) .*/\1 ../' \
  -e '/^CPU:\|^limit:\|^memory:\|^stage\|^bound\|^ /!b' -e '/^CPU\|^limit\|^memory\|^stage\|^bound/d' out
cat messages
echo "exit $code"
wc -l <'two words.txt'
vrseg --interactive film.mp4 2>&1 || true
# Defaults are not met with silence, and warnings keep to the level that was set.
printf 'config\nset gpu.allow_tf32 true\nset report.log_level error\nset lama_batch 4\nset report.strict true\nset sam2_batch 4\nconfig\n' |
  vrseg --interactive 2>&1 || echo "exit $?"
# What only the start of the program reads cannot be set; a list is told as one; a target that any run missed counts.
printf 'set %s\n' 'pipeline.sandbox true' 'report.log_file log' 'report.metrics_file m.prom' 'report.metrics_port 0' 'input.recursive on' \
  'engine.batch_size 1,2' 'report.strict on' 'engine.batch_size 2,1' | vrseg --interactive 2>&1 || echo "exit $?"
# Of crf, quality, bit rate and lossless the one that was set last decides.
printf '%s\n' 'set output.crf 18' 'set output.quality 50' config 'set output.crf 20' config |
  vrseg --bitrate 1M --interactive 2>&1 || echo "exit $?"
(
  . "$VRS_TEST_DIR/small_network.sh"
  printf '%s\n' 'set target.fps 10000' 'run person_of_the_clip.mp4 -o null:' 'set target.fps none' 'run person_of_the_clip.mp4 -o null:' |
    vrseg --interactive --max-frames 1 --fail-on target --log-level error --progress none >out || echo "exit $?"
  grep -c '^1 frame' out
)

command -v script >/dev/null || exit 0
. "$VRS_TEST_DIR/small_network.sh" # a run is awaited
mkfifo keys
TERM=dumb script -qfec 'vrseg --interactive --progress none --log-level error 2>&1' typescript <keys >/dev/null &
pid=$!
exec 3>keys
await() {
  for _ in $(seq 1200); do
    grep -q "$1" typescript 2>/dev/null && return
    sleep 0.1
  done
  echo "no $1"
}
await 'vrseg>'
printf 'set pipeline.max_f\t2\n' >&3
await '^pipeline.max_frames: 2'
printf 'run pers\t -o null:\n' >&3
await '^2 frames in'
printf '\020\020\n' >&3
for _ in $(seq 600); do
  test "$(grep -c '^pipeline.max_frames: 2' typescript)" -eq 2 && break
  sleep 0.1
done
printf 'qu\t\n' >&3
exec 3>&-
wait $pid || true
tr -d '\r' <typescript | grep -E '^(pipeline.max_frames|2 frames)' | sed 's/ in [0-9.]* s, [0-9.]* frames\/s//'
