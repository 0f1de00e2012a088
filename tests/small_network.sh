#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by whatever runs commands for tests: the small network and plain edges, whatever the programs' defaults are.  Their mattes are the same
# figures on every machine, they are in every checkout after the set-up, and cost a tenth.  A test that is about the defaults takes them back:
#   unset $VRS_SMALL_NETWORK
# tests/small_network.h is the same for settings in C.
VRS_SMALL_NETWORK='VRSEG_ENGINE_MODEL VRSEG_MATTE_REFINE'
VRSEG_ENGINE_MODEL=selfie_segmentation
VRSEG_MATTE_REFINE=false
# shellcheck disable=SC2086
export VRS_SMALL_NETWORK $VRS_SMALL_NETWORK
