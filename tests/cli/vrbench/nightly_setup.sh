#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: what docs/nightly.md tells people to set up: its cron line runs without an environment, from any folder, with nothing but its paths moved
# into this one; systemd takes the units.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
mkdir -p var/vrseg accepted/bin accepted/share/vrseg elsewhere
cp "$VRS_DATA/person_flat.mp4" var/vrseg/clip.mp4
cp "$VRS_BIN/vrbench" accepted/bin
cp -r "$VRS_SOURCE_DIR"/configs/* accepted/share/vrseg
cp "$VRS_BIN"/../../share/vrseg/models/* accepted/share/vrseg/models
line=$(grep '^30 2 \* \* \* ' "$VRS_SOURCE_DIR/docs/nightly.md" | cut -d ' ' -f 6-)
echo "$line"
here=$PWD
# A moment is enough for a test.
line=$(echo "$line" | sed "s|/usr/local/bin/vrbench|$VRS_BIN/vrbench|; s|/usr/local/vrseg-accepted|$here/accepted|; s|/var/lib|$here/var|g
  s|--budget 2h|--budget 3s --warmup 0.1 --duration 0.1 --min-frames 2 --gates off|")
code=0
(cd elsewhere && env -i HOME="$HOME" /bin/sh -c "$line") >report 2>err || code=$?
case $code in
  0 | 10 | 11 | 12) grep -c '^VERDICT [A-Z]* night=1 ' report ;;
  *) echo "exit $code" && cat err ;;
esac
jq -s -c '[map(.number), (map(.baseline_sha256) | unique | length), .[0].cases[0].input]' var/vrseg/nights/nights-*.jsonl
jq -c '[.kind, .night]' var/vrseg/nights/decisions.jsonl
ls elsewhere
if command -v systemd-analyze >/dev/null; then
  mkdir units
  cp "$VRS_SOURCE_DIR"/configs/systemd/* units
  # The program and the user exist where it is installed.
  sed -i "s|^ExecStart=/usr/local/bin/vrbench|ExecStart=$VRS_BIN/vrbench|; s/^User=.*/User=root/" units/vrbench-nightly.service
  systemd-analyze verify --man=no units/vrbench-nightly.service units/vrbench-nightly.timer 2>&1 | sed '/^SELinux\|binfmt/d'
fi
# The same command everywhere: the unit's is that of the cron line.
unit=$(sed -n 's/^ExecStart=//p' "$VRS_SOURCE_DIR/configs/systemd/vrbench-nightly.service")
[ "$unit" = "$(grep '^30 2 \* \* \* ' "$VRS_SOURCE_DIR/docs/nightly.md" | cut -d ' ' -f 6- | sed 's/ --progress none//')" ] && echo "one command"
