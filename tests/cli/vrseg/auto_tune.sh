#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --auto-tune: vrtune is asked once for a kind of job, what it found is kept and used, what is set stays; whatever goes wrong with it costs one
# line and never the job, but a kept file that cannot be read now: with other settings the pictures would be others.  A script stands in for vrtune
# beside a copy of vrseg: the search itself is vrtune's (auto_tune_search.sh has the real one).
clip=$VRS_DATA/person_flat.mp4
selfie=$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite
[ -f "$selfie" ] || exit 77
mkdir -p alone/bin alone/share/vrseg/models
cp "$VRS_BIN/vrseg" alone/bin
cp "$VRS_SOURCE_DIR/configs/models/selfie_segmentation.yaml" "$selfie" alone/share/vrseg/models
PATH=$PWD/alone/bin:$PATH
# Notes that it was called; FINDS: 0, an exit code to fail with, or sleep
cat >alone/bin/vrtune <<'END'
#!/bin/sh
echo "$@" >>"$NOTES"
while [ $# -gt 0 ]; do
  case $1 in
    --save-config) saved=$2 ;;
    -c) cp "$2" "$NOTES.job" ;;
    --output-dir) mkdir -p "$2" && echo '{}' >"$2/journal.jsonl" ;;
  esac
  shift
done
if [ "$FINDS" = sleep ]; then exec sleep 60; fi
if [ "$FINDS" -eq 0 ]; then printf '# found\noutput:\n  preset: superfast\nmatte:\n  gamma: 1.1\npipeline:\n  queue_size: 2\n' >"$saved"; fi
exit "$FINDS"
END
chmod +x alone/bin/vrtune
NOTES=$PWD/notes FINDS=0
export NOTES FINDS
run() { # NAME OPTION...
  name=$1
  shift
  : >notes
  code=0
  vrseg "$clip" -o "$name" -n 6 --overwrite --progress none "$@" >summary 2>messages || code=$?
  echo "$name: exit $code, $(wc -l <notes) search"
  grep -E 'tuned|looking for|auto_tune|another machine|error' messages |
    sed 's/[0-9a-f]\{16\}/KEY/g; s#(/[^ ]*/tuned/#(.../#; s#/[^ ]*/tuned#.../tuned#g; s#/[^ ]*/alone/#.../#' || true
}
same() { cmp "$1" "$2" && echo "$1 is $2"; }
run plain.mp4
run explicit.mp4 --preset superfast
run first.mp4 --auto-tune
sed 's#/[^ ]*/tuned/#.../#g; s/[0-9a-f]\{16\}/KEY/g; s/job-[0-9]*/job-PID/; s#/[^ ]*/person#person#' notes
run second.mp4 --auto-tune
same first.mp4 explicit.mp4
same second.mp4 explicit.mp4
kept=$(echo ../cache/vrseg/tuned/*.yaml)
mv "$kept" kept.yaml
mkdir "$kept"
run unread.mp4 --auto-tune
ls unread.mp4 2>/dev/null || true
rmdir "$kept"
mv kept.yaml "$kept"
printf 'performance:\n  auto_tune: true\n' >auto.yaml
run yaml.mp4 -c auto.yaml
run off.mp4 -c auto.yaml --no-auto-tune
same off.mp4 plain.mp4
echo '-- what is set stays, and makes it another job'
run set.mp4 --auto-tune --preset ultrafast
grep -c '^  preset: ultrafast' notes.job
run ultrafast.mp4 --preset ultrafast
same set.mp4 ultrafast.mp4
run larger.mp4 --auto-tune --view whole
echo '-- what another machine has found is proven first; that the default stays there is no candidate'
for each in ../cache/vrseg/tuned/*.yaml; do mv "$each" "${each%-*}-0123456789abcdef.yaml"; done
run first.mp4 --auto-tune
grep -o -e '--candidate [^ ]*' notes | sed 's#/[^ ]*/tuned/#.../#; s/[0-9a-f]\{16\}/KEY/g'
same first.mp4 explicit.mp4
run second.mp4 --auto-tune
for each in ../cache/vrseg/tuned/*.yaml; do
  rm "$each"
  echo '{}' >"${each%-*}-0123456789abcdef.yaml"
done
run first.mp4 --auto-tune
grep -c -e '--candidate' notes || true
rm ../cache/vrseg/tuned/*
echo '-- where the search says no'
FINDS=15
run limits.mp4 --auto-tune --target-fps 9000
same limits.mp4 plain.mp4
run again.mp4 --auto-tune --target-fps 9000
cat ../cache/vrseg/tuned/*.yaml | grep -A 1 '^# The default'
FINDS=3
run fails.mp4 --auto-tune --crf 30
run fails.mp4 --auto-tune --crf 30
run strict.mp4 --auto-tune --crf 30 --strict
tail -n 1 messages
echo '-- a dry run does not search'
run dry.mp4 --auto-tune --crf 31 --dry-run
echo '-- what cannot be tuned'
run live.mp4 --auto-tune --live
tail -n 1 messages
run live.mp4 -c auto.yaml --live
run sandbox.mp4 -c auto.yaml --sandbox
code=0
vrseg - -o pipe.mp4 -n 6 --auto-tune --progress none <"$clip" >summary 2>messages || true
grep auto_tune messages
echo '-- a damaged record, no vrtune, no folder'
FINDS=0
for file in ../cache/vrseg/tuned/*; do echo 'output: [' >"$file"; done
run damaged.mp4 --auto-tune
rm -r ../cache/vrseg/tuned
mv alone/bin/vrtune aside
run alone.mp4 --auto-tune
mv aside alone/bin/vrtune
rm -r ../cache/vrseg/tuned
echo file >../cache/vrseg/tuned
run unwritable.mp4 --auto-tune
rm ../cache/vrseg/tuned
echo '-- a stop ends the search'
FINDS=sleep
: >notes
vrseg "$clip" -o stopped.mp4 -n 6 --auto-tune --progress none >summary 2>messages &
pid=$!
# Until the search has something to stay: the script notes its call before.
while ! ls ../cache/vrseg/tuned/*.runs/journal.jsonl >/dev/null 2>&1; do sleep 0.05; done
kill -TERM $pid
code=0
wait $pid || code=$?
echo "exit $code, left: $(ls stopped.mp4 2>/dev/null | wc -l)"
tail -n 1 messages
echo '-- its runs stay, the next job goes on with them, and a search that is decided leaves none'
ls ../cache/vrseg/tuned | sed 's/[0-9a-f]\{16\}/KEY/g'
FINDS=0
run resumed.mp4 --auto-tune
grep -o -e '--resume .*\.runs' notes | sed 's#/[^ ]*/tuned/#.../#; s/[0-9a-f]\{16\}/KEY/g'
ls ../cache/vrseg/tuned | sed 's/[0-9a-f]\{16\}/KEY/g'
echo '-- a calibration, which a search makes where there is none, is no other kind of job'
rm -r ../cache/vrseg/tuned
run before.mp4 --auto-tune
vrseg --calibrate "$clip" >summary 2>messages || cat messages
run after.mp4 --auto-tune
