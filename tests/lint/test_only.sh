#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What only tests use is no product code: every global symbol of the static libraries is used by another object of the libraries or by a program.
# What its own file alone uses is made static; what nobody uses goes, and its tests with it.  The list holds those that tests need, by their
# reason.
#   test_only.sh SOURCE_DIR BUILD_DIR
set -eu
names=$(sed -n 's/^vrs_library(\([a-z_]*\) .*/libvrs_\1.a/p' "$1/CMakeLists.txt")
cd "$2"

programs=
for name in vrseg vrbench vrtune vranalyze vranalyze-matte; do
  programs="$programs $(find "CMakeFiles/$name.dir" -name '*.o' 2>/dev/null)"
done
# shellcheck disable=SC2086
if ! ls $names >/dev/null 2>&1 || [ -z "${programs## }" ]; then
  echo "no libraries in $(basename "$PWD"): build first"
  exit 77
fi

wanted='
    failures on purpose, random pictures: vrs_mem_fail_after vrs_mem_fault_fired vrs_rng_next
    files of strangers, from memory: vrs_plan_cache_parse vrs_ocl_program_cache_parse vrs_result_parse vrs_checkpoint_parse
    vrs_npy_parse vrs_mp4_boxes_walk vrs_model_load_memory vrs_technique_list_parse
    a device that fails at will, parts of a run that only devices need: vrs_session_create_on vrs_session_carry
    networks and plans without a file: vrs_model_from_graph vrs_cpu_plan_init vrs_graph_set_dims
    graph passes one by one, every operator: vrs_pass_count vrs_passes_run_some vrs_layout_cost vrs_onnx_op_tables
    kernels of an instruction set: vrs_picture_kernels_init
    other machines: vrs_cpu_features_decode vrs_nvml_sensors vrs_perf_reason vrs_perf_scale vrs_places_set vrs_places_count
    formulas against published values: vrs_hdr_curve_color vrs_bt2020_from_bt709 vrs_hdr_code vrs_tonemap_color vrs_tonemap_eetf
    vrs_detector_grid_channels
    pixel formats that no file here has: vrs_av_format_direct
    records made by hand, entries by name: vrs_rule_word_known vrs_technique_metric vrs_profile_overhead
    vrs_net_profile_sum_device vrs_ocl_times_add_span
    frames on a device, which tests/opencl/frame_rate.c measures: vrs_ocl_staging_get vrs_ocl_scale_create vrs_ocl_scale_destroy
    vrs_ocl_frame_scale vrs_ocl_compose_create vrs_ocl_compose_destroy vrs_ocl_frame_compose vrs_ocl_frame_matte
    parts that are tested alone, by their files: vrs_front_dominates vrs_model_load vrs_alpha_unpack_place vrs_person_at_edge
    vrs_accepts_openmetrics vrs_divergence_at vrs_html_script vrs_html_script_hash vrs_template_match
    vrs_tune_nearest
'

# Used by assertions, which a release build leaves out.
asserted='vrs_assert_fail vrs_sequencer_is_at'

found=$(mktemp)
trap 'rm -f "$found"' EXIT
code=0
# shellcheck disable=SC2086
nm -A $names $programs 2>/dev/null | WANTED=$wanted ASSERTED=$asserted awk '
  BEGIN {
    n = split(ENVIRON["WANTED"], word, /[ \n]+/)
    for (i = 1; i <= n; i++) if (word[i] ~ /^vrs_/) wanted[word[i]] = 1
    n = split(ENVIRON["ASSERTED"], word, / /)
    for (i = 1; i <= n; i++) asserted[word[i]] = 1
  }
  # libvrs_base.a:mem.c.o:0000000000000000 T vrs_alloc      libvrs_base.a:mem.c.o:                 U malloc
  $NF !~ /^vrs_/ { next }
  $(NF - 1) == "U" { used[$NF] = 1; next }
  $(NF - 1) ~ /^[TDBRCVW]$/ { split($1, part, ":"); defined[$NF] = part[1] ": " part[2] }
  END {
    for (symbol in defined) {
      if (!(symbol in used) && !(symbol in wanted) && !(symbol in asserted)) {
        print defined[symbol] ": nothing but its own file and tests uses " symbol
        bad = 1
      }
    }
    for (symbol in wanted) {
      if (!(symbol in defined) || symbol in used) {
        print "tests/lint/test_only.sh: " symbol " needs no exception: remove it from the list"
        bad = 1
      }
    }
    exit bad
  }' >"$found" || code=1
sort "$found"
exit $code
