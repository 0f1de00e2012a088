#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Include direction: each layer includes only what its row allows.  An edge that is not listed is a finding with its file and line.
#   includes.sh SOURCE_DIR [BUILD_DIR]
set -eu
cd "$1"

# LAYER (folder, or a file with a row of its own)   allowed: folder/ file.h @library
# Headers of the C library and the kernel are allowed everywhere, and so are headers of the own folder.
edges='
engine/include/vrseg   vrseg/
engine/base            vrseg/status.h vrseg/status_list.h vrseg/exit_codes.h vrseg/log.h vrseg/frame.h vrseg/options.h
engine/base/hash.c     base/ @nettle
engine/base/file.c     base/ vrseg/status.h vrseg/status_list.h vrseg/exit_codes.h vrseg/log.h vrseg/frame.h vrseg/options.h @nettle
engine/base/syscall_filter.c base/ vrseg/status.h @seccomp
engine/base/json.h     vrseg/status.h @cjson
engine/machine         base/ vrseg/system_settings.h vrseg/machine.h vrseg/options.h vrseg/peaks.h vrseg/noise.h vrseg/perf_events.h vrseg/status.h vrseg/log.h @hwloc @pci @opencl @cjson
engine/kernels         base/ machine/cpu_features.h vrseg/frame.h vrseg/status.h vrseg/log.h
engine/graph           base/ vrseg/ @protobuf
engine/backend        graph/ kernels/ machine/ base/ vrseg/
engine/backend/cpu/plan graph/ kernels/ base/ vrseg/
engine/backend/cpu/exec backend/cpu/plan/ backend/backend.h backend/plan_cache.h backend/step_name.h backend/thread_pool.h graph/ kernels/ machine/ base/ vrseg/
engine/opencl          backend/backend.h backend/frame_device.h backend/plan_cache.h backend/quant_graph.h backend/step_name.h graph/ kernels/weight_scale_u8.h base/ vrseg/ @opencl @hwloc
engine/session         backend/backend.h backend/frame_device.h graph/ machine/cpu_features.h base/ vrseg/
engine/session/calibrate.c session/ backend/ graph/ base/ vrseg/
engine/session/backend_list.c session/ backend/backend.h backend/frame_device.h opencl/backend_opencl.h base/ vrseg/
engine/video           base/ vrseg/libraries.h vrseg/frame.h vrseg/options.h vrseg/layout.h vrseg/status.h vrseg/log.h @ffmpeg
engine/vr              base/ kernels/picture.h kernels/kernels.h vrseg/frame.h vrseg/layout.h vrseg/status.h vrseg/log.h
engine/matte           base/ kernels/picture.h kernels/kernels.h vrseg/frame.h vrseg/quality.h vrseg/status.h vrseg/log.h @zstd
engine/config          base/ vrseg/ @libfyaml
engine/flow            base/ vrseg/
engine/job             video/ vr/ matte/ base/ vrseg/
engine/measure         job/ video/ vr/ matte/ base/ vrseg/
engine/roi             flow/ job/ video/ vr/ matte/ base/ vrseg/
engine/compose         flow/ video/ vr/ matte/ session/frame_devices.h backend/frame_device.h backend/plan_cache.h base/ vrseg/
engine/pipeline        roi/ compose/ job/ flow/ video/ vr/ matte/ base/ vrseg/
engine/segments        pipeline/ job/ flow/ video/ base/ vrseg/
engine/monitor         base/ vrseg/
engine/monitor/metrics_port.c base/ vrseg/ monitor/metrics_port.h @microhttpd
engine/modes           base/ vrseg/
engine/modes/command_line.c base/ vrseg/ @libedit
engine/vrseg.c         base/ vrseg/ modes/program.h
bench/stats            base/ vrseg/status.h
bench/stats/stats.c    base/ vrseg/status.h @gsl
bench/record           base/ vrseg/ bench/stats/
bench/plan             base/ vrseg/ bench/record/
analyzer/figures       base/ vrseg/ bench/record/ bench/stats/
bench/judge            base/ vrseg/ analyzer/figures/ bench/plan/ bench/record/ bench/stats/
bench/run              base/ vrseg/ analyzer/figures/ bench/judge/ bench/plan/ bench/record/ bench/stats/
tuner                  base/ vrseg/exit_codes.h vrseg/options.h vrseg/config.h vrseg/status.h vrseg/log.h vrseg/machine.h bench/plan/bench_input.h bench/plan/case.h bench/run/runner.h bench/record/result.h bench/stats/stats.h bench/judge/verdict.h bench/judge/holm_family.h bench/judge/bottleneck.h analyzer/figures/figures.h vrseg/pipeline.h vrseg/network_run.h
analyzer               base/ vrseg/ analyzer/figures/ bench/record/result.h bench/stats/stats.h bench/judge/verdict.h bench/judge/bottleneck.h
analyzer/dataset.c     base/ vrseg/ bench/record/result.h bench/judge/comparison.h
analyzer/compare.h     base/ vrseg/ analyzer/findings.h bench/record/result.h bench/judge/between.h
analyzer/compare_command.c base/ vrseg/ analyzer/compare.h bench/plan/case.h
analyzer/technique_tables.h base/ vrseg/ bench/judge/technique_verdict.h analyzer/findings.h
analyzer/technique_tables.c base/ vrseg/ bench/record/result.h bench/judge/technique_verdict.h bench/judge/verdict.h
analyzer/scaling_fit.c base/ vrseg/ @gsl
analyzer/latency_graphs.c base/ vrseg/ bench/record/result.h bench/stats/stats.h bench/record/frames_file.h
analyzer/run_graphs.c  base/ vrseg/ bench/record/result.h bench/stats/stats.h bench/record/frames_file.h bench/run/run_samples.h
analyzer/against_default.c base/ vrseg/ bench/record/result.h bench/judge/holm_family.h
analyzer/best_table.c  base/ vrseg/ bench/record/result.h bench/judge/recommend.h
analyzer/operator_tables.h base/ vrseg/ analyzer/findings.h bench/record/net_profile.h
analyzer/soak_parts.c  base/ vrseg/ bench/record/result.h bench/record/frames_file.h
analyzer/checklist.c   base/ vrseg/ bench/record/result.h bench/judge/soak.h bench/judge/verdict.h
analyzer/run_graphs.h  base/ vrseg/ analyzer/findings.h bench/record/result.h bench/judge/soak.h
analyzer/night_tables.h base/ vrseg/ analyzer/findings.h bench/judge/night_watch.h
analyzer/night_tables.c base/ vrseg/ analyzer/summary_parts.h bench/judge/night_figures.h
tuner/tune_findings.h  base/ vrseg/ analyzer/findings.h
tuner/search_replay.h  base/ vrseg/ analyzer/findings.h
tuner/advice_trial.h   base/ vrseg/ analyzer/findings.h bench/plan/case.h
tuner/advice_trial.c   base/ vrseg/ bench/judge/bottleneck.h bench/judge/holm_family.h
tuner/gain_model.c     base/ vrseg/ @gsl
tuner/limit_bounds.c   base/ vrseg/ @gsl
tuner/strategy_surrogate.c base/ vrseg/ @gsl
tuner/pick.c           base/ vrseg/ bench/record/result.h analyzer/figures/front.h analyzer/dataset.h
tuner/recorded_sweep.c base/ vrseg/ bench/record/result.h bench/judge/verdict.h analyzer/figures/case_summary.h analyzer/dataset.h
tuner/search_phase.c   base/ vrseg/ analyzer/figures/case_summary.h
reports                base/ vrseg/status.h vrseg/log.h analyzer/findings.h
reports/night_files.h  base/ vrseg/flags.h analyzer/findings.h bench/judge/night_watch.h
reports/night_files.c  base/ vrseg/exit_codes.h analyzer/night_tables.h
bench/modes            base/ vrseg/ bench/ analyzer/figures/ reports/report.h analyzer/findings.h analyzer/run_graphs.h analyzer/operator_tables.h analyzer/summary.h analyzer/technique_tables.h analyzer/night_tables.h reports/night_files.h
bench/vrbench.c        base/ vrseg/ bench/modes/ bench/run/
tuner/size_table.h     base/ vrseg/ analyzer/findings.h
tuner/size_table.c     base/ vrseg/ analyzer/summary_parts.h
tuner/modes            base/ vrseg/ bench/ tuner/ analyzer/dataset.h analyzer/summary_parts.h reports/report.h
tuner/vrtune.c         base/ vrseg/ bench/run/ tuner/modes/
analyzer/modes         base/ vrseg/ analyzer/ analyzer/figures/ bench/record/ bench/stats/ bench/judge/ bench/plan/case.h reports/report.h reports/night_files.h
analyzer/vranalyze.c   base/ vrseg/ analyzer/modes/
analyzer/vranalyze_matte.c base/ vrseg/ analyzer/modes/ analyzer/matte_tables.h analyzer/findings.h
'

find engine bench tuner analyzer reports -name '*.[ch]' | sort | EDGES=$edges xargs awk '
  BEGIN {
    rows = split(ENVIRON["EDGES"], row, "\n")
    for (i = 1; i <= rows; i++) {
      n = split(row[i], word, " ")
      if (n == 0) continue
      known[word[1]] = 1
      for (k = 2; k <= n; k++) allowed[word[1], k] = word[k]
      words[word[1]] = n
    }
  }
  # The library that a header belongs to; "" for the C library, the kernel and compiler headers; "?" for a library not named here.
  function library(h) {
    if (h ~ /^cjson\//) return "@cjson"
    if (h ~ /^hwloc(\.h|\/)/) return "@hwloc"
    if (h ~ /^pci\//) return "@pci"
    if (h ~ /^CL\//) return "@opencl"
    if (h ~ /^lib(av[a-z]*|sw[a-z]*|postproc)\//) return "@ffmpeg"
    if (h ~ /^libfyaml\.h$/) return "@libfyaml"
    if (h == "zstd.h") return "@zstd"
    if (h == "seccomp.h") return "@seccomp"
    if (h ~ /^nettle\//) return "@nettle"
    if (h == "microhttpd.h") return "@microhttpd"
    if (h ~ /^histedit\.h$/) return "@libedit"
    if (h ~ /^gsl\//) return "@gsl"
    if (h ~ /^protobuf-c\// || h ~ /\.pb-c\.h$/) return "@protobuf"
    if (h ~ /^(sys|linux|asm|netinet|arpa)\// || h ~ /^[a-z0-9_]+\.h$/) return ""
    return "?"
  }
  function layer_of(file,   folder) {
    if (file in known) return file
    folder = file
    sub(/\/[^\/]*$/, "", folder)
    return folder
  }
  function is_allowed(layer, h,   k, a) {
    for (k = 2; k <= words[layer]; k++) {
      a = allowed[layer, k]
      if (a == h || (a ~ /\/$/ && index(h, a) == 1)) return 1
    }
    return 0
  }
  function complain(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    bad = 1
  }
  FNR == 1 {
    layer = layer_of(FILENAME)
    own = FILENAME
    sub(/\/[^\/]*$/, "/", own)
    sub(/^engine\/(include\/)?/, "", own)
    if (!(layer in known)) complain("no row in tests/lint/includes.sh for the folder of this file")
  }
  /^[ \t]*#[ \t]*include/ {
    if (!match($0, /[<"][^>"]*[>"]/)) next
    quote = substr($0, RSTART, 1)
    h = substr($0, RSTART + 1, RLENGTH - 2)
    if (h ~ /\.\.\//) { complain("include of \"" h "\": no way up; name it from the source root"); next }
    if (h == "vrs_version.h") next
    if (quote == "<" && h !~ /^vrseg\//) {
      lib = library(h)
      if (lib == "?") complain("include of <" h ">: not a library of this project; system headers only in angle brackets")
      else if (lib != "" && !is_allowed(layer, lib)) complain("unexpected edge: " layer " -> library " substr(lib, 2) " (" h ")")
      next
    }
    if (h !~ /\//) { complain("include of \"" h "\": name it from the source root, like \"" own h "\""); next }
    if (index(h, own) == 1 || is_allowed(layer, h)) next
    complain("unexpected edge: " layer " -> " h)
  }
  END { exit bad }'
