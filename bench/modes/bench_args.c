/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/modes/bench_args.h"

#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"

#define WHAT "What to measure"
#define HOW "How to measure"
#define WHERE "Results"
#define NET "Network alone"
#define VERSUS "A against B"

static const struct vrs_cli_action actions[] = {
	{.flag = "all", .brief = "each axis alone, and resolution x precision",
	 .group = WHAT, .help = "Each axis alone from the default, and resolution x precision"},
	{.flag = "full", .group = WHAT, .help = "Every combination of the axes"},
	{.flag = "quick", .brief = "a first answer in a minute or two", .group = WHAT, .help = "A small set with short runs, about a minute and a half"},
	{.flag = "resolution-only", .group = WHAT, .help = "Only the resolution axis"},
	{.flag = "batch-only", .group = WHAT, .help = "Only the batch axis"},
	{.flag = "precision-only", .group = WHAT, .help = "Only the precision axis"},
	{.flag = "threads-only", .group = WHAT, .help = "Only the threads axis"},
	{.flag = "resolution", .brief = "clip sizes: 1080p,4k,vr4k ...", .letter = 'r', .value_name = "LIST", .group = WHAT,
	 .help = "Clip sizes: WIDTHxHEIGHT, 1080p, 4k, 6k, 8k, vr4k, vr8k, own"},
	{.flag = "batch-size", .brief = "network inputs per call: 1,2,4", .letter = 'b', .value_name = "LIST", .group = WHAT,
	 .help = "Network inputs per call: a,b,c or FIRST-LAST*FACTOR or FIRST:LAST:STEP"},
	{.flag = "precision", .brief = "fp32,fp16,bf16,int8,mixed", .value_name = "LIST", .group = WHAT, .help = "Precisions: fp32,fp16,bf16,int8,mixed"},
	{.flag = "threads", .brief = "CPU threads of one inference: 1,2,4",
	 .letter = 't', .value_name = "LIST", .group = WHAT, .help = "CPU threads of one inference"},
	{.flag = "streams", .value_name = "LIST", .group = WHAT, .help = "Inferences at the same time"},
	{.flag = "input-size", .value_name = "LIST", .group = WHAT, .help = "Network input sizes: 256x256,512x512"},
	{.flag = "model", .letter = 'm', .value_name = "LIST", .group = WHAT,
	 .help = "Networks: names of --list-models or paths of network files"},
	{.flag = "backend", .value_name = "LIST", .group = WHAT, .help = "Where the network runs: cpu,ref,null"},
	{.flag = "device", .value_name = "LIST", .group = WHAT,
	 .help = "OpenCL devices: index, PLATFORM:DEVICE or a name (0,1); their cells are skipped as long as networks do not run on "
		 "them"},
	{.flag = "encoder", .value_name = "LIST", .group = WHAT, .help = "Video encoders by their FFmpeg names: libx264,ffv1"},
	{.flag = "layout", .value_name = "LIST", .group = WHAT, .help = "Stereo layouts that the clip is taken for: mono,sbs,tb"},
	{.flag = "set", .brief = "any other option as an axis", .value_name = "KEY=LIST", .repeatable = true, .group = WHAT,
	 .help = "Any other option as an axis (output.preset=ultrafast,veryfast)"},
	{.flag = "sweep", .value_name = "NAME", .group = WHAT, .help = "Axes from configs/sweeps/NAME.yaml or from a file"},
	{.flag = "techniques", .brief = "each technique off against on", .group = WHAT,
	 .help = "Each technique of configs/sweeps/techniques.yaml (or of --sweep FILE), off against on in shared rounds, with a "
		 "verdict"},
	{.flag = "filter", .value_name = "REGEX", .group = WHAT, .help = "Only cells whose id matches, or techniques whose name does"},
	{.flag = "skip", .value_name = "REGEX", .group = WHAT, .help = "No cells whose id matches, or techniques whose name does"},
	{.flag = "list", .brief = "print the cases and exit", .group = WHAT, .help = "Print the ids of the cells, and exit"},
	{.flag = "dry-run", .group = WHAT, .help = "Print cells, runs and estimates of time, disk and memory, and exit"},
	{.flag = "runs", .brief = "runs of each case", .value_name = "N", .group = HOW, .help = "Rounds: runs of each cell (10; 3 with --quick)"},
	{.flag = "duration", .brief = "measured time of each run",
	 .value_name = "TIME", .group = HOW, .help = "Measured part of each run (10s; 1.5s with --quick)"},
	{.flag = "soak", .value_name = "TIME", .group = HOW,
	 .help = "One cell for so long (24h): growth of memory, drift of frame times, throttling, and a verdict"},
	{.flag = "warmup", .value_name = "TIME", .group = HOW, .help = "Longest warm-up of a run (60s; 1s with --quick)"},
	{.flag = "min-frames", .value_name = "N", .group = HOW,
	 .help = "Frames to measure at least, within three times the duration (60; 10 with --quick)"},
	{.flag = "timeout", .value_name = "TIME", .group = HOW, .help = "Longest life of a run's process (from duration and warm-up)"},
	{.flag = "memory-limit", .value_name = "BYTES", .group = HOW,
	 .help = "Skip cells that need more; processes may not map more (90 % of what is free)"},
	{.flag = "pin", .value_name = "CPUS", .group = HOW,
	 .help = "Keep everything on some processors: cores (one of each core), node:N, or a list such as 0-3,8 (--affinity binds "
		 "threads)"},
	{.flag = "seed", .value_name = "N", .group = HOW, .help = "Order of runs (1)"},
	{.flag = "scope", .value_name = "LIST", .group = WHAT,
	 .help = "end_to_end: decode to encoded file; pipeline_no_io: raw frames in, nothing encoded; net_only: the network alone"},
	{.flag = "mode", .brief = "offline,live@HZ", .value_name = "LIST", .group = WHAT,
	 .help = "offline: as fast as it goes; live@HZ: so many frames a second, what comes too late is dropped (offline,live@72)"},
	{.flag = "budget", .brief = "stop measuring after TIME", .value_name = "TIME", .group = HOW,
	 .help = "Measure no longer: the default first, then every cell once, then precision; what does not fit is left out"},
	{.flag = "goal", .value_name = "PERCENT", .group = HOW,
	 .help = "Half width of the interval at which a cell needs no more rounds (1 % without --runs, none with it)"},
	{.flag = "gates", .value_name = "MODE", .group = HOW,
	 .help = "Noise gates: retry excludes and repeats disturbed runs, mark only excludes them, off (retry)"},
	{.flag = "fail-on", .value_name = "LIST", .group = HOW,
	 .help = "Outcomes with an exit code other than 0: regression,inconclusive,invalid,failed or none"},
	{.flag = "versus", .brief = "compare with a configuration, build or result", .value_name = "WHAT", .group = VERSUS,
	 .help = "Compare WHAT (A) with this command (B) in shared rounds: configuration file, profile, KEY=VALUE, another build, "
		 "results.json"},
	{.flag = "cell", .value_name = "ID", .group = VERSUS, .help = "Cell of that results.json (the recommended one)"},
	{.flag = "margin", .value_name = "PERCENT", .group = VERSUS, .help = "Changes below do not matter (2 %; more on a noisy machine)"},
	{.flag = "explain", .group = VERSUS, .help = "Print every step from the runs to the verdict"},
	{.flag = "calibrate", .brief = "measure this machine's own noise once", .group = VERSUS,
	 .help = "Store this machine's noise: the same configuration against itself, and a run of 60,000 frames (or --duration)"},
	{.flag = "calibration", .group = VERSUS, .help = "Print what is stored about this machine's noise, and exit"},
	{.flag = "inject-slowdown", .value_name = "PERCENT", .group = VERSUS,
	 .help = "Slow B down on purpose: proves that the gate can fail"},
	{.flag = "output-dir", .brief = "folder of the result",
	 .letter = 'D', .value_name = "DIR", .group = WHERE, .help = "Folder of the result (results)"},
	{.flag = "resume", .brief = "continue the measurement in DIR", .value_name = "DIR", .group = WHERE, .help = "Go on with the measurement in DIR"},
	{.flag = "no-graphs", .group = WHERE, .help = "Leave the graphs out"},
	{.flag = "dump-config", .group = WHERE,
	 .help = "Print the configuration that every cell starts from, with the source of each value, and exit"},
	{.flag = "net-only", .brief = "time the network alone", .group = NET, .help = "Time the network alone, from input tensor to float output"},
	{.flag = "profile-run", .group = WHERE,
	 .help = "After the runs and apart from them: Chrome trace of the job, operators, memory over time, and what profiling costs"},
	{.flag = "profile-ops", .group = NET,
	 .help = "Print the time of every operator, as a share of what this machine can do; in a sweep after the runs"},
	{.flag = "json", .value_name = "FILE", .group = NET,
	 .help = "With --net-only: write the figures as one JSON line to FILE, - for standard output"},
	{.flag = NULL},
};

const struct vrs_cli_spec vrs_bench_cli_spec = {
	.program = "vrbench",
	.summary = "measure how fast a machine cuts people out of VR video",
	.program_bit = VRS_PROGRAM_VRBENCH,
	.usage = "vrbench --all [--quick] [--output-dir DIR] [VIDEO]\nvrbench --versus WHAT [--output-dir DIR] [VIDEO]\n"
		 "vrbench --techniques [--filter REGEX] [--output-dir DIR] [VIDEO]\n"
		 "vrbench --net-only [--model MODEL] [--threads N] [--duration TIME] [--json FILE]\nvrbench system show|tune|reset",
	.intro = "Measures how fast this machine segments video, end to end. Every run is a process of its own; rounds are interleaved, so that drift "
		 "spreads over all cells. Ctrl-C finishes the run in progress and saves; --resume DIR goes on. Without VIDEO a synthetic clip is used; your "
		 "own kind of video is better. Other sizes are made from it once and labelled derived.",
	.actions = actions,
	.examples = "  vrbench --all --quick --output-dir results film.mp4\n"
		    "  vrbench --resolution-only --resolution 1080p,4k --runs 6 --output-dir sizes film.mp4\n"
		    "  vrbench --set output.preset=ultrafast,veryfast,medium --output-dir presets film.mp4\n"
		    "  vrbench --versus engine.precision=fp32 --precision fp16 --output-dir half film.mp4\n"
		    "  vrbench --versus ../old/build/bin/vrbench --output-dir builds film.mp4\n"
		    "  vrbench --net-only --model selfie_segmentation --threads 2 --duration 2 --json -\n",
	.min_operands = 0,
	.max_operands = 1,
};

/* Flags that only switch something on. */
static bool set_switch(struct vrs_bench_args *a, const char *flag)
{
	const struct {
		const char *flag;
		bool *to;
	} switches[] = {{"all", &a->all}, {"full", &a->full}, {"quick", &a->quick}, {"resolution-only", &a->only_resolution},
			{"batch-only", &a->only_batch}, {"precision-only", &a->only_precision}, {"threads-only", &a->only_threads},
			{"list", &a->list}, {"dry-run", &a->dry_run}, {"net-only", &a->net_only}, {"dump-config", &a->dump_config}, {"profile-ops", &a->profile_ops},
			{"profile-run", &a->profile_run},
			{"no-graphs", &a->no_graphs}, {"explain", &a->explain},
			{"techniques", &a->techniques}, {"calibrate", &a->calibrate}, {"calibration", &a->calibration}};
	for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
		if (strcmp(switches[i].flag, flag) == 0)
			return *switches[i].to = true;
	return false;
}

static bool set_text(struct vrs_bench_args *a, const char *flag, const char *value)
{
	const struct {
		const char *flag, **to;
	} texts[] = {{"resolution", &a->resolution}, {"batch-size", &a->batch}, {"precision", &a->precision}, {"threads", &a->threads},
		     {"streams", &a->streams}, {"input-size", &a->input_size}, {"sweep", &a->sweep}, {"filter", &a->filter}, {"skip", &a->skip},
		     {"output-dir", &a->output_dir}, {"resume", &a->resume}, {"scope", &a->scope}, {"mode", &a->mode}, {"json", &a->json},
		     {"pin", &a->pin}, {"model", &a->model}, {"backend", &a->backend}, {"encoder", &a->encoder}, {"layout", &a->layout},
		     {"device", &a->device},
		     {"versus", &a->versus}, {"cell", &a->cell}};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (strcmp(texts[i].flag, flag) == 0) {
			*texts[i].to = value;
			return true;
		}
	return false;
}

/* "2", "2%" or "2 %". */
static enum vrs_status set_percent(struct vrs_bench_args *a, const char *flag, const char *value, struct vrs_error *err)
{
	char text[32];
	double percent = 0, *to = strcmp(flag, "goal") == 0 ? &a->goal : strcmp(flag, "margin") == 0 ? &a->margin : &a->slowdown;
	bool ok = vrs_strcpy(text, sizeof text, value);
	size_t n = strlen(text);
	if (n > 0 && text[n - 1] == '%')
		text[--n] = 0;
	while (n > 0 && text[n - 1] == ' ')
		text[--n] = 0;
	if (!ok || !vrs_parse_double(text, 0.01, to == &a->slowdown ? 900 : 60, &percent))
		return vrs_fail(err, VRS_ECONFIG, "--%s wants percent such as 2 or 2%%, from 0.01 to %d, not \"%s\"", flag, to == &a->slowdown ? 900 : 60,
				value);
	*to = percent / 100;
	return VRS_OK;
}

static enum vrs_status set_gates(struct vrs_bench_args *a, const char *value, struct vrs_error *err)
{
	static const char *const names[] = {[VRS_GATES_OFF] = "off", [VRS_GATES_MARK] = "mark", [VRS_GATES_RETRY] = "retry"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(value, names[i]) == 0) {
			a->gates = (enum vrs_gate_mode)i;
			a->gates_given = true;
			return VRS_OK;
		}
	return vrs_fail(err, VRS_ECONFIG, "--gates is retry, mark or off, not \"%s\"", value);
}

static enum vrs_status set_fail_on(struct vrs_bench_args *a, const char *value, struct vrs_error *err)
{
	static const char *const names[] = {"regression", "inconclusive", "invalid", "failed"};
	a->fail_on_given = true;
	if (strcmp(value, "none") == 0)
		return VRS_OK;
	for (const char *p = value; *p;) {
		size_t n = strcspn(p, ","), i = 0;
		while (i < sizeof names / sizeof *names && (strlen(names[i]) != n || strncmp(names[i], p, n) != 0))
			i++;
		if (i == sizeof names / sizeof *names)
			return vrs_fail(err, VRS_ECONFIG, "--fail-on takes regression, inconclusive, invalid and failed, or none; not \"%.*s\"", (int)n, p);
		a->fail_on |= 1u << i;
		p += n + (p[n] == ',');
	}
	return VRS_OK;
}

static enum vrs_status set_value(struct vrs_bench_args *a, const char *flag, const char *value, struct vrs_error *err)
{
	const struct {
		const char *flag;
		double *to;
	} times[] = {{"duration", &a->duration}, {"warmup", &a->warmup}, {"timeout", &a->timeout}, {"budget", &a->budget}, {"soak", &a->soak}};
	const struct {
		const char *flag;
		int64_t *to, min, max;
	} numbers[] = {{"runs", &a->runs, 1, 1000}, {"seed", &a->seed, 0, INT64_MAX}, {"min-frames", &a->min_frames, 1, 1000000}};
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		if (strcmp(times[i].flag, flag) == 0)
			return vrs_parse_duration(value, times[i].to) && *times[i].to > 0 && *times[i].to <= 1e6
				       ? VRS_OK
				       : vrs_fail(err, VRS_ECONFIG, "--%s wants a time above 0 such as 30, 90s or 2m, not \"%s\"", flag, value);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (strcmp(numbers[i].flag, flag) == 0)
			return vrs_parse_int(value, numbers[i].min, numbers[i].max, numbers[i].to)
				       ? VRS_OK
				       : vrs_fail(err, VRS_ECONFIG, "--%s wants a whole number from %lld to %lld, not \"%s\"", flag,
						  (long long)numbers[i].min, (long long)numbers[i].max, value);
	if (strcmp(flag, "goal") == 0 || strcmp(flag, "margin") == 0 || strcmp(flag, "inject-slowdown") == 0)
		return set_percent(a, flag, value, err);
	if (strcmp(flag, "gates") == 0)
		return set_gates(a, value, err);
	if (strcmp(flag, "fail-on") == 0)
		return set_fail_on(a, value, err);
	if (strcmp(flag, "memory-limit") == 0)
		return vrs_parse_bytes(value, &a->memory_limit) && a->memory_limit > 0 && a->memory_limit < (UINT64_C(1) << 49)
			       ? VRS_OK
			       : vrs_fail(err, VRS_ECONFIG, "--memory-limit wants bytes such as 512M or 4G, not \"%s\"", value);
	if (a->set_count == VRS_BENCH_MAX_SETS)
		return vrs_fail(err, VRS_ECONFIG, "--set can be given %d times", VRS_BENCH_MAX_SETS);
	a->set[a->set_count++] = value;
	return VRS_OK;
}

enum vrs_status vrs_bench_set(struct vrs_bench_args *args, const char *flag, const char *value, struct vrs_error *err)
{
	if (set_switch(args, flag))
		return VRS_OK;
	if (!*value)
		return vrs_fail(err, VRS_ECONFIG, "--%s has an empty value", flag);
	return set_text(args, flag, value) ? VRS_OK : set_value(args, flag, value, err);
}
