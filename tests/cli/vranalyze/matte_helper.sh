#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: vranalyze finds the program that measures mattes beside itself wherever it is installed, also through a link; help, usage and the manual
# page need none; one that is missing is one sentence.
ln -s "$VRS_DATA" DATA
mkdir -p prefix/bin prefix/libexec/vrseg links
cp "$VRS_BIN/../bin/vranalyze" prefix/bin
cp "$VRS_BIN/../libexec/vrseg/vranalyze-matte" prefix/libexec/vrseg
ln -s ../prefix/bin/vranalyze links/vranalyze
links/vranalyze matte DATA/person_flat_alpha.mkv --max-frames 3 | sed -n 2p
rm prefix/libexec/vrseg/vranalyze-matte
prefix/bin/vranalyze matte --help | sed -n 1p
code=0
prefix/bin/vranalyze matte DATA/person_flat_alpha.mkv 2>err || code=$?
sed "s|$(pwd -P)|HERE|" err
echo "exit $code"
