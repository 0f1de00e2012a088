#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Calibration: stored for this machine and kind of case, shown, used by --dry-run and by the margin of an A/B, and gone on with after a stop.
[ -f "$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite" ] || exit 77
cp "$VRS_DATA/person_flat.mp4" clip.mp4
vrbench --calibration
vrbench --threads 1 --dry-run clip.mp4 | grep -o 'precision to expect: not known; there is no calibration for "end_to_end offline cpu 1M'
short="--threads 1 --warmup 0.1 --duration 0.2 --min-frames 2 --gates off"
vrbench --calibrate --runs 6 $short --output-dir cal clip.mp4 >report 2>progress
grep -c '^vrbench: now one long run of [0-9]* frames, which takes about [0-9:]* at [0-9]* FPS; P99 needs 60,000$' progress
tail -n 1 report | cut -d ' ' -f 1,3
grep -c 'margin of an A/B here: ' report
grep -c 'P95 and P99 stay uncalibrated: that takes 60000 frames and 10 slow episodes' report
find "$XDG_STATE_HOME/vrseg/calibration" -name '*.json' | wc -l
vrbench --calibration | grep -c '^  end_to_end offline cpu 1M  *0  *6 .* 0/1  *no P95, P99$'
dry() {
  vrbench --threads 1 --dry-run clip.mp4
}
dry | grep -c 'precision to expect: runs spread by .* so that the half width is about\|minimum detectable effect of an A/B: '
ls cal cal/soak
# The journal knows that it is a calibration: nothing is measured again, and the test of the method counts once more.
vrbench --resume cal >report 2>progress
wc -l <cal/journal.jsonl
vrbench --calibration | grep -c ' 0/2 '
# As a level of this machine the measurement counts once.
grep -c '"subject"' "$XDG_STATE_HOME"/vrseg/calibration/*.json
# The stored spread of pairs is part of the margin.
if vrbench --versus engine.threads=1 --runs 1 $short --explain --output-dir ab clip.mp4 >report 2>progress; then exit 1; else echo "exit $?"; fi
grep -c '(asked for), [0-9.]* % (1.5 x calibrated spread of pairs), ' report
grep -c ' 0.00 % (1.5 x calibrated' report || true
# A damaged entry is told from none, and harms nothing.
for f in "$XDG_STATE_HOME"/vrseg/calibration/*.json; do echo '{' >"$f"; done
vrbench --calibration | sed "s|$XDG_STATE_HOME/|STATE/|"
refuse() {
  if vrbench "$@" 2>err; then exit 1; else code=$?; fi
  echo "exit $code: $(cat err)"
}
refuse --calibrate --versus fast clip.mp4
refuse --calibrate --all clip.mp4
refuse --calibrate --threads 1,2 clip.mp4
refuse --calibrate --resolution 1080p clip.mp4
# A link in place of the folder of the long run is refused, and nothing behind it is replaced.
mv cal/soak mine
ln -s ../mine cal/soak
sha256sum mine/* >before 2>/dev/null || true
code=0
vrbench --resume cal >report 2>err || code=$?
echo "exit $code: $(tail -n 1 err)"
sha256sum mine/* 2>/dev/null | cmp - before
