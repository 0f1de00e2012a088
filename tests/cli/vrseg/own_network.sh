#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: networks with every kind of head run by their manifests; a state makes frames depend on those before, in order,
# at any batch size; what cannot go together is said.
clip=$VRS_DATA/person_vr180_sbs.mp4
for net in softmax2 recurrent matting prototypes; do
  vrseg "$clip" -m example_$net -o hash:$net.txt --output-mode matte --max-frames 3 --log-level error >/dev/null &&
    echo "$net: $(wc -l <$net.txt) frames"
done
# The same mattes, eye by eye or both at once.
vrseg "$clip" -m example_recurrent -o hash:single.txt --output-mode matte --max-frames 3 --batch-size 1 --log-level error >/dev/null
cmp recurrent.txt single.txt && echo same
# Sizes that the file leaves open; a manifest that explains too little.
vrseg "$clip" -m example_matting -o hash:large.txt --output-mode matte --max-frames 2 --input-size 332x188 --log-level error >/dev/null
echo "large: $(wc -l <large.txt) frames"
models=$VRS_SOURCE_DIR/configs/models
sed '/constants/d' "$models/example_matting.yaml" >manifest.yaml
cp "$models/example_matting.onnx" .
vrseg "$clip" -m manifest.yaml -o null: --log-level error || echo "exit $?"
vrseg "$clip" -m example_matting.onnx -o null: --log-level error || echo "exit $?"
vrseg "$clip" -m example_recurrent -o null: --streams 2 --log-level error || echo "exit $?"
vrseg "$clip" -m example_recurrent -o null: --batch-size 32 --log-level error || echo "exit $?"
vrseg "$clip" -m example_softmax2 -o null: --input-size 100x100 --log-level error || echo "exit $?"
