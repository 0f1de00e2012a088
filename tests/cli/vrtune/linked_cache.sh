#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a link in place of the folder of runs in the cache is refused, and nothing behind it is replaced; the cache itself may be a link.
cache=${XDG_CACHE_HOME:-$HOME/.cache}
mkdir -p mine elsewhere "$cache"
echo precious | tee mine/results.json >mine/journal.jsonl
rm -rf "$cache/vrseg"
ln -s "$PWD/elsewhere" "$cache/vrseg"
ln -s ../mine elsewhere/tune
code=0
vrtune --auto-optimize --quick --only threads --max-frames 12 --progress none "$VRS_DATA/person_flat.mp4" >out 2>err || code=$?
echo "exit $code: $(tail -n 1 err | sed "s|$cache|CACHE|")"
ls mine
cat mine/*
