#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: --input-size auto is what the network's manifest has for VR or for flat pictures, normal or large, also for calibrations; a size that is
# given stays; a network of one size keeps it.
cp "$VRS_CASE_DIR/replaced_files.onnx" net.onnx
printf '\0\0\0\077\0\0\0\077\0\0\0\277' >w.bin
manifest() { # NAME INPUT_KEYS
  printf 'name: %s\nlicence: none\nsource: test\nfile: net.onnx\ninput: {size: [64, 36]%s}\noutput: {kind: probability}\n' "$1" "$2" >"$1.yaml"
}
manifest own ', size_multiple: 4, vr_size: [[40, 72], [56, 96]], flat_size: [[80, 48], [96, 56]]'
manifest one ''
manifest odd ', size_multiple: 4, vr_size: [[41, 72], [56, 96]]'
size() { # INPUT OPTION...
  vrseg "$@" -o null: -n 1 --layout auto --log-level info --progress none 2>&1 >/dev/null | sed -n 's/^.*: network \([a-z]* at [0-9x]*\) .*/\1/p'
}
vr=$VRS_DATA/person_vr180_sbs.mp4 flat=$VRS_DATA/person_flat.mp4
size "$vr" -m own.yaml
size "$vr" -m own.yaml --auto-size large
size "$flat" -m own.yaml
size "$flat" -m own.yaml --auto-size large
size "$flat" -m own.yaml --layout sbs --projection hequirect
size synth:256x128,mono,equirect,frames=1 -m own.yaml
size "$vr" -m own.yaml --input-size 64x36
size "$vr" -m one.yaml --auto-size large
vrseg "$vr" -m odd.yaml -o null: --progress none 2>&1 || echo "exit $?"
vrseg "$vr" -m own.yaml -o null: --auto-size large --input-size 64x36 2>&1 || echo "exit $?"
vrseg --calibrate "$vr" -m own.yaml 2>&1 | sed -n 's/.*\(40x72\).*/\1/p' | head -n 1
