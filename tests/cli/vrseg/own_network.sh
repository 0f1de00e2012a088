#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: networks with every kind of head run by their manifests; a state makes frames depend on those before, in order,
# at any batch size; what cannot go together is said.
clip=$VRS_DATA/person_vr180_sbs.mp4
for net in softmax2 recurrent prototypes; do
  vrseg "$clip" -m example_$net -o hash:$net.txt --output-mode matte --max-frames 3 --log-level error >/dev/null &&
    echo "$net: $(wc -l <$net.txt) frames"
done
# The same mattes, eye by eye or both at once.
vrseg "$clip" -m example_recurrent -o hash:single.txt --output-mode matte --max-frames 3 --batch-size 1 --log-level error >/dev/null
cmp recurrent.txt single.txt && echo same
vrseg "$clip" -m example_recurrent -o null: --streams 2 --log-level error || echo "exit $?"
vrseg "$clip" -m example_recurrent -o null: --batch-size 4 --log-level error || echo "exit $?"
vrseg "$clip" -m example_softmax2 -o null: --input-size 100x100 --log-level error || echo "exit $?"
