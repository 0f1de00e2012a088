#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: --run-network on arrays: open sizes and factors of sizes come from the arrays; every precision, thread count, backend and instruction set
# gives the same numbers within its rounding; Fortran order is read as what it means; each mistake is one sentence, and nothing is written.
model=$VRS_SOURCE_DIR/configs/models/example_matting.onnx
cp "$VRS_TEST_DIR/files/npy/bad-big-endian.npy" .

# array FILE FORTRAN_ORDER C H W: float32 [1, C, H, W] whose values depend on the place; 0.5 to 1, or zeros where C is 1.
array() {
  awk -v f="$2" -v c="$3" -v h="$4" -v w="$5" '
    function put(i, j, k) { if (c == 1) printf "%c%c%c%c", 0, 0, 0, 0; else printf "%c%c%c%c", 0, 0, (i * 37 + j * 11 + k * 5) % 128, 63 }
    BEGIN {
      head = sprintf("{\047descr\047: \047<f4\047, \047fortran_order\047: %s, \047shape\047: (1, %d, %d, %d), }", f, c, h, w)
      printf "%cNUMPY%c%c%c%c%-117s\n", 147, 1, 0, 118, 0, head
      if (f == "True") { for (k = 0; k < w; k++) for (j = 0; j < h; j++) for (i = 0; i < c; i++) put(i, j, k) }
      else { for (i = 0; i < c; i++) for (j = 0; j < h; j++) for (k = 0; k < w; k++) put(i, j, k) }
    }' >"$1"
}

# vector FILE TYPE BYTES...: one value (bytes in octal).
vector() {
  printf '\223NUMPY\001\000v\000%-117s\n' "{'descr': '$2', 'fortran_order': False, 'shape': (1,), }" >"$1"
  printf "$3" >>"$1"
}

array src.npy False 3 64 96
array fortran.npy True 3 64 96
array zero.npy False 1 1 1
array wide.npy False 3 64 100
vector half.npy '<f4' '\000\000\000\077'
vector half64.npy '<f8' '\000\000\000\000\000\000\340\077'

states="--tensor r1i=zero.npy --tensor r2i=zero.npy --tensor r3i=zero.npy --tensor r4i=zero.npy"
run() { # FOLDER OPTION...
  folder=$1
  shift
  vrseg --run-network "$model" $states --tensor downsample_ratio=half.npy --output-dir "$folder" --log-level error "$@" >"$folder.txt"
}

outputs="fgr pha r1o r2o r3o r4o"
# differ A B: largest difference of all numbers in the arrays of two folders.
differ() {
  for name in $outputs; do
    for folder in "$1" "$2"; do
      od -An -v -tf4 -w4 -j128 "$folder/$name.npy" >"$folder.$name"
    done
    paste "$1.$name" "$2.$name"
  done | awk '{ d = $1 - $2; if (d < 0) d = -d; if (!(d <= most)) most = d } END { printf "%g\n", most }'
}

# within A B LEAST MOST
within() {
  differ "$1" "$2" | awk -v what="$1 $2" -v least="$3" -v most="$4" '{ print what ": " ($1 >= least && $1 <= most ? "good" : "differ by " $1) }'
}

VRSEG_CPU=ref run plain --tensor src=src.npy --threads 1
cat plain.txt
run ref --tensor src=src.npy --backend ref
run one --tensor src=src.npy --threads 1
run three --tensor src=src.npy --threads 3
run fortran --tensor src=fortran.npy --threads 1
cmp one/pha.npy three/pha.npy && cmp one/r4o.npy three/r4o.npy && cmp one/fgr.npy fortran/fgr.npy && echo same
within plain ref 0 1e-5
within plain one 0 1e-4
if VRSEG_CPU=avx2 run avx2 --tensor src=src.npy 2>avx2.err; then
  within plain avx2 0 1e-4
else
  echo "plain avx2: good" # a CPU without AVX2 refuses the level
  grep -q avx2 avx2.err
fi
run half --tensor src=src.npy --precision fp16
within one half 1e-7 5e-3
run brain --tensor src=src.npy --precision bf16
within one brain 1e-6 5e-2

# 8 bits: the arrays stay in the layout of the model, [1, C, H, W].
array picture.npy False 3 144 256
outputs=logits
vrseg --calibrate "$VRS_DATA/person_flat.mp4" -m example_softmax2 --log-level error >/dev/null
for precision in fp32 int8 mixed; do
  vrseg --run-network example_softmax2 --tensor image=picture.npy --output-dir $precision --precision $precision --log-level error
done
within fp32 int8 1e-3 0.2
within fp32 mixed 1e-4 0.1

# Names of tensors that are no names of files; an input of any length.
vrseg --run-network "$VRS_TEST_DIR/files/onnx/good-names.onnx" --tensor in=x=half.npy --output-dir names --log-level error
od -An -v -tf4 -w4 -j128 names/part_out:0.npy

wrong() {
  code=0
  vrseg --run-network "$model" --log-level error --output-dir wrong "$@" >/dev/null || code=$?
  echo "exit $code" >&2
}
all="--tensor src=src.npy $states --tensor downsample_ratio=half.npy"
wrong $all --tensor nothing=src.npy
wrong $all --tensor src=src.npy
wrong $all --tensor src
wrong $states --tensor src=src.npy
wrong $states --tensor downsample_ratio=half.npy --tensor src=half.npy
wrong $states --tensor downsample_ratio=half64.npy --tensor src=src.npy
wrong $states --tensor downsample_ratio=half.npy --tensor src=bad-big-endian.npy
wrong $states --tensor downsample_ratio=half.npy --tensor src=missing.npy
wrong $states --tensor downsample_ratio=zero.npy --tensor src=src.npy
wrong --tensor r1i=wide.npy --tensor r2i=zero.npy --tensor r3i=zero.npy --tensor r4i=zero.npy --tensor downsample_ratio=half.npy --tensor src=src.npy
wrong $all --backend nosuch
wrong $all --precision int8
VRSEG_CPU=nosuch wrong $all 2>&1 | cut -c1-40 >&2
run one --tensor src=src.npy || echo "exit $?" >&2
model=$VRS_TEST_DIR/files/onnx/bad-names.onnx
wrong --tensor in=x=half.npy
test ! -e wrong
