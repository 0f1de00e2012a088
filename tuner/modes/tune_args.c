/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The flags of vrtune, and what they ask of a search. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bench/plan/sweep.h"
#include "tuner/modes/tune_program.h"
#include "tuner/pick.h"

static const struct vrs_cli_action actions[] = {
	{.flag = "auto-optimize", VRS_SWITCH_FIELD(struct vrs_tune_args, optimize), .brief = "find the fastest settings with as good a matte",
	 .group = "What to do",
	 .help = "Find the fastest settings of this machine whose matte is as good as the default's"},
	{.flag = "detect-bottlenecks", VRS_SWITCH_FIELD(struct vrs_tune_args, bottlenecks), .brief = "say what limits the current settings",
	 .group = "What to do", .help = "Measure the current settings, and say what limits them"},
	{.flag = "try", VRS_SWITCH_FIELD(struct vrs_tune_args, tries), .brief = "measure the advice, too", .group = "What to do",
	 .help = "With --detect-bottlenecks: measure what each advice gives, in eight rounds with the current settings"},
	{.flag = "pick", VRS_TEXT_FIELD(struct vrs_tune_args, pick), .choices = VRS_PICK_NAMES, .brief = "choose from RESULTS: fastest, knee ...",
	 .value_name = "RULE", .group = "What to do",
	 .help = "Choose from RESULTS that vrbench or vrtune has measured: fastest, best (the matte), smallest (the output), lightest (memory) or knee, "
		 "where speed begins to cost much of the matte"},
	{.flag = "save-config", VRS_TEXT_FIELD(struct vrs_tune_args, save), .file = VRS_FILE_WRITTEN, .brief = "write the chosen settings to FILE",
	 .value_name = "FILE", .group = "Search", .help = "Write the chosen settings to FILE, as YAML for vrseg -c"},
	{.flag = "only", VRS_TEXT_FIELD(struct vrs_tune_args, only), .brief = "tune these options only",
	 .value_name = "KEYS", .group = "Search", .help = "Tune only these options (\"batch_size threads\")"},
	{.flag = "replay", VRS_TEXT_FIELD(struct vrs_tune_args, replay), .file = VRS_FILE_READ, .brief = "try the search on a recorded sweep",
	 .value_name = "RESULTS", .group = "What to do",
	 .help = "Search in the results of a sweep of all combinations (vrbench --sweep, mode: product), many times, and say how near the best it comes"},
	{.flag = "searches", VRS_INT_FIELD(struct vrs_tune_args, searches), .min = 1, .max = 100000, .value_name = "N", .group = "Search",
	 .help = "With --replay: search N times (200)"},
	{.flag = "replay-noise", VRS_PERCENT_FIELD(struct vrs_tune_args, replay_noise), .min = 1, .max = 1000, .value_name = "PERCENT",
	 .group = "Search", .help = "With --replay: take the noise of the runs as PERCENT of what was recorded (100 %), as a quieter machine has"},
	{.flag = "strategy", VRS_TEXT_FIELD(struct vrs_tune_args, strategy), .choices = "auto exhaustive halving descent surrogate",
	 .value_name = "NAME", .group = "Search", .brief = "choose combinations by NAME",
	 .help = "Choose what to combine by NAME: exhaustive measures everything, halving many shortly and the better ones longer, descent one option after "
		 "the other, surrogate where a model of the speed expects most; auto is exhaustive where that is cheap, else halving"},
	{.flag = "resolution", VRS_TEXT_FIELD(struct vrs_tune_args, resolution), .letter = 'r', .value_name = "LIST", .group = "Search",
	 .brief = "tune for each of these clip sizes",
	 .help = "Search once for each clip size of LIST: WIDTHxHEIGHT, " VRS_SWEEP_SIZES "; --save-config writes a file for each"},
	{.flag = "recipe", VRS_TEXT_FIELD(struct vrs_tune_args, recipe), .brief = "flags for a purpose: live-72hz, overnight ...", .value_name = "NAME",
	 .group = "Search",
	 .help = "Search with the flags of a recipe: live-72hz, overnight, laptop-battery, smoke, or a YAML file of flags; what it sets cannot be given "
		 "besides"},
	{.flag = "budget", VRS_TIME_FIELD(struct vrs_tune_args, budget_seconds), .value_name = "TIME", .group = "Search",
	 .help = "Measure for about TIME (10m, 90s); the final always has its rounds, and more where time is left and runs spread"},
	{.flag = "quick", VRS_SWITCH_FIELD(struct vrs_tune_args, quick), .brief = "shorter runs and fewer values: minutes",
	 .group = "Search", .help = "Use shorter runs, two values of each option and one finalist: minutes"},
	{.flag = "rounds", VRS_INT_FIELD(struct vrs_tune_args, rounds), .min = 1, .max = 200, .value_name = "N", .group = "Search",
	 .help = "Run the final for N interleaved rounds; fewer than 8 verify nothing"},
	{.flag = "max-iou-loss", VRS_NUMBER_FIELD(struct vrs_tune_args, max_iou_loss), .min = 0, .max = 1, .brief = "IoU that a faster setting may cost",
	 .value_name = "LOSS", .group = "Search", .help = "Accept a faster setting that costs up to LOSS of IoU (0.005)"},
	{.flag = "objective", VRS_CHOICE_FIELD(struct vrs_tune_args, goal), .choices = VRS_GOAL_NAMES, .brief = "what the best settings are best in",
	 .value_name = "NAME", .group = "Search",
	 .help = "Search for the fastest settings (throughput), for the least latency at the rate of --target-fps or the video's own (live), or for the "
		 "best mattes (quality) or smallest output (size) at a speed that --target-fps or --finish-by sets; with --detect-bottlenecks live alone"},
	{.flag = "finish-by", VRS_TEXT_FIELD(struct vrs_tune_args, finish_by), .value_name = "HH:MM", .group = "Search",
	 .help = "Accept only settings that finish --frames before this time of the day, when the job begins as the search ends"},
	{.flag = "frames", VRS_INT_FIELD(struct vrs_tune_args, frames), .min = 1, .max = 1e12, .value_name = "N", .group = "Search",
	 .help = "Take a job of N frames for --finish-by"},
	{.flag = "min-iou", VRS_NUMBER_FIELD(struct vrs_tune_args, min_iou), .min = 0, .max = 1, .value_name = "IOU", .group = "Search",
	 .help = "Accept only mattes of this IoU with truth; where the clip has none, with the default's fp32 mattes"},
	{.flag = "memory-limit", VRS_BYTES_FIELD(struct vrs_tune_args, memory_limit), .value_name = "BYTES", .group = "Search",
	 .help = "Accept only settings whose process stays below this (90 % of what is free)"},
	{.flag = "max-bitrate", VRS_NUMBER_FIELD(struct vrs_tune_args, max_mbps), .min = 0.001, .max = 1e6, .value_name = "MBIT/S", .group = "Search",
	 .help = "Accept outputs of up to this many Mbit/s at the clip's frame rate (without it, half as much again as the default's)"},
	{.flag = "candidate", VRS_TEXT_FIELD(struct vrs_tune_args, candidate), .file = VRS_FILE_READ, .brief = "try the settings of FILE first",
	 .value_name = "FILE", .group = "Search",
	 .help = "Measure the settings of FILE first, which vrtune has found elsewhere or before: where eight rounds with the default prove them, they are "
		 "the result, else the search begins"},
	{.flag = "output-dir", VRS_TEXT_FIELD(struct vrs_tune_args, folder), .brief = "keep every measured run in DIR", .value_name = "DIR",
	 .group = "Search",
	 .help = "Keep every measured run here, so that the search can resume"},
	{.flag = "resume", VRS_TEXT_FIELD(struct vrs_tune_args, resume), .brief = "continue the search in DIR", .value_name = "DIR", .group = "Search",
	 .help = "Continue the search in DIR: give the same command; runs that DIR has are not repeated"},
	{.flag = "dry-run", VRS_SWITCH_FIELD(struct vrs_tune_args, dry_run), .group = "What to do",
	 .help = "With --auto-optimize: print what would be tried, the runs and the time that it takes, and exit"},
	{.flag = "list", VRS_SWITCH_FIELD(struct vrs_tune_args, list), .group = "What to do",
	 .help = "With --auto-optimize: print the ids of the default and of each value that would be tried alone, and exit"},
	{.flag = "dump-config", VRS_SWITCH_FIELD(struct vrs_tune_args, dump_config), .group = "What to do",
	 .help = "Print the configuration that the search starts from, with the source of each value, and exit"},
	{.flag = NULL},
};

static const struct vrs_rule flag_rules[] = {
	{"--auto-optimize", VRS_EXCLUDES, "--detect-bottlenecks", "they are two different things"},
	{NULL, VRS_NEEDS, "--auto-optimize --detect-bottlenecks --replay --dump-config --pick",
	 "say what to do: --auto-optimize or --detect-bottlenecks (--help shows all)"},
	{"--pick", VRS_EXCLUDES, "--auto-optimize --detect-bottlenecks --replay --quick --output-dir --resume", "it measures nothing"},
	{"--replay", VRS_EXCLUDES, "--auto-optimize --detect-bottlenecks --output-dir --resume --save-config --only", "it measures nothing"},
	{"--list", VRS_EXCLUDES, "--dry-run", "they are two different things"},
	{"--try", VRS_NEEDS, "--detect-bottlenecks", "it measures that advice"},
	{"--searches", VRS_NEEDS, "--replay", "a search on this machine happens once"},
	{"--replay-noise", VRS_NEEDS, "--replay", "a machine has the noise that it has"},
	{"--recipe", VRS_NEEDS, "--auto-optimize", "it is about the search"},
	{"--strategy --budget --rounds", VRS_NEEDS, "--auto-optimize --replay", "it is about the search"},
	{"--max-iou-loss --min-iou --max-bitrate", VRS_NEEDS, "--auto-optimize --replay --pick", "it is about the search"},
	{"--save-config", VRS_NEEDS, "--auto-optimize --pick", "it is about the search"},
	{"--memory-limit", VRS_NEEDS, "--auto-optimize --pick --replay", "it is about the search"},
	{"--target-fps", VRS_NEEDS, "--auto-optimize --pick --replay --objective", "it is about the search, or the rate of live video"},
	{"--objective --max-latency-ms", VRS_NEEDS, "--auto-optimize --detect-bottlenecks", "it says what is measured"},
	{"--only --candidate --resolution --dry-run --list --finish-by --frames", VRS_NEEDS, "--auto-optimize", "it is about the search"},
	{"--finish-by", VRS_EXCLUDES, "--target-fps", "it sets the target"},
	{"--finish-by", VRS_NEEDS, "--frames", "it takes the number of frames to know the speed"},
	{"--frames", VRS_NEEDS, "--finish-by", "it takes the time to know the speed"},
	{"--resume", VRS_EXCLUDES, "--output-dir", "it names the folder"},
	{.others = NULL},
};

const struct vrs_cli_spec vrs_tune_spec = {
	.program = "vrtune",
	.summary = "find the fastest settings for cutting people out of VR video",
	.program_bit = VRS_PROGRAM_VRTUNE,
	.usage = "vrtune --auto-optimize [--save-config FILE] [VIDEO]\nvrtune --detect-bottlenecks [VIDEO]\n"
		 "vrtune --pick RULE [--save-config FILE] RESULTS",
	.intro = "Find the best settings for this machine, and prove them: candidates and the default are measured in interleaved rounds, "
		 "and only a proven gain replaces the default. Settings that you give (flags, -c FILE) stay as they are. Without VIDEO, a "
		 "synthetic clip is measured; your own kind of video is better.",
	.actions = actions,
	.rules = flag_rules,
	.examples = "  vrtune --auto-optimize --save-config my.yaml video.mp4\n"
		    "  vrseg -c my.yaml video.mp4 -o out.mp4\n"
		    "  vrtune --detect-bottlenecks --try video.mp4\n",
	.min_operands = 0,
	.max_operands = 1,
};

struct vrs_tune_args vrs_tune_args_default(void)
{
	return (struct vrs_tune_args){.max_iou_loss = -1, .replay_noise = 1};
}

struct vrs_search_options vrs_tune_search_options(const struct vrs_tune_args *args)
{
	struct vrs_search_options options = vrs_search_options_default(args->quick);
	options.objective.goal = (enum vrs_goal)args->goal;
	options.objective.min_iou = args->min_iou;
	options.objective.max_kbps = 1000 * args->max_mbps;
	options.strategy = args->strategy ? vrs_strategy_find(args->strategy) : NULL; /* NULL for auto */
	options.verify_start = args->candidate != NULL;
	options.budget_seconds = args->budget_seconds;
	/* Of those that keep a speed the slowest are best: it takes the rounds of a whole search to know that they keep it. */
	if (options.objective.goal == VRS_GOAL_SIZE || options.objective.goal == VRS_GOAL_QUALITY)
		options.final_rounds = vrs_search_options_default(false).final_rounds;
	options.fixed_rounds = args->rounds > 0;
	if (args->rounds)
		options.final_rounds = (int)args->rounds;
	if (args->max_iou_loss >= 0) {
		options.objective.max_iou_loss = args->max_iou_loss;
		options.objective.min_agreement = 1 - args->max_iou_loss;
	}
	return options;
}

/* A flag that was typed, behind those before it; what does not fit is cut off, on both sides of a comparison alike. */
__attribute__((format(printf, 3, 4))) static void add_words(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	size_t used = strlen(buf);
	va_start(args, fmt);
	vsnprintf(buf + used, size - used, fmt, args);
	va_end(args);
}

void vrs_tune_search_words(const struct vrs_tune_args *args, char *buf, size_t size)
{
	static const char *const goals[] = {
		[VRS_GOAL_THROUGHPUT] = "throughput", [VRS_GOAL_LIVE] = "live", [VRS_GOAL_QUALITY] = "quality", [VRS_GOAL_SIZE] = "size"};
	buf[0] = '\0';
	add_words(buf, size, "%s", args->optimize ? "--auto-optimize" : "--detect-bottlenecks");
	if (args->only)
		add_words(buf, size, " --only \"%s\"", args->only);
	if (args->goal)
		add_words(buf, size, " --objective %s", goals[args->goal]);
	if (args->strategy && strcmp(args->strategy, "auto") != 0)
		add_words(buf, size, " --strategy %s", args->strategy);
	if (args->resolution)
		add_words(buf, size, " --resolution %s", args->resolution);
	if (args->max_iou_loss >= 0)
		add_words(buf, size, " --max-iou-loss %g", args->max_iou_loss);
	if (args->min_iou > 0)
		add_words(buf, size, " --min-iou %g", args->min_iou);
	if (args->max_mbps > 0)
		add_words(buf, size, " --max-bitrate %g", args->max_mbps);
}
