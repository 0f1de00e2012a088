#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each header compiles alone, and its guard is VRS_..._H or VRSEG_..._H.  Templates that are meant to be included with parameters
# (*_template.h) and X-macro lists (*_list.h under include/vrseg that define nothing) are left out.
#   headers.sh SOURCE_DIR BUILD_DIR
set -eu
cd "$1"
build=$2

cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt" 2>/dev/null || true)
[ -n "$cc" ] || cc=cc
scratch=$(mktemp -d "${TMPDIR:-/tmp}/vrs-headers-XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# The compile flags of the libraries' headers come from pkg-config, like in cmake/libraries.cmake.
flags=$(pkg-config --cflags libcjson hwloc libpci OpenCL gsl libfyaml libavformat libavcodec libswscale libavutil)
: >"$scratch/failed"
: >"$scratch/list"

for header in $(find engine bench tuner analyzer reports -name '*.h' | sort); do
  case $header in
    */status_list.h | *_template.h | *_lanes.h) continue ;;
  esac
  name=${header##*/}
  case $header in
    engine/include/*) include="<${header#engine/include/}>" ;;
    engine/*) include="\"${header#engine/}\"" ;;
    *) include="\"$header\"" ;;
  esac
  # Twice: a guard that is missing or shared shows as a redefinition.
  printf '#include %s\n#include %s\ntypedef int vrs_not_empty;\n' "$include" "$include" >"$scratch/${header##*/}.$(echo "$header" | tr / _).c"
  if ! grep -Eq "^#ifndef VRS(EG)?_[A-Z0-9_]*$(echo "${name%.h}" | tr 'a-z.-' 'A-Z__')_H$" "$header"; then
    echo "$header:1: the include guard is not VRS_..._$(echo "${name%.h}" | tr 'a-z.-' 'A-Z__')_H"
    echo "$header" >>"$scratch/failed"
  fi
done

# One compiler call: syntax only, all files; messages name the header.
# shellcheck disable=SC2086
if ! "$cc" -std=c11 -D_GNU_SOURCE -fsyntax-only -Wall -Wextra -Werror -mavx2 -mfma -mf16c -Iengine/include -Iengine -I. -I"$build/generated" \
  $flags "$scratch"/*.c 2>"$scratch/messages"; then
  grep -E 'error|warning' "$scratch/messages" | sed "s|$PWD/||g"
  echo x >>"$scratch/failed"
fi
[ ! -s "$scratch/failed" ]
