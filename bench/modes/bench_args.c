/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/modes/bench_args.h"

#include "bench/judge/comparison.h"

#define WHAT "What to measure"
#define HOW "How to measure"
#define WHERE "Results"
#define NET "Network alone"
#define VERSUS "A against B"

#define SWITCH(member) VRS_SWITCH_FIELD(struct vrs_bench_args, member)
#define TEXT(member) VRS_TEXT_FIELD(struct vrs_bench_args, member)
#define TEXTS(member) VRS_TEXTS_FIELD(struct vrs_bench_args, member)
#define LIST(member) VRS_LIST_FIELD(struct vrs_bench_args, member)
#define NAMES(member) VRS_NAMES_FIELD(struct vrs_bench_args, member)
#define TIME(member) VRS_TIME_FIELD(struct vrs_bench_args, member)
#define BYTES(member) VRS_BYTES_FIELD(struct vrs_bench_args, member)
#define INT(member, low, high) VRS_INT_FIELD(struct vrs_bench_args, member), .min = (low), .max = (high)
#define PERCENT(member, most) VRS_PERCENT_FIELD(struct vrs_bench_args, member), .min = 0.01, .max = (most)
#define CHOICE(member, words) VRS_CHOICE_FIELD(struct vrs_bench_args, member), .choices = (words)
#define CHOICES(member, words) VRS_CHOICES_FIELD(struct vrs_bench_args, member), .choices = (words)

static const struct vrs_cli_action actions[] = {
	{.flag = "all", SWITCH(all), .brief = "each axis alone, and resolution x precision",
	 .group = WHAT, .help = "Measure each axis alone from the default, and resolution x precision"},
	{.flag = "full", SWITCH(full), .group = WHAT, .help = "Measure every combination of the axes"},
	{.flag = "quick", SWITCH(quick), .brief = "a first answer in a minute or two", .group = WHAT,
	 .help = "Measure a small set with short runs, in a minute or two"},
	{.flag = "resolution-only", SWITCH(only_resolution), .group = WHAT, .help = "Measure only the resolution axis"},
	{.flag = "batch-only", SWITCH(only_batch), .group = WHAT, .help = "Measure only the batch axis"},
	{.flag = "precision-only", SWITCH(only_precision), .group = WHAT, .help = "Measure only the precision axis"},
	{.flag = "threads-only", SWITCH(only_threads), .group = WHAT, .help = "Measure only the threads axis"},
	{.flag = "resolution", LIST(resolution), .brief = "clip sizes: 1080p,4k,vr4k ...", .letter = 'r', .value_name = "LIST", .group = WHAT,
	 .help = "Set clip sizes: WIDTHxHEIGHT, " VRS_SWEEP_SIZES},
	{.flag = "batch-size", LIST(batch), .brief = "network inputs per call: 1,2,4", .letter = 'b', .value_name = "LIST", .group = WHAT,
	 .help = "Set network inputs per call: a,b,c or FIRST-LAST*FACTOR or FIRST:LAST:STEP"},
	{.flag = "precision", LIST(precision), .brief = "fp32,fp16,bf16,int8,mixed", .value_name = "LIST", .group = WHAT,
	 .help = "Set number formats: fp32,fp16,bf16,int8,mixed"},
	{.flag = "threads", LIST(threads), .brief = "CPU threads of one inference: 1,2,4",
	 .letter = 't', .value_name = "LIST", .group = WHAT, .help = "Set CPU threads of one inference"},
	{.flag = "streams", LIST(streams), .value_name = "LIST", .group = WHAT, .help = "Set how many inferences run at the same time"},
	{.flag = "input-size", LIST(input_size), .value_name = "LIST", .group = WHAT, .help = "Set network input sizes: 256x256,512x512"},
	{.flag = "model", NAMES(model), .file = VRS_FILE_READ, .letter = 'm', .value_name = "LIST", .group = WHAT,
	 .help = "Set networks: names from --list-models of vrseg, or paths of network files"},
	{.flag = "backend", NAMES(backend), .value_name = "LIST", .group = WHAT, .help = "Set where the network runs: cpu,opencl,ref,null"},
	{.flag = "device", NAMES(device), .value_name = "LIST", .group = WHAT,
	 .help = "Set the devices of --backend opencl: numbers from --hardware of vrseg, PLATFORM:DEVICE, PCI addresses or names (0,1); 0+1 "
		  "or all: several at the same time"},
	{.flag = "encoder", NAMES(encoder), .value_name = "LIST", .group = WHAT, .help = "Set video encoders by their FFmpeg names: libx264,ffv1"},
	{.flag = "layout", NAMES(layout), .value_name = "LIST", .group = WHAT, .help = "Set the stereo layouts that the clip is read as: mono,sbs,tb"},
	{.flag = "set", TEXTS(set), .brief = "any other option as an axis", .value_name = "KEY=LIST", .group = WHAT,
	 .help = "Use any other option as an axis (output.preset=ultrafast,veryfast)"},
	{.flag = "sweep", TEXT(sweep), .file = VRS_FILE_READ, .value_name = "NAME", .group = WHAT,
	 .help = "Read the axes from configs/sweeps/NAME.yaml, or from a file"},
	{.flag = "techniques", SWITCH(techniques), .brief = "each technique off against on", .group = WHAT,
	 .help = "Measure each technique of configs/sweeps/techniques.yaml (or of --sweep FILE) off against on in shared rounds, with a verdict"},
	{.flag = "filter", TEXT(filter), .value_name = "REGEX", .group = WHAT,
	 .help = "Keep only cases whose id matches, or techniques whose name does"},
	{.flag = "skip", TEXT(skip), .value_name = "REGEX", .group = WHAT, .help = "Leave out cases whose id matches, or techniques whose name does"},
	{.flag = "list", SWITCH(list), .brief = "print the cases and exit", .group = WHAT, .help = "Print the ids of the cases, and exit"},
	{.flag = "dry-run", SWITCH(dry_run), .group = WHAT, .help = "Print cases, runs and estimates of time, disk and memory, and exit"},
	{.flag = "runs", INT(runs, 1, 1000), .brief = "runs of each case", .value_name = "N", .group = HOW,
	 .help = "Run each case N times, once per round (10; 3 with --quick)"},
	{.flag = "duration", TIME(duration), .brief = "measured time of each run",
	 .value_name = "TIME", .group = HOW, .help = "Measure each run for this long (10s; 1.5s with --quick)"},
	{.flag = "soak", TIME(soak), .value_name = "TIME", .group = HOW,
	 .help = "Run one case for this long (24h), and judge memory growth, drift of frame times and throttling"},
	{.flag = "warmup", TIME(warmup), .value_name = "TIME", .group = HOW, .help = "Limit the warm-up of a run (60s; 1s with --quick)"},
	{.flag = "min-frames", INT(min_frames, 1, 1000000), .value_name = "N", .group = HOW,
	 .help = "Measure at least N frames, within three times the duration (60; 10 with --quick)"},
	{.flag = "timeout", TIME(timeout), .value_name = "TIME", .group = HOW, .help = "Kill a run after TIME (default: from duration and warm-up)"},
	{.flag = "memory-limit", BYTES(memory_limit), .value_name = "BYTES", .group = HOW,
	 .help = "Skip cases that need more memory, and do not let a run map more (90 % of what is free)"},
	{.flag = "pin", TEXT(pin), .value_name = "CPUS", .group = HOW,
	 .help = "Keep all processes on these processors: cores (one of each core), node:N, or a list such as 0-3,8; --affinity binds threads"},
	{.flag = "seed", INT(seed, 1, 9007199254740992.0), .value_name = "N", .group = HOW, .help = "Set the seed of the order of runs (1)"},
	{.flag = "scope", LIST(scope), .value_name = "LIST", .group = WHAT,
	 .help = "Choose what to measure: end_to_end: decode to encoded file; pipeline_no_io: raw frames in, nothing encoded; net_only: the "
		 "network alone"},
	{.flag = "mode", LIST(mode), .brief = "offline,live@HZ", .value_name = "LIST", .group = WHAT,
	 .help = "Choose the pace: offline: as fast as possible; live@HZ: paced at HZ frames/s, late frames are dropped (offline,live@72)"},
	{.flag = "budget", TIME(budget), .brief = "stop measuring after TIME", .value_name = "TIME", .group = HOW,
	 .help = "Stop measuring after TIME: the default first, then every case once, then precision; the rest is left out"},
	{.flag = "goal", PERCENT(goal, 60), .value_name = "PERCENT", .group = HOW,
	 .help = "Stop measuring a case once its 95 % interval is within +-PERCENT (1 % without --runs, none with it)"},
	{.flag = "gates", CHOICE(gates, "off mark retry"), .value_name = "MODE", .group = HOW,
	 .help = "Choose what happens to disturbed runs: retry excludes and repeats them, mark only excludes them, off keeps them (retry)"},
	{.flag = "fail-on", CHOICES(fail_on, "regression inconclusive invalid failed"), .value_name = "LIST", .group = HOW,
	 .help = "Choose the outcomes that end with an exit code other than 0: regression,inconclusive,invalid,failed or none"},
	{.flag = "versus", TEXT(versus), .file = VRS_FILE_READ, .brief = "compare with a configuration, build or result",
	 .value_name = "WHAT", .group = VERSUS,
	 .help = "Compare WHAT (A) with this command (B) in shared rounds; WHAT is a configuration file, profile, KEY=VALUE, another build "
		 "or results.json"},
	{.flag = "case", .aliases = "cell", TEXT(case_id), .value_name = "ID", .group = VERSUS,
	 .help = "Take this case of that results.json (default: the recommended one)"},
	{.flag = "margin", PERCENT(margin, 60), .value_name = "PERCENT", .group = VERSUS,
	 .help = "Treat smaller changes as equivalent (2 %; more on a noisy machine)"},
	{.flag = "decide-by", CHOICE(decide_by, VRS_COMPARE_BY_NAMES), .value_name = "WHAT", .group = VERSUS,
	 .help = "Choose what the verdict is about: speed (latency of live video), size of the output, or iou with truth (speed)"},
	{.flag = "explain", SWITCH(explain), .group = VERSUS, .help = "Print every step from the runs to the verdict"},
	{.flag = "calibrate", SWITCH(calibrate), .brief = "measure this machine's own noise once", .group = VERSUS,
	 .help = "Measure and store this machine's noise: the same configuration against itself, and a run of 60,000 frames (or --duration)"},
	{.flag = "calibration", SWITCH(calibration), .group = VERSUS, .help = "Print the stored noise of this machine, and exit"},
	{.flag = "inject-slowdown", PERCENT(slowdown, 900), .value_name = "PERCENT", .group = VERSUS,
	 .help = "Slow B down on purpose, to prove that the gate can fail"},
	{.flag = "output-dir", TEXT(output_dir), .brief = "folder of the result",
	 .letter = 'D', .value_name = "DIR", .group = WHERE,
	 .help = "Write the result to this folder (default: results; for --versus comparison, or the first free of comparison-2 ...)"},
	{.flag = "resume", TEXT(resume), .brief = "continue the measurement in DIR", .value_name = "DIR", .group = WHERE,
	 .help = "Continue the measurement in DIR; a comparison with another build needs that --versus BUILD again"},
	{.flag = "no-graphs", SWITCH(no_graphs), .group = WHERE, .help = "Draw no graphs"},
	{.flag = "dump-config", SWITCH(dump_config), .group = WHERE,
	 .help = "Print the configuration that every case starts from, with the source of each value, and exit"},
	{.flag = "net-only", SWITCH(net_only), .brief = "time the network alone", .group = NET,
	 .help = "Time the network alone, from input tensor to float output"},
	{.flag = "profile-run", SWITCH(profile_run), .group = WHERE,
	 .help = "Profile the job after the runs: Chrome trace, operators, memory over time, and what profiling costs"},
	{.flag = "profile-ops", SWITCH(profile_ops), .group = NET,
	 .help = "Print the time of every operator as a share of what this machine can do; in a sweep after the runs"},
	{.flag = "json", TEXT(json), .file = VRS_FILE_WRITTEN, .value_name = "FILE", .group = NET,
	 .help = "Write the figures of --net-only as one JSON line to FILE (- for standard output)"},
	{.flag = NULL},
};

#define AXES "--all --full --resolution-only --batch-only --precision-only --threads-only --set"
#define SWEEP AXES " --quick --sweep --resolution --mode --list --dry-run"
#define VALUES "--batch-size --precision --threads --streams --input-size"
#define SEVERAL_NAMES "--model=list --backend=list --device=list --encoder=list --layout=list"
#define LISTS "--resolution=list --batch-size=list --precision=list --threads=list --streams=list --input-size=list --scope=list " SEVERAL_NAMES

static const struct vrs_rule rules[] = {
	{"--net-only", VRS_EXCLUDES, SWEEP " --output-dir --resume --filter --skip --scope --runs --budget --timeout --warmup --min-frames "
	 "--memory-limit --seed --no-graphs --profile-run --goal --gates --fail-on --layout --encoder INPUT", "it times the network alone"},
	{"--net-only", VRS_EXCLUDES, LISTS, "it measures one configuration"},
	{"--json", VRS_NEEDS, "--net-only", "a sweep writes results.json by itself"},
	{"--techniques", VRS_EXCLUDES, AXES " --goal --soak --versus --calibrate --calibration --net-only --profile-ops --profile-run",
	 "it measures the pairs of a file"},
	{"--techniques", VRS_EXCLUDES, "--resume", "--resume DIR alone goes on"},
	{"--techniques", VRS_EXCLUDES, "--mode", "each technique of the file has its own"},
	{"--techniques", VRS_EXCLUDES, LISTS, "each pair is measured over one configuration"},
	{"--all", VRS_EXCLUDES, "--full", "they are two different sweeps"},
	{"--list", VRS_EXCLUDES, "--dry-run", "they are two different things"},
	{"--soak", VRS_EXCLUDES, "--all --full --quick --runs --duration --goal --gates --profile-run --budget --versus --calibrate --net-only",
	 "it is one long run of one case"},
	{"--resume", VRS_EXCLUDES, SWEEP " " VALUES " --model --backend --device --encoder --layout --scope --techniques --runs --duration --goal --soak "
	 "--output-dir INPUT --config --profile --fast-mode --hardware-profile "
	 "--filter --skip --warmup --seed --memory-limit --timeout --min-frames --gates --case --margin --decide-by --inject-slowdown",
	 "a measurement goes on as it was begun"},
	{"--case --decide-by --inject-slowdown", VRS_NEEDS, "--versus", "it is about the sides of a comparison"},
	{"--margin", VRS_NEEDS, "--versus --techniques", "it is about the sides of a comparison"},
	{"--explain", VRS_NEEDS, "--versus --resume", "it explains a comparison"},
	{"--calibrate", VRS_EXCLUDES, "--resume", "--resume DIR alone goes on"},
	{"--calibrate", VRS_EXCLUDES, "--versus", "it compares a configuration with itself"},
	{"--versus --calibrate", VRS_EXCLUDES, AXES " --sweep --filter --skip --list --dry-run --net-only --profile-ops --profile-run --budget "
	 "--goal", "it compares two configurations"},
	{"--versus --calibrate", VRS_EXCLUDES, LISTS " --mode=list", "it compares two configurations"},
	{"--calibrate", VRS_EXCLUDES, "--resolution", "it measures the clip as it is; give a VIDEO of the size that matters"},
	{"--calibration", VRS_EXCLUDES, SWEEP " --versus --calibrate --soak --resume --net-only --runs --duration --goal --budget --output-dir --filter "
	 "--skip --scope INPUT", "it prints what is stored"},
	{NULL, VRS_NEEDS, SWEEP " " VALUES " " SEVERAL_NAMES " --versus --calibrate --calibration --techniques --net-only --resume --profile-run "
	 "--dump-config INPUT", "say what to measure: --all, --quick, a VIDEO, or --net-only (--help shows all)"},
	{.others = NULL},
};

const struct vrs_cli_spec vrs_bench_cli_spec = {
	.program = "vrbench",
	.summary = "measure how fast a machine cuts people out of VR video",
	.program_bit = VRS_PROGRAM_VRBENCH,
	.usage = "vrbench --all [--quick] [--output-dir DIR] [VIDEO]\nvrbench --versus WHAT [--output-dir DIR] [VIDEO]\n"
		 "vrbench --techniques [--filter REGEX] [--output-dir DIR] [VIDEO]\n"
		 "vrbench --net-only [--model MODEL] [--threads N] [--duration TIME] [--json FILE]\nvrbench system show|tune|reset",
	.intro = "Measure how fast this machine segments video, end to end. Every run is a fresh process; rounds are interleaved, so that "
		 "drift spreads over all cases. Ctrl-C ends the run in progress and saves the others; --resume DIR continues. Without VIDEO, a "
		 "synthetic clip is measured; your own kind of video is better. Other sizes are made from it once and labelled derived.",
	.actions = actions,
	.rules = rules,
	.examples = "  vrbench --all --quick --output-dir results video.mp4\n"
		    "  vrbench --resolution-only --resolution 1080p,4k --runs 6 --output-dir sizes video.mp4\n"
		    "  vrbench --set output.preset=ultrafast,veryfast,medium --output-dir presets video.mp4\n"
		    "  vrbench --versus engine.precision=fp32 --precision fp16 --output-dir half video.mp4\n"
		    "  vrbench --versus ../old/build/bin/vrbench --output-dir builds video.mp4\n"
		    "  vrbench --net-only --model selfie_segmentation --threads 2 --duration 2 --json -\n",
	.min_operands = 0,
	.max_operands = 1,
};
