#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a name with escape sequences or line breaks reaches a terminal as text, in results, tables and messages, and the file keeps its name.
name=$(printf 'red\033[31m\nvrseg: done\302\233.mp4')
cp "$VRS_DATA/person_flat.mp4" "$name"
check() {
  code=0
  "$@" >stdout 2>stderr || code=$?
  controls=$(cat stdout stderr | LC_ALL=C tr -d '\n -~' | LC_ALL=C tr -cd '\000-\037\177\233' | wc -c)
  echo "exit $code, $controls control characters, $(cat stdout stderr | grep -c '^vrseg: done') forged lines"
}
run() { check vrseg "$@" --max-frames 2 --progress none; }
run "$name" -o out.mp4
run "$name" "$VRS_DATA/person_flat.mp4" --output-dir out
grep -c '^red\\x1b\[31m\\x0avrseg: done\\xc2\\x9b.mp4 .* done ' stdout
run "$name"
check vrseg "$name" --preview 0
run "missing $name" -o x.mp4
grep -c 'missing red\\x1b\[31m\\x0avrseg: done\\xc2\\x9b.mp4' stderr
run "$VRS_DATA/person_flat.mp4" -c "$name"
ls out | cat -v
# Names inside of networks and manifests, and those of the machine.
escape=$(printf '\033')
LC_ALL=C sed "s/downsample_ratio/$escape[2J$escape[31mevil123/g" "$VRS_SOURCE_DIR/configs/models/example_matting.onnx" >net.onnx
check vrseg --describe-network net.onnx
grep -c 'x1b\[2J.x1b\[31mevil123 ' stdout
mkdir -p "$XDG_DATA_HOME/vrseg/models" machine
printf 'name: own\nlicence: "\\e[31mred"\nsource: test\nfile: net.onnx\ninput: {size: [64, 64]}\noutput: {kind: probability}\n' \
  >"$XDG_DATA_HOME/vrseg/models/own$escape[31m.yaml"
check vrseg --list-models
grep -c '^own.x1b\[31m .*x1b\[31mred' stdout
cp -r "$VRS_TEST_DIR/machines/hybrid-laptop/." machine
sed -i "s/^model name.*: /&$escape[31m/" machine/proc/cpuinfo
check env VRSEG_ROOT="$PWD/machine" vrseg --hardware
grep -c 'x1b\[31m' stdout
# The small network and the large one in reports of a job.
models=$VRS_BIN/../../share/vrseg/models
for size in '' _landscape; do
  sed -e 's/^name: .*/name: "net\\e[2J"/' -e "s|^file: |&$models/|" "$VRS_SOURCE_DIR/configs/models/selfie_segmentation$size.yaml" >"net$size.yaml"
done
run "$VRS_DATA/person_flat.mp4" -o null: --model net.yaml --early-exit --early-exit-model net_landscape.yaml --stats --profile-job
grep -c 'net.x1b\[2J' stdout
# Values that options and files set, in YAML that is printed and reads back the same.
printf 'output:\n  file: "\\x9b31mred\\u202eevil\\u2066 \\u00e4"\n' >values.yaml
check vrseg -c values.yaml --dump-config
grep -o '^  file: .*"' stdout
mv stdout again.yaml
check vrseg -c again.yaml --dump-config
grep -c '^  file: "\\x9b31mred\\u202eevil\\u2066 ä"' stdout
printf 'set output.file "\302\233red"\n' >commands
check vrseg --interactive <commands
cat stdout
# The name of a configuration stands in comments of the one that is printed.
config=$(printf 'c\noutput.file: evil.mkv\n#.yaml')
echo 'pipeline: {max_frames: 2}' >"$config"
check vrseg -c "$config" --dump-config
grep -c '^output.file\|^#' stdout || :
