#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards Ctrl-C at any moment of a search, also before its first run: exit code 130, the finished runs are kept, the same command with --resume goes
# on with them, and the search comes to its end without a run made twice.  What runs there are is the journal's to say: a command with another limit
# of memory or another length of runs is refused, and so is a folder whose runs are no search.
# A shell starts background jobs with SIGINT ignored, which vrtune respects: env puts it back.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
cp "$VRS_DATA/person_flat.mp4" a.mp4
search() { # FOLDER_FLAG
  exec env --default-signal=INT vrtune --auto-optimize --quick --rounds 2 --only "queue_size preset" --queue-size 2,4 \
    --preset superfast,ultrafast --threads 1 --max-frames 20 --progress none --save-config my.yaml "$1" runs a.mp4
}
runs() { cat runs/journal.jsonl 2>/dev/null | grep -c '"round"' || true; }
stops=0
for pause in 0.2 1 4 0.5 run; do
  before=$(runs)
  folder=--output-dir
  [ ! -e runs/journal.jsonl ] || folder=--resume
  (search $folder) >out 2>err &
  pid=$!
  if [ $pause = run ]; then
    until [ "$(runs)" -ge $((before + 4)) ] || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
  else
    sleep $pause
  fi
  kill -INT $pid 2>/dev/null || true
  code=0
  wait $pid || code=$?
  [ $code -eq 130 ] || [ $code -eq 0 ] || { echo "exit $code after $pause"; cat err; }
  [ $code -ne 130 ] || stops=$((stops + 1))
  [ $code -eq 0 ] || [ ! -e my.yaml ] || echo 'a file although nothing was chosen'
  [ "$(runs)" -ge "$before" ] || echo 'runs were lost'
  [ $code -ne 0 ] || break
done
[ $stops -gt 0 ] || echo 'no stop came in time'
if [ ! -e my.yaml ]; then
  code=0
  (search --resume) >out 2>err || code=$?
  [ $code -eq 0 ] || { echo "exit $code"; cat err; }
fi
grep -c '^# Made by vrtune' my.yaml
# No run is there twice, and none whose pair with the default's was whole when the search stopped; other runs of that round come again.
sed -nE 's/.*"id":"([^"]*)".*"round":([0-9]+).*"session":([0-9]+).*/\1 \2 \3/p' runs/journal.jsonl | awk '
  seen[$0]++ { print "twice:", $0 }
  NR == 1 { base = $1 }
  { for (s = 0; s < $3; s++) if ($1 != base && ($1 " " $2 " " s) in seen && (base " " $2 " " s) in seen) print "again:", $0 }'
refused() { # FLAGS...
  code=0
  (vrtune --auto-optimize --rounds 2 --only "queue_size preset" --queue-size 2,4 --preset superfast,ultrafast --threads 1 --max-frames 20 \
    --progress none --save-config other.yaml --resume runs "$@") >out 2>err || code=$?
  sed 's/--memory-limit [0-9]*, not/--memory-limit N, not/' err
  echo "exit $code"
  [ ! -e other.yaml ] || echo 'it saved'
}
refused --quick --memory-limit 100M
refused
cp runs/journal.jsonl whole
for change in 's/"scope":"end_to_end"/"scope":"net_only"/' 's/"mode":"offline"/"mode":"live@30"/' 's/"soak":false/"soak":true/' \
  's/"goal":0/"goal":0.01/'; do
  sed "$change" whole >runs/journal.jsonl
  refused --quick
done
