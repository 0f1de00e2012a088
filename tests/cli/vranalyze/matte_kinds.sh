#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: mattes, packs and cutouts are told apart, whatever their names are; --kind goes before that; what holds no matte, is damaged, has another
# size or ends too early is one sentence and an exit code; the contact sheet is a picture.
ln -s "$VRS_DATA" DATA # names of one length, wherever the source lies: reports fold their lines
run() {
  code=0
  vranalyze matte "$@" --max-frames 3 >out 2>err || code=$?
  grep -v '^vranalyze: encoder' err || true
  [ $code -eq 0 ] && sed -n 2p out || echo "exit $code"
}
make() {
  vrseg DATA/person_vr180_sbs.mp4 --max-frames 3 --log-level error --progress none "$@" >/dev/null
}
make --output-mode matte --encoder ffv1 -o plain.mkv
make --output-mode alpha -o FISHEYE180_alpha.mp4
make --output-mode cutout -o cut.mov
cp FISHEYE180_alpha.mp4 untagged.mp4
cp plain.mkv is_180_LR_alpha.mkv
for file in plain.mkv FISHEYE180_alpha.mp4 untagged.mp4 cut.mov is_180_LR_alpha.mkv; do run $file; done
run plain.mkv --source DATA/person_vr180_sbs.mp4
run plain.mkv --layout mono --projection equirect
run untagged.mp4 --kind matte
echo "-- wrong"
run DATA/person_flat.mp4
run plain.mkv --kind cutout
run DATA/person_flat.mp4 --kind pack
run nothing.mkv
head -c 3000 plain.mkv >short.mkv
printf '\377\377\377\377\377\377\377' | dd of=short.mkv bs=1 seek=45 conv=notrunc 2>/dev/null # its size is not known
run short.mkv
echo text >text.mkv
run text.mkv
run plain.mkv --truth DATA/person_flat_alpha.mkv
run plain.mkv --source DATA/person_flat.mp4
ffmpeg -v error -i DATA/person_vr180_sbs_alpha.mkv -frames:v 1 -c copy one.mkv
run plain.mkv --truth one.mkv
run plain.mkv --projection cube
run plain.mkv --sheet sheet.jpg
run plain.mkv --sheet plain.mkv
run plain.mkv --max-frames 0
vranalyze matte 2>&1 || echo "exit $?"
echo "-- sheet"
run DATA/person_vr180_sbs_alpha.mkv --source DATA/person_vr180_sbs.mp4 --output-dir folder --sheet sheet.png
ls folder
ffprobe -v error -show_entries stream=codec_name,width,height -of csv=p=0 sheet.png
sed -n '/^Contact sheet/,/^$/p' out
