#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: each recipe that comes with vrtune is a search that can begin; a recipe is the same as its flags typed; what it sets cannot be given
# besides, by its letter neither; mistakes in one are named with their place.
cp "$VRS_DATA/person_flat.mp4" a.mp4
for recipe in "$VRS_SOURCE_DIR"/configs/recipes/*.yaml; do
  name=$(basename "$recipe" .yaml)
  vrtune --auto-optimize --recipe "$name" --dry-run a.mp4 >plan 2>said; cat said
  echo "$name: $(grep -c '^ *final ' plan) $(vrtune --help | tr '\n' ' ' | tr -s ' ' | grep -c "recipe: .*$name")"
done
vrtune --auto-optimize --recipe=smoke --log-level error --dry-run a.mp4 >by_recipe
vrtune --auto-optimize --quick --only "preset threads" --budget 30s --dry-run a.mp4 >by_flags
cmp by_recipe by_flags
check() {
  code=0
  vrtune "$@" 2>err || code=$?
  sed "s,$VRS_SOURCE_DIR/,," err
  echo "exit $code: $*"
}
check --auto-optimize --recipe nosuch a.mp4
check --auto-optimize --recipe smoke --budget 3m a.mp4
check --auto-optimize --recipe laptop-battery -t 2 a.mp4
check --recipe smoke --detect-bottlenecks a.mp4
echo 'tempo: 3' >my.yaml
check --auto-optimize --recipe my.yaml a.mp4
echo 'recipe: my.yaml' >my.yaml
check --auto-optimize --recipe my.yaml a.mp4
echo 'quick: 3' >my.yaml
check --auto-optimize --recipe my.yaml a.mp4
echo 'budget: [3m, 5m]' >my.yaml
check --auto-optimize --recipe my.yaml a.mp4
printf 'quick: false\nfollow: false\nonly: preset\n' >my.yaml
check --auto-optimize --recipe my.yaml --dry-run a.mp4 | grep -oE '^ *output.preset|exit.*'
