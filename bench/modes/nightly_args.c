/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/modes/night_mode.h"

#define ARGS struct vrs_nightly_args
#define HISTORY "History"
#define WHAT "What to measure"
#define HOW "How to measure"

static const struct vrs_cli_action actions[] = {
	{.flag = "history", VRS_TEXT_FIELD(ARGS, history), .brief = "folder of the history", .value_name = "DIR", .group = HISTORY,
	 .help = "Append the night to the history in this folder, which is made where it is missing"},
	{.flag = "baseline", VRS_TEXT_FIELD(ARGS, bench.versus), .file = VRS_FILE_READ, .brief = "vrbench of the accepted build", .value_name = "VRBENCH",
	 .group = HISTORY,
	 .help = "Compare with this program, the vrbench (or build folder) of the accepted baseline; one whose SHA-256 is another is refused"},
	{.flag = "require-baseline", VRS_SWITCH_FIELD(ARGS, require_baseline), .group = HISTORY,
	 .help = "Measure nothing and end with 13 where no baseline is accepted and given"},
	{.flag = "sweep", VRS_TEXT_FIELD(ARGS, bench.sweep), .file = VRS_FILE_READ, .value_name = "NAME", .group = WHAT,
	 .help = "Read the cases from configs/sweeps/NAME.yaml, or from a file (nightly)"},
	{.flag = "filter", VRS_TEXT_FIELD(ARGS, bench.filter), .value_name = "REGEX", .group = WHAT, .help = "Keep only cases whose id matches"},
	{.flag = "skip", VRS_TEXT_FIELD(ARGS, bench.skip), .value_name = "REGEX", .group = WHAT, .help = "Leave out cases whose id matches"},
	{.flag = "budget", VRS_TIME_FIELD(ARGS, bench.budget), .brief = "end the night after TIME", .value_name = "TIME", .group = HOW,
	 .help = "Stop measuring after TIME: two thirds for the first invocation, the rest for the second"},
	{.flag = "runs", VRS_INT_FIELD(ARGS, bench.runs), .min = 1, .max = 400, .value_name = "N", .group = HOW,
	 .help = "Run each case N times (as many as find a slowdown of 5 % in 95 of 100 nights)"},
	{.flag = "duration", VRS_TIME_FIELD(ARGS, bench.duration), .value_name = "TIME", .group = HOW, .help = "Measure each run for this long (5s)"},
	{.flag = "warmup", VRS_TIME_FIELD(ARGS, bench.warmup), .value_name = "TIME", .group = HOW, .help = "Limit the warm-up of a run (60s)"},
	{.flag = "min-frames", VRS_INT_FIELD(ARGS, bench.min_frames), .min = 1, .max = 1000000, .value_name = "N", .group = HOW,
	 .help = "Measure at least N frames, within three times the duration (60)"},
	{.flag = "timeout", VRS_TIME_FIELD(ARGS, bench.timeout), .value_name = "TIME", .group = HOW,
	 .help = "Kill a run after TIME (default: from duration and warm-up)"},
	{.flag = "memory-limit", VRS_BYTES_FIELD(ARGS, bench.memory_limit), .value_name = "BYTES", .group = HOW,
	 .help = "Skip cases that need more memory, and do not let a run map more (90 % of what is free)"},
	{.flag = "pin", VRS_TEXT_FIELD(ARGS, bench.pin), .value_name = "CPUS", .group = HOW,
	 .help = "Keep all processes on these processors: cores (one of each core), node:N, or a list such as 0-3,8"},
	{.flag = "gates", VRS_CHOICE_FIELD(ARGS, bench.gates), .choices = "off mark retry", .value_name = "MODE", .group = HOW,
	 .help = "Choose what happens to disturbed runs: retry excludes and repeats them, mark only excludes them, off keeps them (retry)"},
	{.flag = "margin", VRS_PERCENT_FIELD(ARGS, bench.margin), .min = 0.01, .max = 60, .value_name = "PERCENT", .group = HOW,
	 .help = "Treat smaller changes as equivalent (2 %; more on a noisy machine)"},
	{.flag = "inject-slowdown", VRS_PERCENT_FIELD(ARGS, bench.slowdown), .min = 0.01, .max = 900, .value_name = "PERCENT", .group = HOW,
	 .help = "Slow this build down on purpose, to prove that the gate can fail; the night says so and is no part of any series"},
	VRS_NIGHT_FILES_FLAGS(ARGS),
	{.flag = NULL},
};

static const struct vrs_rule rules[] = {
	{NULL, VRS_NEEDS, "--history", "vrbench nightly wants a folder for the history: --history DIR"},
	{"--inject-slowdown", VRS_NEEDS, "--baseline", "it slows one side of a comparison"},
	{.others = NULL},
};

const struct vrs_cli_spec vrs_nightly_cli_spec = {
	.program = "vrbench nightly",
	.summary = "find slower builds and worse mattes, night after night",
	.program_bit = VRS_PROGRAM_VRBENCH,
	.usage = "vrbench nightly --history DIR [--baseline VRBENCH] [--budget TIME] VIDEO...",
	.intro = "Measure the accepted baseline against this build on every VIDEO and in every case of configs/sweeps/nightly.yaml, in interleaved rounds; "
		 "confirm what seems slower by a second invocation; append the night to the history, judge it, and end with the verdict. The first night records, "
		 "and its program becomes the baseline; vranalyze accept makes another build the baseline. docs/nightly.md says how to set it up.",
	.actions = actions,
	.rules = rules,
	.examples = "  vrbench nightly --history nights video.mp4\n"
		    "  vrbench nightly --history nights --baseline good/bin/vrbench --budget 2h video.mp4\n"
		    "  vranalyze nightly --history nights\n",
	.min_operands = 1,
	.max_operands = -1,
};
