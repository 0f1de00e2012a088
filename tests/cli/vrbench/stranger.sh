#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: what the journal and the results of a stranger may cause.  A journal starts no program, and sets no path that is written; a comparison with
# another build goes on when that program is typed again and is the same; a link in place of a folder is refused, and nothing behind it is removed.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
cp "$VRS_DATA/person_flat.mp4" clip.mp4
short="--threads 1 --warmup 0.1 --duration 0.1 --min-frames 2 --gates off --no-graphs --progress none"
# Answers like vrbench, and leaves a mark.
cat >build <<'EOF'
#!/bin/sh
cat >/dev/null
touch "$HOME/marker"
info='"info":{"width":640,"height":480,"eyes":1,"batch":1,"threads":1,"streams":1}'
echo '{"schema":"vrbench-run/1","status":"VRS_OK",'$info',"run":{"status":"ok","fps":90000,"frames":9,"wall_seconds":1}}'
EOF
chmod +x build
go() {
  if timeout 100 vrbench "$@" >report 2>err; then code=0; else code=$?; fi
  if [ $code = 2 ] || [ $code = 3 ]; then why=$(tail -n 1 err | sed "s|$PWD/||g"); else why=; fi
  echo "exit $code: $why"
  if [ -e "$HOME/marker" ]; then echo "the program has run"; rm "$HOME/marker"; fi
}
echo "-- another build"
go --versus ./build $short --runs 1 --output-dir ab clip.mp4
go --resume ab
go --resume ab --versus fast
go --resume ab --versus ./build --margin 1%
echo '# changed' >>build
go --resume ab --versus ./build
sed -i '$d' build
cp build moved
go --resume ab --versus ./moved
echo "-- settings of a journal"
go $short --precision fp32 --runs 1 --output-dir plain clip.mp4
go --resume plain --versus ./build
for what in '"report.trace":"trace.json"' '"report.log_file":"log"' \
  '"output.file":"video.mkv","output.overwrite":"true"' '"cache.enabled":"true","cache.dir":"cache"'; do
  sed -i "1s|\"settings\":{|&$what,|" plain/journal.jsonl
done
sed -i '2,$d' plain/journal.jsonl
go --resume plain
grep -c . plain/journal.jsonl
grep -E 'trace|log_file|dir:|overwrite' plain/recommended.yaml || true
ls -d trace.json log video.mkv cache 2>/dev/null || true
echo "-- a case of a journal, settings of a result"
sed 's|"id":"r=640x480/|&report.trace=trace.json/|' plain/journal.jsonl >case.jsonl
mkdir case && mv case.jsonl case/journal.jsonl
go --resume case
tr -d '\n\t' <plain/results.json | sed 's|"base_config": *"|&report.trace: trace.json\\ncache.dir: cache\\n|' >evil.json
grep -c 'report.trace: trace.json' evil.json
go --versus evil.json $short --runs 1 --output-dir again clip.mp4
ls -d trace.json cache 2>/dev/null || true
echo "-- links"
mkdir mine && echo precious >mine/text
for part in work frames mattes; do
  rm -rf plain/$part
  ln -s ../mine plain/$part
  sed -i '2,$d' plain/journal.jsonl
  go --resume plain
  rm plain/$part
done
sed -i '2,$d' plain/journal.jsonl
for file in results.json env.json recommended.yaml; do ln -sf ../mine/text plain/$file; done
go --resume plain
cp plain/journal.jsonl mine/journal
ln -sf ../mine/journal plain/journal.jsonl
sed -i '2,$d' mine/journal
go --resume plain
[ "$(cat mine/text)" = precious ] && wc -l <mine/journal
rm plain/journal.jsonl && mkfifo plain/journal.jsonl
go --resume plain
echo "-- a configuration is no program, whatever its mode"
echo 'engine.precision: fp32' >settings.yaml
chmod +x settings.yaml
go --versus settings.yaml $short --runs 1 --output-dir conf clip.mp4
