/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * THE option table: one row per field of struct vrs_settings (READY), and one per key that the users' documents name and that is not built
 * yet (PLANNED) or cannot do anything here (NO_EFFECT).
 *
 * To add an option: a field in struct vrs_settings, a row here, and code that reads the field.  The row gives the flag, --help, YAML,
 * environment variable, checks and messages.  A PLANNED row becomes READY by getting FIELD_x, a flag and its programs.
 */
#include "config/option_table.h"

#include <stddef.h>
#include <stdint.h>

#define SEG VRS_PROGRAM_VRSEG
#define JOB (VRS_PROGRAM_VRSEG | VRS_PROGRAM_VRBENCH | VRS_PROGRAM_VRTUNE)
#define ALL (JOB | VRS_PROGRAM_VRANALYZE)

/*
 * Offset and size of a field.  _Generic has no default, so a field whose C type is not the row's type does not compile.
 */
#define AT(member, ctype) .offset = offsetof(struct vrs_settings, member) + 0 * _Generic(&((struct vrs_settings *)0)->member, ctype: 1), \
			 .size = sizeof ((struct vrs_settings *)0)->member
#define FIELD_BOOL(member) .type = VRS_OPT_BOOL, AT(member, bool *)
#define FIELD_INT(member) .type = VRS_OPT_INT, AT(member, int *)
#define FIELD_DOUBLE(member) .type = VRS_OPT_DOUBLE, AT(member, double *)
#define FIELD_ENUM(member) .type = VRS_OPT_ENUM, AT(member, int *)
#define FIELD_NAME(member) .type = VRS_OPT_STRING, AT(member, char (*)[VRS_NAME_MAX])
/* A path: to a file that is read or written, or to a folder. */
#define FIELD_PATH(member, role) .type = VRS_OPT_STRING, .file = (role), AT(member, char (*)[VRS_PATH_MAX])
#define FIELD_INPUT(member) FIELD_PATH(member, VRS_FILE_READ)
#define FIELD_NETWORK(member) FIELD_PATH(member, VRS_FILE_NETWORK)
#define FIELD_OUTPUT(member) FIELD_PATH(member, VRS_FILE_WRITTEN)
#define FIELD_FOLDER(member) FIELD_PATH(member, VRS_FILE_FOLDER)
#define FIELD_SIZE2(member) .type = VRS_OPT_SIZE2, AT(member, int (*)[2])
#define FIELD_COLOR(member) .type = VRS_OPT_COLOR, AT(member, uint8_t (*)[3])

/* Rows without a field: the value is checked and kept as text, so that it survives a round trip. */
#define PLANNED(opt_type) .type = (opt_type), .offset = SIZE_MAX, .state = VRS_OPT_PLANNED
#define NO_EFFECT(opt_type) .type = (opt_type), .offset = SIZE_MAX, .state = VRS_OPT_NO_EFFECT
#define RANGE(low, high) .min = (low), .max = (high)
#define NUMBER_OR(word) .min_name = (word), .takes_min = true /* other programs write the number for it */

/* What the job makes otherwise under another value: the largest of the three. */
#define AFFECTS_NOTHING .affects = VRS_AFFECTS_NOTHING
#define AFFECTS_FILE .affects = VRS_AFFECTS_FILE
#define AFFECTS_PICTURE .affects = VRS_AFFECTS_PICTURE | VRS_AFFECTS_FILE
#define AFFECTS_MATTE .affects = VRS_AFFECTS_MATTE | VRS_AFFECTS_PICTURE | VRS_AFFECTS_FILE
#define PER_RUN VRS_OPTION_PER_RUN
#define UNMEASURED VRS_OPTION_UNMEASURED
#define OF_ARRAYS VRS_OPTION_OF_ARRAYS
#define OF_CALIBRATION VRS_OPTION_OF_CALIBRATION
#define OF_PREVIEW VRS_OPTION_OF_PREVIEW
#define OF_LISTS VRS_OPTION_OF_LISTS
#define OF_NETWORK VRS_OPTION_OF_NETWORK
#define OF_RESUME VRS_OPTION_OF_RESUME
#define OF_MODES (OF_ARRAYS | OF_CALIBRATION | OF_PREVIEW | OF_NETWORK | OF_RESUME) /* whatever a program does, it has messages and metrics */
#define OF_ENCODER VRS_OPTION_OF_ENCODER
#define RATE VRS_OPTION_RATE
#define WORKERS VRS_OPTION_WORKERS
#define SELDOM VRS_OPTION_SELDOM
#define TAKES_MEMORY VRS_OPTION_TAKES_MEMORY
#define AT_START VRS_OPTION_AT_START
#define COSTS_TIME VRS_OPTION_COSTS_TIME
#define NETWORK "preprocess inference postprocess"

#define OPENCL "opencl" /* of .backend */
#define CPU "cpu"
#define NEEDS_WORKLOADS "workloads other than segmentation are not built yet"

static const struct vrs_option rows[] = {
	/* input */
	{.key = "input.hwdecode", AFFECTS_MATTE, .traits = OF_PREVIEW,
	 .flag = "hwdecode", FIELD_NAME(input.hwdecode), .default_text = "auto", .value_name = "NAME", .programs = JOB,
	 .help = "Decode on a device: vaapi, cuda or another device type of FFmpeg; auto takes one that works and is faster, off decodes in software"},
	{.key = "input.fps", AFFECTS_MATTE, .traits = OF_PREVIEW,
	 .flag = "fps", FIELD_DOUBLE(input.fps), RANGE(0, 1000), .min_name = "auto", .default_text = "auto",
	 .unit = "frames/s", .value_name = "FPS", .programs = SEG, .help = "Set the frame rate of a picture sequence or of raw video; auto is 25"},
	{.key = "input.raw_format", AFFECTS_MATTE, .traits = OF_CALIBRATION | OF_PREVIEW,
	 .flag = "raw-format", FIELD_NAME(input.raw_format), .default_text = "", .value_name = "NAME", .programs = SEG,
	 .help = "Read raw video in this FFmpeg pixel format, such as yuv420p or nv12; needs --raw-size"},
	{.key = "input.raw_size", AFFECTS_MATTE, .traits = OF_CALIBRATION | OF_PREVIEW,
	 .flag = "raw-size", FIELD_SIZE2(input.raw_size), RANGE(0, 65536), .min_name = "none", .default_text = "none",
	 .unit = "pixels", .value_name = "WxH", .programs = SEG, .help = "Set the width and height of raw video"},
	{.key = "input.start", AFFECTS_MATTE, .traits = PER_RUN,
	 .flag = "start", .brief = "skip what lies before TIME (12.5, 1:30)",
	  FIELD_DOUBLE(input.start), RANGE(0, 1e6), .clock = true, .default_text = "0", .unit = "s",
	 .value_name = "TIME", .programs = JOB, .help = "Start at this time (12.5, 1:30), with the first frame at or after it"},
	{.key = "input.duration", AFFECTS_MATTE, .traits = PER_RUN,
	 .flag = "duration", FIELD_DOUBLE(input.duration), RANGE(0, 1e6), .clock = true, .min_name = "all",
	 .default_text = "all", .unit = "s", .value_name = "TIME", .programs = SEG, .help = "Stop this long after the start"},
	{.key = "input.recursive", AFFECTS_NOTHING, .traits = PER_RUN | UNMEASURED | AT_START,
	 .flag = "recursive", FIELD_BOOL(input.recursive), .default_text = "false", .programs = SEG,
	 .help = "Search the sub-folders of an input folder too, and keep them below --output-dir"},
	{.key = "input.layout", AFFECTS_MATTE, .traits = OF_CALIBRATION | OF_PREVIEW,
	 .flag = "layout", .brief = "auto, mono, sbs, tb, rl, bt, hsbs or htb",
	  FIELD_ENUM(input.layout), .choices = "auto mono sbs tb rl bt hsbs htb",
	 .axis = "layout",
	 .default_text = "auto", .value_name = "LAYOUT", .programs = JOB,
	 .help = "Set the stereo layout: one view, side by side or top-bottom; rl and bt have the right eye first, hsbs and htb half size; "
		  "auto reads the file's metadata, its name and its aspect ratio"},
	{.key = "input.projection", AFFECTS_MATTE, .traits = OF_CALIBRATION | OF_PREVIEW,
	 .flag = "projection", FIELD_NAME(input.projection), .default_text = "auto", .value_name = "NAME",
	 .programs = JOB,
	 .help = "Set how the picture shows space: auto, flat, hequirect (VR180), equirect (360) or fisheye; add the degrees where they "
		  "differ: fisheye:190"},

	/* output */
	{.key = "output.file", AFFECTS_FILE, .traits = PER_RUN | UNMEASURED | OF_PREVIEW,
	 .aliases = "output", .flag = "output", .brief = "file to write; its extension chooses the container",
	 .letter = 'o', FIELD_OUTPUT(output.file), .default_text = "",
	 .value_name = "FILE", .programs = SEG, .help = "Write to FILE; the extension chooses the container"},
	{.key = "output.mode", AFFECTS_MATTE,
	 .aliases = "output_mode", .flag = "output-mode", .brief = "green, matte, alpha (VR players) or cutout",
	  FIELD_ENUM(output.mode), .choices = "green matte alpha cutout",
	 .default_text = "green", .value_name = "MODE", .programs = JOB,
	 .help = "Choose what to write: green: people composited over a background; matte: the matte alone, white foreground on black; "
		  "alpha: fisheye video with the matte packed into its corners, for passthrough players; cutout: the picture with an alpha "
		  "channel (.mov, .webm, .mkv, pictures)"},
	{.key = "output.color", AFFECTS_PICTURE, .traits = OF_PREVIEW,
	 .aliases = "output.colour", .flag = "color", FIELD_COLOR(output.color), .default_text = "00ff00",
	 .value_name = "RRGGBB", .programs = SEG, .help = "Set the background colour of mode green, in hexadecimal"},
	{.key = "output.background", AFFECTS_PICTURE, .traits = OF_PREVIEW,
	 .flag = "background", .brief = "color, blur, or a picture or video FILE",
	  FIELD_INPUT(output.background), .default_text = "color", .value_name = "WHAT",
	 .programs = JOB,
	 .help = "Choose the background of mode green: color (see --color), blur (the original background, blurred), or a picture or video "
		  "FILE; a video begins with the output, keeps its own pace and loops"},
	{.key = "output.blur", AFFECTS_PICTURE, .traits = OF_PREVIEW,
	 .flag = "blur", FIELD_DOUBLE(output.blur), RANGE(0.005, 0.25), .default_text = "0.02", .value_name = "SHARE",
	 .programs = JOB, .help = "Set the strength of --background blur: its standard deviation as a share of the eye's height"},
	{.key = "output.fov", AFFECTS_MATTE, .flag = "fov", FIELD_DOUBLE(output.fov), RANGE(0, 270), .min_name = "auto", .default_text = "auto",
	 .unit = "degrees", .value_name = "DEGREES", .programs = SEG,
	 .help = "Set the field of view of mode alpha; auto: that of a fisheye input, 180 for others"},
	{.key = "output.alpha_color", AFFECTS_PICTURE, .aliases = "output.alpha_colour", .flag = "alpha-color", FIELD_ENUM(output.alpha_color),
	 .choices = "grey red", .default_text = "grey", .value_name = "COLOR", .programs = SEG,
	 .help = "Set the colour of the discs of mode alpha; players read red: grey keeps its full resolution, red is less visible where a "
		  "player shows the discs"},
	{.key = "output.alpha_size", AFFECTS_MATTE, .flag = "alpha-size", FIELD_ENUM(output.alpha_size), .choices = "source exact",
	 .default_text = "source", .value_name = "SIZE", .programs = SEG,
	 .help = "Set the height of mode alpha: the eye's (source), or the next multiple of 160 (exact), where discs are whole pixels and "
		  "no encoder pads"},
	{.key = "output.player", AFFECTS_FILE, .traits = UNMEASURED,
	 .flag = "player", .brief = "name the output for deovr, heresphere, skybox ...",
	  FIELD_ENUM(output.player), .choices = "none deovr heresphere skybox 4xvr xbvr",
	 .default_text = "none", .value_name = "NAME", .programs = SEG,
	 .help = "Name the output with the tags that this player reads, and refuse what it would ignore"},
	{.key = "output.verify_pack", AFFECTS_NOTHING, .traits = PER_RUN | UNMEASURED,
	 .flag = "verify-pack", FIELD_BOOL(output.verify_pack), .default_text = "false", .programs = SEG,
	 .help = "Decode the output of mode alpha, unpack its mattes as a player does, and compare them with the intended ones"},
	{.key = "output.tonemap", AFFECTS_MATTE, .traits = OF_PREVIEW,
	 .flag = "tonemap", FIELD_ENUM(output.tonemap), .choices = "auto off bt2390", .default_text = "auto",
	 .value_name = "HOW", .programs = JOB,
	 .help = "Convert HDR (PQ, HLG): bt2390 writes SDR (BT.709, 8 bits), off keeps HDR, auto keeps HDR where the encoder has 10 bits"},
	{.key = "output.encoder", AFFECTS_PICTURE, .traits = SELDOM | OF_ENCODER, .flag = "encoder", .brief = "auto, hardware, libx264, ffv1 ...",
	  FIELD_NAME(output.encoder),
	 .axis = "encoder", .id_letter = 'e',
	 .default_text = "auto", .tunable = "libx265 libopenh264 libkvazaar", .stages = "encode", .value_name = "NAME",
	 .programs = JOB,
	 .help = "Choose the video encoder by its FFmpeg name, such as libx264 or ffv1; auto is the usual one of the container, hardware "
		  "takes a graphics device where one works; see --list-encoders"},
	{.key = "output.preset", AFFECTS_PICTURE, .traits = OF_ENCODER, .flag = "preset", FIELD_NAME(output.preset), .default_text = "veryfast",
	 .tunable = "superfast faster ultrafast medium", .stages = "encode", .value_name = "NAME",
	 .programs = JOB, .help = "Set the encoder preset: ultrafast encodes fast into large files, slow into small ones"},
	{.key = "output.crf", AFFECTS_PICTURE, .traits = OF_ENCODER | RATE,
	 .flag = "crf", FIELD_INT(output.crf), RANGE(-1, 63), NUMBER_OR("auto"), .default_text = "20",
	 .tunable = "22 18 24", .stages = "encode", .value_name = "N", .programs = JOB,
	 .help = "Set the encoder's quality: lower is better and larger; auto leaves it to the encoder"},
	{.key = "output.quality", AFFECTS_PICTURE, .traits = OF_ENCODER | RATE,
	 .flag = "quality", .brief = "picture quality, 0 to 100, for any encoder",
	  FIELD_INT(output.quality), RANGE(-1, 100), NUMBER_OR("auto"), .default_text = "auto",
	 .value_name = "N", .programs = JOB,
	 .help = "Set the quality from 0 to 100 for any encoder, instead of --crf; 70 is close to libx264's crf 20"},
	{.key = "output.bitrate", AFFECTS_PICTURE, .traits = OF_ENCODER | RATE,
	 .flag = "bitrate", FIELD_NAME(output.bitrate), .default_text = "auto", .value_name = "RATE", .programs = JOB,
	 .help = "Set the bits per second, such as 20M, instead of --crf; source takes the input's; auto leaves it to --crf, or to the "
		  "source for encoders without it"},
	{.key = "output.lossless", AFFECTS_PICTURE, .traits = OF_ENCODER | RATE,
	 .flag = "lossless", FIELD_BOOL(output.lossless), .default_text = "false", .programs = JOB,
	 .help = "Keep every sample exactly, if the encoder can (libx264, libx265, libvpx-vp9, ffv1, utvideo)"},
	{.key = "output.overwrite", AFFECTS_NOTHING, .traits = PER_RUN | UNMEASURED | OF_ARRAYS | OF_PREVIEW,
	 .flag = "overwrite", .brief = "replace an existing output", FIELD_BOOL(output.overwrite), .default_text = "false", .programs = JOB,
	 .help = "Replace an existing output"},
	{.key = "output.skip_existing", AFFECTS_NOTHING, .traits = PER_RUN | UNMEASURED,
	 .flag = "skip-existing", FIELD_BOOL(output.skip_existing), .default_text = "false", .programs = SEG,
	 .help = "Skip inputs whose output already exists and is complete"},
	{.key = "output.audio", AFFECTS_FILE, .traits = UNMEASURED,
	 .flag = "audio", FIELD_BOOL(output.audio), .default_text = "true", .programs = SEG,
	 .help = "Copy the audio tracks"},

	/* matte */
	{.key = "matte.view", AFFECTS_MATTE, .traits = OF_CALIBRATION | OF_PREVIEW,
	 .flag = "view", FIELD_ENUM(matte.view), .choices = "auto whole centre", .default_text = "auto",
	 .value_name = "VIEW", .programs = JOB,
	 .help = "Choose where the network searches for people; auto: the centre of each eye for VR180, the whole picture otherwise"},
	{.key = "matte.view_size", AFFECTS_MATTE, .traits = OF_CALIBRATION | OF_PREVIEW,
	 .flag = "view-size", FIELD_DOUBLE(matte.view_size), RANGE(0.1, 1), .default_text = "0.5",
	 .value_name = "SHARE", .programs = JOB, .help = "Set the width and height of the centre view, as a share of the eye's"},
	{.key = "matte.view_projection", AFFECTS_MATTE, .traits = OF_PREVIEW,
	 .flag = "view-projection", FIELD_ENUM(matte.view_projection), .choices = "auto source gnomonic",
	 .default_text = "auto", .value_name = "KIND", .programs = JOB,
	 .help = "Choose how the network sees VR pictures: as they are (source), or as a camera aimed at the people sees them (gnomonic); "
		  "auto: gnomonic where the picture is strongly distorted, as far above and below the horizon"},
	{.key = "matte.follow", AFFECTS_MATTE, .traits = SELDOM | OF_PREVIEW, .flag = "follow", FIELD_BOOL(matte.follow), .default_text = "true",
	 .tunable = "false", .stages = NETWORK, .programs = JOB,
	 .help = "Follow people with the region of interest, starting from the view; off keeps the view in every frame"},
	{.key = "matte.cutoff", AFFECTS_MATTE, .traits = OF_PREVIEW,
	 .flag = "cutoff", FIELD_DOUBLE(matte.cutoff), RANGE(0, 0.95), .default_text = "0", .value_name = "ALPHA",
	 .programs = JOB, .help = "Set opacity below this to 0, and stretch the rest to 0..1"},
	{.key = "matte.gamma", AFFECTS_MATTE, .traits = OF_PREVIEW,
	 .flag = "gamma", FIELD_DOUBLE(matte.gamma), RANGE(0.1, 10), .default_text = "1", .value_name = "G",
	 .programs = JOB, .help = "Apply this exponent to the opacity: above 1 shrinks soft edges, below 1 widens them"},
	{.key = "matte.grow", AFFECTS_MATTE, .traits = OF_PREVIEW,
	 .flag = "grow", FIELD_DOUBLE(matte.grow), RANGE(-64, 64), .default_text = "0", .unit = "pixels",
	 .value_name = "PIXELS", .programs = JOB, .help = "Grow (above 0) or shrink (below 0) people by this many pixels of the output"},
	{.key = "matte.feather", AFFECTS_MATTE, .traits = OF_PREVIEW,
	 .flag = "feather", FIELD_DOUBLE(matte.feather), RANGE(0, 64), .default_text = "0", .unit = "pixels",
	 .value_name = "PIXELS", .programs = JOB, .help = "Soften edges over this many pixels of the output on each side"},
	{.key = "matte.refine", AFFECTS_MATTE, .traits = OF_PREVIEW, .aliases = "tracking.refine_landmarks refine_landmarks",
	 .flag = "refine", .brief = "align edges with those of the picture", FIELD_BOOL(matte.refine),
	 .default_text = "true", .tunable = "false", .stages = "postprocess", .programs = JOB,
	 .help = "Align the edges of mattes with those of the picture (guided filter)"},
	{.key = "matte.refine_full", AFFECTS_MATTE, .traits = OF_PREVIEW,
	 .flag = "refine-full", FIELD_BOOL(matte.refine_full), .default_text = "false", .programs = JOB,
	 .help = "Align edges in every sample of the picture, not at the matte's size as --refine does; same as --refine in mode alpha"},
	{.key = "matte.refine_radius", AFFECTS_MATTE, .traits = OF_PREVIEW,
	 .flag = "refine-radius", FIELD_INT(matte.refine_radius), RANGE(1, 16), .default_text = "2",
	 .unit = "matte pixels", .value_name = "N", .programs = JOB, .help = "Set the half width of the windows of --refine and --refine-full"},
	{.key = "matte.refine_eps", AFFECTS_MATTE, .traits = OF_PREVIEW,
	 .flag = "refine-eps", FIELD_DOUBLE(matte.refine_eps), RANGE(0.00001, 1), .default_text = "0.0002",
	 .value_name = "EPS", .programs = JOB,
	 .help = "Set the variance of luma (0..1) that --refine treats as an edge: smaller follows weaker edges"},
	{.key = "matte.refine_limit", AFFECTS_MATTE, .traits = OF_PREVIEW,
	 .flag = "refine-limit", FIELD_DOUBLE(matte.refine_limit), RANGE(0, 1), .default_text = "0.5",
	 .value_name = "ALPHA", .programs = JOB,
	 .help = "Limit how much --refine changes an opacity of one half; where the network is surer, it changes less"},
	{.key = "matte.exclude", AFFECTS_MATTE, .traits = OF_PREVIEW,
	 .flag = "exclude", FIELD_INPUT(matte.exclude), .default_text = "", .value_name = "BOX|PICTURE", .programs = SEG,
	 .help = "Always treat this area as background, such as the camera operator: boxes x,y,width,height as shares of the eye, separated "
		  "by ;, or a picture, white where nothing is kept"},
	{.key = "matte.repair_eyes", AFFECTS_MATTE, .traits = OF_PREVIEW,
	 .flag = "repair-eyes", FIELD_ENUM(matte.repair_eyes), .choices = "none union mean", .default_text = "none",
	 .value_name = "HOW", .programs = JOB,
	 .help = "Resolve differences between the mattes of the two eyes: union shows in both what either sees, mean goes half way"},
	{.key = "matte.foreground", AFFECTS_PICTURE, .traits = OF_PREVIEW,
	 .flag = "foreground", FIELD_ENUM(matte.foreground), .choices = "auto on off", .default_text = "auto", .value_name = "WHEN",
	 .programs = JOB,
	 .help = "Free soft edges of the colours behind them, in every mode: auto for matting networks (alpha_foreground) without --despill"},
	{.key = "matte.despill", AFFECTS_PICTURE, .traits = OF_PREVIEW,
	 .flag = "despill", FIELD_DOUBLE(matte.despill), RANGE(0, 1), .default_text = "0", .value_name = "STRENGTH",
	 .programs = JOB, .help = "Remove background colour spill from soft edges in mode green (0 none, 1 full)"},
	{.key = "matte.smoothing", AFFECTS_MATTE, .traits = COSTS_TIME, .flag = "smoothing", FIELD_DOUBLE(matte.smoothing), RANGE(0.05, 1),
	 .default_text = "1", .tunable = "0.8 0.6", .stages = "postprocess", .value_name = "WEIGHT", .programs = JOB,
	 .help = "Set the weight of the newest frame in a running mean over time; 1 is off"},
	{.key = "matte.smoothing_window", AFFECTS_MATTE, .aliases = "tracking.smoothing_window smoothing_window", .flag = "smoothing-window",
	  FIELD_INT(matte.smoothing_window), RANGE(1, 60), .default_text = "1", .unit = "frames", .value_name = "N", .programs = JOB,
	 .help = "Average the mattes of N frames, half of them later ones; delays the output by that half; 1 is off"},
	{.key = "matte.motion_gate", AFFECTS_MATTE, .flag = "motion-gate", FIELD_DOUBLE(matte.motion_gate), RANGE(-1, 255), .min_name = "none",
	 .default_text = "12", .value_name = "LUMA", .programs = JOB,
	 .help = "Disable smoothing where the luma (0..255) changed by this much; 0 smooths nothing, none everything"},
	{.key = "matte.skip_similar", AFFECTS_MATTE, .aliases = "performance.frame_skip_enabled frame_skip_enabled", .flag = "skip-similar",
	  FIELD_BOOL(matte.skip_similar), .default_text = "false", .tunable = "true", .stages = NETWORK, .programs = JOB,
	 .help = "Reuse the matte while the picture hardly changes"},
	{.key = "matte.skip_threshold", AFFECTS_MATTE,
	 .aliases = "performance.frame_skip_threshold frame_skip_threshold", .flag = "skip-threshold",
	  FIELD_DOUBLE(matte.skip_threshold), RANGE(0, 1), .default_text = "0.97", .value_name = "SHARE", .programs = JOB,
	 .help = "Set the similarity at which --skip-similar reuses the matte: 1 minus the largest mean luma change of a 16x16 block"},
	{.key = "matte.stride", AFFECTS_MATTE, .flag = "stride", FIELD_INT(matte.stride), RANGE(1, 60), .default_text = "1", .unit = "frames",
	 .tunable = "1 2 3", .stages = NETWORK, .value_name = "N", .programs = JOB,
	 .help = "Run the network on every N-th frame, and interpolate the mattes in between; delays the output by N - 1 frames"},
	{.key = "matte.max_regions", AFFECTS_MATTE, .traits = OF_PREVIEW,
	 .aliases = "tracking.max_num_faces max_num_faces", .flag = "max-regions", .brief = "process up to N people one by one",
	  FIELD_INT(matte.max_regions),
	  RANGE(0, 16), NUMBER_OR("auto"), .default_text = "auto", .tunable = "1 2 4", .stages = NETWORK, .value_name = "N", .programs = JOB,
	 .help = "Process people one by one, the same in both eyes, in up to N regions; above N they share; 1 takes one region around all; auto is 12 "
		 "for recurrent networks, else 1"},
	{.key = "matte.scales", AFFECTS_MATTE, .traits = COSTS_TIME | OF_PREVIEW,
	 .flag = "scales", FIELD_INT(matte.scales), RANGE(1, 4), .default_text = "1", .tunable = "2", .stages = NETWORK, .value_name = "N",
	 .programs = JOB,
	 .help = "Run the network N times on each region, wider each time, and average the mattes"},
	{.key = "matte.early_exit", AFFECTS_MATTE, .traits = SELDOM | OF_PREVIEW,
	 .flag = "early-exit", FIELD_BOOL(matte.early_exit), .default_text = "false",
	 .tunable = "true", .stages = NETWORK, .programs = JOB,
	 .help = "Run a small network first, and the large one only where the small one is unsure"},
	{.key = "matte.early_exit_threshold", AFFECTS_MATTE, .traits = OF_PREVIEW,
	 .flag = "early-exit-threshold", FIELD_DOUBLE(matte.early_exit_threshold), RANGE(0, 1),
	 .default_text = "0.95", .value_name = "SHARE", .programs = JOB,
	 .help = "Accept the small network's matte at an estimated IoU of at least SHARE: 0 always accepts, 1 never"},
	{.key = "matte.early_exit_model", AFFECTS_MATTE, .traits = OF_PREVIEW, .flag = "early-exit-model", FIELD_NETWORK(matte.early_exit_model),
	 .default_text = "selfie_segmentation_landscape", .value_name = "NAME", .programs = JOB,
	 .help = "Choose the small network of --early-exit, named as for --model"},
	{.key = "matte.early_exit_size", AFFECTS_MATTE, .traits = OF_PREVIEW,
	 .flag = "early-exit-size", FIELD_SIZE2(matte.early_exit_size), RANGE(0, 8192), .min_name = "auto",
	 .default_text = "auto", .unit = "pixels", .value_name = "WxH", .programs = JOB,
	 .help = "Set the input size of the small network of --early-exit; auto is the network's own"},

	/* engine */
	{.key = "engine.model", AFFECTS_MATTE, .traits = OF_CALIBRATION | OF_PREVIEW | OF_NETWORK,
	 .flag = "model", .brief = "network: a name from --list-models, or a file",
	 .letter = 'm', FIELD_NETWORK(engine.model),
	 .axis = "model", .id_letter = 'm',
	 .default_text = "auto",
	 .value_name = "NAME", .programs = JOB,
	 .help = "Choose the network: a name from --list-models, the path of a network file, or auto: rvm_mobilenetv3 where it is "
		 "installed, else selfie_segmentation"},
	{.key = "engine.backend", AFFECTS_MATTE, .traits = OF_ARRAYS | OF_PREVIEW | OF_NETWORK,
	 .flag = "backend", FIELD_NAME(engine.backend), .choices = "auto cpu ref null opencl",
	 .axis = "backend",
	 .default_text = "auto", .tunable = "opencl", .stages = NETWORK, .value_name = "NAME", .programs = JOB,
	 .help = "Choose where the network runs; auto is cpu; opencl is a device (see --device); ref is plain C, slow and exact; null runs nothing and "
		  "shows what the rest costs"},
	{.key = "engine.device", AFFECTS_MATTE, .traits = OF_ARRAYS | OF_PREVIEW | OF_NETWORK,
	 .aliases = "animation.gpu_id gpu_id gpu.device", .backend = OPENCL,
	 .flag = "device", .flag_aliases = "gpu-id", FIELD_NAME(engine.device),
	 .axis = "device",
	 .default_text = "auto", .value_name = "DEVICE", .programs = JOB,
	 .help = "Choose the device of --backend opencl: its number from --hardware, PLATFORM:DEVICE, a PCI address or a part of its name; several "
		  "with + between, or all; auto: the best GPU, else another accelerator, else a CPU device"},
	{.key = "engine.precision", AFFECTS_MATTE, .traits = OF_ARRAYS | OF_PREVIEW | OF_NETWORK,
	 .aliases = "gpu.precision animation.inference_precision inference_precision precision",
	 .flag = "precision", .brief = "auto, fp32, fp16, bf16, int8 or mixed",
	 .letter = 'p', FIELD_ENUM(engine.precision), .choices = "auto fp32 fp16 bf16 int8 mixed",
	 .axis = "precision", .id_letter = 'p', .id_always = true,
	 .default_text = "auto",
	 .tunable = "bf16 int8 fp32 mixed fp16", .stages = NETWORK, .value_name = "NAME", .programs = JOB,
	 .help = "Set the number format of the network; auto takes int8 where --calibrate found that it suits the network, bf16 where the CPU "
		  "multiplies in bf16, else fp32; fp16 and bf16 store 16 bits and sum in float, bf16 also multiplies in 16 bits where "
		  "the CPU can; int8 and mixed use the ranges of --calibrate, or calibrate with the input first"},
	{.key = "engine.threads", AFFECTS_NOTHING, .traits = OF_ARRAYS | OF_CALIBRATION | WORKERS | OF_PREVIEW | OF_NETWORK,
	 .aliases = "processing.num_threads num_threads", .flag = "threads", .brief = "CPU threads of each inference",
	 .letter = 't', FIELD_INT(engine.threads),
	  RANGE(0, 1024), NUMBER_OR("auto"),
	 .axis = "threads", .id_letter = 't', .id_always = true,
	 .default_text = "auto", .tunable = "1 2 4 8 16 32 64", .stages = NETWORK, .value_name = "N", .programs = JOB,
	 .help = "Set the CPU threads of each inference stream"},
	{.key = "engine.streams", AFFECTS_NOTHING, .traits = WORKERS | TAKES_MEMORY | OF_PREVIEW,
	 .flag = "streams", FIELD_INT(engine.streams), RANGE(0, 64), NUMBER_OR("auto"),
	 .axis = "streams", .id_letter = 's',
	 .default_text = "auto",
	 .tunable = "1 2 4 8", .stages = NETWORK, .value_name = "N", .programs = JOB, .help = "Set how many inferences run at the same time"},
	{.key = "engine.affinity", AFFECTS_NOTHING, .traits = OF_PREVIEW | OF_NETWORK, .backend = CPU,
	 .flag = "affinity", FIELD_ENUM(engine.affinity), .choices = "auto none cores", .default_text = "auto",
	 .tunable = "cores", .stages = NETWORK, .value_name = "NAME", .programs = JOB,
	 .help = "Bind inference threads: auto keeps a stream on one memory node where there are several, cores binds each thread to a core "
		  "of its own"},
	{.key = "engine.batch_size", AFFECTS_NOTHING, .traits = TAKES_MEMORY | OF_PREVIEW | OF_NETWORK,
	 .aliases = "model.batch_size animation.batch_size batch_size dataloader.batch_size",
	 .flag = "batch-size", .letter = 'b', FIELD_INT(engine.batch_size), RANGE(0, 256), NUMBER_OR("auto"),
	 .axis = "batch", .id_letter = 'b', .id_always = true,
	 .default_text = "auto",
	 .tunable = "1 2 4 8 16 32", .stages = NETWORK, .value_name = "N", .programs = JOB,
	 .help = "Set the network inputs per call; auto takes all eyes of one frame, 16-32 is a range for vrtune"},
	{.key = "engine.input_size", AFFECTS_MATTE, .traits = OF_CALIBRATION | TAKES_MEMORY | OF_PREVIEW | OF_NETWORK,
	 .aliases = "model.input_size input_size", .flag = "input-size", FIELD_SIZE2(engine.input_size),
	  RANGE(0, 8192), .min_name = "auto",
	 .axis = "input-size", .id_letter = 'n',
	 .default_text = "auto", .tunable = "192x192 256x256 320x320 384x384 512x512", .stages = NETWORK,
	 .unit = "pixels", .value_name = "WxH", .programs = JOB,
	 .help = "Set the network's input size; auto is its own, or what its manifest has for VR and for flat pictures (--auto-size)"},
	{.key = "engine.auto_size", AFFECTS_MATTE, .traits = OF_CALIBRATION | OF_PREVIEW,
	 .flag = "auto-size", FIELD_ENUM(engine.auto_size), .choices = "normal large", .default_text = "normal",
	 .value_name = "SIZE", .programs = JOB,
	 .help = "Choose which of the manifest's sizes --input-size auto takes: large ones give finer mattes for twice the time; networks of one "
		 "size keep it"},
	{.key = "engine.fusion", AFFECTS_MATTE, .traits = OF_ARRAYS | OF_CALIBRATION | OF_PREVIEW | OF_NETWORK,
	 .flag = "fusion", FIELD_BOOL(engine.fusion), .default_text = "true", .programs = JOB,
	 .help = "Fuse operators of the network; turn it off only to compare"},
	{.key = "engine.deterministic", AFFECTS_MATTE, .traits = OF_ARRAYS | OF_CALIBRATION | OF_PREVIEW | OF_NETWORK,
	 .aliases = "gpu.cudnn_deterministic cudnn_deterministic", .flag = "deterministic",
	  FIELD_BOOL(engine.deterministic), .default_text = "true", .programs = JOB,
	 .help = "Write the same bytes on every run and with every thread count"},
	{.key = "engine.max_memory_fraction", AFFECTS_NOTHING, .traits = OF_PREVIEW | OF_NETWORK,
	 .aliases = "gpu.max_vram_usage performance.gpu_memory_fraction gpu.memory_fraction gpu_memory_fraction",
	 .flag = "max-memory-fraction", FIELD_DOUBLE(engine.max_memory_fraction),
	  RANGE(0.05, 1), .default_text = "0.9", .value_name = "SHARE", .programs = JOB,
	 .help = "Limit the share of the RAM, or of the control group's limit, that a job may plan to use; with --backend opencl also of the device's "
		  "memory"},
	{.key = "engine.autotune_kernels", AFFECTS_MATTE, .traits = OF_PREVIEW | OF_NETWORK,
	 .aliases = "gpu.cudnn_benchmark cudnn_benchmark", .backend = CPU,
	 .flag = "autotune", FIELD_BOOL(engine.autotune_kernels), .default_text = "false", .tunable = "true", .stages = NETWORK, .programs = JOB,
	 .help = "Time kernel candidates for each layer once, and keep the winners in the cache folder"},
	{.key = "engine.allow_reduced_accumulate", .aliases = "gpu.allow_tf32 allow_tf32", NO_EFFECT(VRS_OPT_BOOL), .default_text = "false",
	 .help = "Allow faster, less exact float sums", .note = "kernels here always sum in float, and a CPU has no TF32"},
	{.key = "engine.program_cache", AFFECTS_NOTHING, .traits = OF_ARRAYS | OF_PREVIEW | OF_NETWORK,
	 .aliases = "animation.enable_tensorrt enable_tensorrt", .backend = OPENCL,
	 .flag = "program-cache", FIELD_BOOL(engine.program_cache), .default_text = "true", .programs = JOB,
	 .help = "Keep what --backend opencl compiles and measures in the cache folder"},
	{.key = "engine.device_tune", AFFECTS_MATTE, .traits = OF_ARRAYS | OF_PREVIEW | OF_NETWORK,
	 .backend = OPENCL, .flag = "device-tune", FIELD_ENUM(engine.device_tune),
	 .choices = "none fast full", .default_text = "none", .tunable = "fast full", .stages = NETWORK, .value_name = "LEVEL", .programs = JOB,
	 .help = "With --backend opencl, time several ways (fast) or all ways (full) to compute each convolution on the device once, and keep the best "
		  "in the cache folder"},
	{.key = "engine.device_frames", AFFECTS_NOTHING, .backend = OPENCL, .flag = "device-frames", FIELD_ENUM(engine.device_frames),
	 .choices = "auto on off", .default_text = "auto", .value_name = "WHEN", .programs = JOB,
	 .help = "With --backend opencl and --output-mode alpha, pack frames with their mattes on the device (on) or on the CPU (off); auto times both"},
	{.key = "engine.device_math", AFFECTS_MATTE, .traits = OF_ARRAYS | OF_PREVIEW | OF_NETWORK,
	 .backend = OPENCL, .flag = "device-math", FIELD_ENUM(engine.device_math),
	 .choices = "float half dot", .default_text = "float", .value_name = "TYPE", .programs = JOB,
	 .help = "With --backend opencl, multiply halves (half, with --precision fp16) or bytes (dot, with int8 and mixed), on devices that can; no GPU "
		  "has run them yet"},
	{.key = "engine.trim_interval", .aliases = "performance.clear_cache_interval clear_cache_interval", NO_EFFECT(VRS_OPT_INT),
	  RANGE(0, 1000000), NUMBER_OR("never"), .default_text = "never", .unit = "frames", .help = "Release unused device memory every N frames",
	 .note = "memory of a device is planned and taken before the first frame, so that nothing unused piles up"},
	{.key = "engine.pinned_memory", AFFECTS_NOTHING, .traits = OF_ARRAYS | OF_PREVIEW | OF_NETWORK,
	 .aliases = "dataloader.pin_memory pin_memory", .backend = OPENCL,
	 .flag = "pinned-memory", FIELD_BOOL(engine.pinned_memory), .default_text = "true", .programs = JOB,
	 .help = "With --backend opencl, transfer inputs and mattes by memory that the driver has pinned; off: by plain memory"},
	{.key = "engine.async_transfers", AFFECTS_NOTHING, .traits = OF_ARRAYS | OF_PREVIEW | OF_NETWORK, .backend = OPENCL, .flag = "async-transfers",
	 FIELD_BOOL(engine.async_transfers), .default_text = "true", .programs = JOB,
	 .help = "With --backend opencl, transfer inputs and mattes while the device computes for other streams; off: in the queue of its kernels"},
	{.key = "engine.command_replay", AFFECTS_NOTHING, .traits = OF_ARRAYS | OF_PREVIEW | OF_NETWORK, .backend = OPENCL, .flag = "kernel-replay",
	 FIELD_BOOL(engine.command_replay), .default_text = "false", .programs = JOB,
	 .help = "With --backend opencl, record the kernels of the network once and repeat them, where the device has command buffers"},
	{.key = "engine.buffer_pool", PLANNED(VRS_OPT_BOOL), .default_text = "true", .help = "Reuse buffers between calls",
	 .note = "buffers are always reused so far"},
	{.key = "engine.adaptive_batch", AFFECTS_NOTHING, .traits = UNMEASURED | OF_PREVIEW,
	 .flag = "step-down", FIELD_BOOL(engine.adaptive_batch), .default_text = "true", .programs = SEG,
	 .help = "Lower queue, threads, processes, streams and batch where memory does not suffice, before a job and when it runs out"},

	/* pipeline */
	{.key = "pipeline.decode_workers", AFFECTS_NOTHING, .traits = WORKERS | TAKES_MEMORY | OF_PREVIEW,
	 .aliases = "model.num_workers num_workers dataloader.num_workers pipeline.decode_threads",
	 .flag = "decode-workers", FIELD_INT(pipeline.decode_threads), RANGE(0, 256), NUMBER_OR("auto"), .default_text = "auto",
	 .tunable = "1 2 4 8 16", .stages = "decode", .value_name = "N", .programs = JOB, .help = "Set the threads of the video decoder"},
	{.key = "pipeline.encode_workers", AFFECTS_PICTURE, .traits = WORKERS | TAKES_MEMORY,
	 .flag = "encode-workers", FIELD_INT(pipeline.encode_threads), RANGE(0, 64), NUMBER_OR("auto"), .default_text = "auto",
	 .tunable = "1 2 4 8 16", .stages = "encode", .value_name = "N", .programs = JOB,
	 .help = "Set the threads of the video encoder; its bytes may depend on them. auto: what it chooses for the CPUs"},
	{.key = "pipeline.queue_size", AFFECTS_NOTHING, .traits = TAKES_MEMORY,
	 .aliases = "processing.max_queue_size max_queue_size", .flag = "queue-size",
	  FIELD_INT(pipeline.queue_size), RANGE(1, 10000), .default_text = "4", .unit = "frames", .tunable = "2 4 8 16", .value_name = "N",
	 .programs = JOB, .help = "Limit the frames that wait between two stages (64 MiB of them at most, fewer where memory does not suffice)"},
	{.key = "pipeline.max_frames", AFFECTS_MATTE, .traits = PER_RUN | UNMEASURED,
	 .aliases = "max_frames", .flag = "max-frames", .brief = "stop after N frames", .letter = 'n', FIELD_INT(pipeline.max_frames),
	  RANGE(0, 2147483647), .min_name = "all", .default_text = "all", .unit = "frames", .value_name = "N", .programs = JOB,
	 .help = "Stop after N frames"},
	{.key = "pipeline.every_nth", AFFECTS_MATTE, .aliases = "every_nth", .flag = "every-nth", FIELD_INT(pipeline.every_nth), RANGE(1, 10000),
	 .default_text = "1", .unit = "frames", .value_name = "N", .programs = JOB, .help = "Process only every N-th frame"},
	{.key = "pipeline.keep_partial", AFFECTS_FILE, .traits = PER_RUN | UNMEASURED,
	 .flag = "keep-partial", FIELD_BOOL(pipeline.keep_partial), .default_text = "false", .programs = SEG,
	 .help = "If the input is truncated or corrupt, keep the frames before the damage as a valid file"},
	{.key = "pipeline.prefetch", AFFECTS_NOTHING, .traits = TAKES_MEMORY,
	 .aliases = "model.prefetch_factor performance.prefetch_frames prefetch_factor prefetch_frames "
	  "dataloader.prefetch_factor", .flag = "prefetch", FIELD_INT(pipeline.prefetch), RANGE(0, 64), NUMBER_OR("auto"), .default_text = "auto",
	 .unit = "frames", .tunable = "2 8 16", .value_name = "N", .programs = JOB,
	 .help = "Set how many frames to decode ahead for each inference stream; auto is the queue size; memory limits both"},
	{.key = "pipeline.processes", AFFECTS_NOTHING, .traits = UNMEASURED,
	 .aliases = "processing.use_multiprocessing use_multiprocessing", .flag = "processes",
	  FIELD_BOOL(pipeline.processes), .default_text = "false", .programs = SEG,
	 .help = "Process long videos in parallel, in several processes; the output is identical"},
	{.key = "pipeline.process_count", AFFECTS_NOTHING, .traits = UNMEASURED,
	 .flag = "process-count", FIELD_INT(pipeline.process_count), RANGE(0, 64), NUMBER_OR("auto"),
	 .default_text = "auto", .value_name = "N", .programs = SEG,
	 .help = "Set the worker processes of --processes; auto: one per four CPUs, at least two"},
	{.key = "pipeline.sandbox", AFFECTS_NOTHING, .traits = PER_RUN | UNMEASURED | OF_ARRAYS | OF_CALIBRATION | AT_START | OF_PREVIEW,
	 .flag = "sandbox", FIELD_BOOL(pipeline.sandbox), .default_text = "false", .programs = SEG,
	 .help = "Confine the program before it reads the input: it can open only the files that the command names, and no network, and start "
		  "no programs"},
	{.key = "pipeline.segment_frames", AFFECTS_PICTURE, .traits = UNMEASURED,
	 .aliases = "pipeline.chunk_frames processing.chunk_size chunk_size", .flag = "segment-frames", .flag_aliases = "chunk-frames",
	  FIELD_INT(pipeline.segment_frames), RANGE(0, 2147483647), .min_name = "none", .default_text = "1000", .unit = "frames", .value_name = "N",
	 .programs = SEG,
	 .help = "Process long videos in segments of N frames, so that an interrupted run can resume; none: in one go"},
	{.key = "pipeline.resume", AFFECTS_NOTHING, .traits = PER_RUN | UNMEASURED,
	 .flag = "resume", FIELD_BOOL(pipeline.resume), .default_text = "true", .programs = SEG,
	 .help = "Continue with the segments that an interrupted run of the same command left; off starts anew"},
	{.key = "pipeline.async_input", .aliases = "performance.use_async_capture use_async_capture", NO_EFFECT(VRS_OPT_BOOL),
	 .default_text = "true", .help = "Read in a thread of its own", .note = "input always has a thread of its own"},
	{.key = "pipeline.async_output", .aliases = "performance.use_async_output use_async_output", NO_EFFECT(VRS_OPT_BOOL),
	 .default_text = "true", .help = "Write in a thread of its own", .note = "output always has a thread of its own"},
	{.key = "pipeline.persistent_workers", .aliases = "dataloader.persistent_workers persistent_workers", NO_EFFECT(VRS_OPT_BOOL),
	 .default_text = "false", .help = "Keep workers between the files of a batch",
	 .note = "every file gets fresh workers and reads its network anew, a fraction of a second"},
	{.key = "pipeline.live", AFFECTS_PICTURE, .traits = UNMEASURED,
	 .flag = "live", .brief = "work in real time", FIELD_BOOL(pipeline.live), .default_text = "false", .programs = SEG,
	 .help = "Work in real time: a file plays at its own rate, devices, pipes and streams set the pace; late frames are dropped and counted"},
	{.key = "pipeline.live_fps", AFFECTS_PICTURE, .traits = UNMEASURED,
	 .flag = "live-fps", FIELD_DOUBLE(pipeline.live_fps), RANGE(0, 1000), .min_name = "auto",
	 .default_text = "auto", .unit = "frames/s", .value_name = "FPS", .programs = SEG,
	 .help = "Play a file at this rate with --live, such as that of a headset; auto is the file's own"},
	{.key = "pipeline.late_frames", AFFECTS_PICTURE,
	 .flag = "late-frames", FIELD_ENUM(pipeline.late_frames), .choices = "reuse drop", .default_text = "reuse",
	 .value_name = "WHAT", .programs = SEG,
	 .help = "Choose what becomes of late frames with --live: reuse shows them with the matte of the frame before, drop leaves them out"},
	{.key = "pipeline.frames_in_flight", AFFECTS_NOTHING, .traits = TAKES_MEMORY,
	 .flag = "frames-in-flight", FIELD_INT(pipeline.frames_in_flight), RANGE(0, 10000), NUMBER_OR("auto"),
	 .default_text = "auto", .unit = "frames", .tunable = "8 16 4 32", .value_name = "N", .programs = JOB,
	 .help = "Limit the frames between decoder and encoder: fewer mean less latency and memory; auto is what the queues hold; live, one "
		  "more than are being processed"},
	{.key = "pipeline.batch_timeout_ms", AFFECTS_NOTHING, .flag = "batch-timeout-ms", FIELD_DOUBLE(pipeline.batch_timeout_ms), RANGE(-1, 60000),
	 .min_name = "none", .default_text = "none", .unit = "ms", .value_name = "MS", .programs = JOB,
	 .help = "Limit how long a batch waits to fill after its first frame; the rest is padded; 0 takes the frames that are there, none waits for all"},
	{.key = "pipeline.frame_timeout", AFFECTS_NOTHING, .traits = UNMEASURED | OF_PREVIEW,
	 .flag = "frame-timeout", FIELD_DOUBLE(pipeline.frame_timeout),
	 RANGE(0, 86400), .min_name = "none", .default_text = "600", .unit = "s", .value_name = "SECONDS", .programs = SEG,
	 .help = "Fail when a stage of the pipeline has not finished a frame after this time"},
	{.key = "pipeline.mmap_input", NO_EFFECT(VRS_OPT_BOOL), .default_text = "false", .help = "Map raw input and weights into memory",
	 .note = "FFmpeg reads films through buffers of its own, and a network is read once; the page cache holds both"},

	/* cache */
	{.key = "cache.enabled", AFFECTS_NOTHING, .traits = UNMEASURED,
	 .aliases = "processing.enable_caching enable_caching", .flag = "cache", FIELD_BOOL(cache.enabled),
	 .default_text = "false", .programs = SEG,
	 .help = "Keep mattes on disk, so that a second output from the same input, network and matte options needs no network"},
	{.key = "cache.size_gb", AFFECTS_NOTHING, .traits = UNMEASURED,
	 .aliases = "processing.cache_size_gb cache_size_gb", .flag = "cache-size", FIELD_DOUBLE(cache.size_gb),
	  RANGE(0, 1000), .default_text = "4", .unit = "GB", .value_name = "GB", .programs = SEG,
	 .help = "Limit the disk space of cached mattes; the least recently used are removed first"},
	{.key = "cache.dir", AFFECTS_NOTHING, .traits = UNMEASURED,
	 .flag = "cache-dir", FIELD_FOLDER(cache.dir), .default_text = "", .value_name = "DIR", .programs = SEG,
	 .help = "Keep cached mattes in this folder instead of the user's cache folder"},

	/* target */
	{.key = "target.fps", AFFECTS_NOTHING, .traits = UNMEASURED,
	 .aliases = "performance.target_fps target_fps", .flag = "target-fps", FIELD_DOUBLE(target.fps), RANGE(0, 10000),
	 .min_name = "none", .default_text = "none", .unit = "frames/s", .value_name = "FPS", .programs = JOB,
	 .help = "Set the target speed: a pass/fail line in reports, and a goal for vrtune"},
	{.key = "target.max_latency_ms", AFFECTS_NOTHING, .traits = UNMEASURED,
	 .aliases = "performance.max_latency_ms max_latency_ms", .flag = "max-latency-ms",
	  FIELD_DOUBLE(target.max_latency_ms), RANGE(0, 600000), .min_name = "none", .default_text = "none", .unit = "ms", .value_name = "MS",
	 .programs = JOB, .help = "Set the latency target: a pass/fail line in reports, and a limit for vrtune"},
	{.key = "target.auto_tune", AFFECTS_NOTHING, .traits = PER_RUN | UNMEASURED,
	 .aliases = "performance.auto_tune auto_tune", .flag = "auto-tune", FIELD_BOOL(target.auto_tune), .default_text = "false", .programs = SEG,
	 .help = "Run with the best settings for this machine, network and kind of video; where they are not known yet, let vrtune look for them first, "
		 "for two minutes at most"},

	/* report */
	{.key = "report.stats", AFFECTS_NOTHING, .traits = PER_RUN | UNMEASURED,
	 .flag = "stats", .brief = "report what each stage costs", FIELD_BOOL(report.stats), .default_text = "false", .programs = SEG,
	 .help = "Print a report of all stages at the end"},
	{.key = "report.progress", AFFECTS_NOTHING, .traits = PER_RUN | UNMEASURED | OF_MODES,
	 .flag = "progress", FIELD_ENUM(report.progress), .choices = "auto plain json none", .default_text = "auto",
	 .value_name = "HOW", .programs = JOB, .help = "Choose how to show progress: auto is a live line on a terminal and plain lines elsewhere"},
	{.key = "report.log_file", AFFECTS_NOTHING, .traits = PER_RUN | UNMEASURED | OF_MODES | AT_START | OF_LISTS,
	 .flag = "log-file", FIELD_OUTPUT(report.log_file), .default_text = "", .value_name = "FILE", .programs = ALL,
	 .help = "Also append messages to this file"},
	{.key = "report.log_level", AFFECTS_NOTHING, .traits = PER_RUN | UNMEASURED | OF_MODES | OF_LISTS,
	 .flag = "log-level", FIELD_ENUM(report.log_level), .choices = "error warning info debug",
	 .default_text = "info", .value_name = "LEVEL", .programs = ALL, .help = "Set the minimum severity to show"},
	{.key = "report.strict", AFFECTS_NOTHING, .traits = PER_RUN | UNMEASURED | OF_MODES | OF_LISTS,
	 .flag = "strict", FIELD_BOOL(report.strict), .default_text = "false", .programs = ALL,
	 .help = "Treat warnings about settings as errors, such as a value without effect or an input size that the network was not trained for"},
	{.key = "report.trace", AFFECTS_NOTHING, .traits = PER_RUN | UNMEASURED,
	 .flag = "trace", FIELD_OUTPUT(report.trace), .default_text = "", .value_name = "FILE", .programs = SEG,
	 .help = "Write a Chrome trace of all stages and queue waits, for Perfetto or chrome://tracing"},
	{.key = "report.profile", AFFECTS_NOTHING, .traits = PER_RUN | UNMEASURED,
	 .aliases = "debug.profile_performance profile_performance", .flag = "profile-job", FIELD_BOOL(report.profile),
	 .default_text = "false", .programs = SEG, .help = "Print the stage report and the network's slowest operators at the end"},
	{.key = "report.metrics_file", AFFECTS_NOTHING, .traits = PER_RUN | UNMEASURED | OF_MODES | AT_START,
	 .flag = "metrics-file", FIELD_OUTPUT(report.metrics_file), .default_text = "", .value_name = "FILE", .programs = SEG | VRS_PROGRAM_VRBENCH,
	 .help = "Keep metrics in this file, for Prometheus' node exporter (NAME.prom): written every five seconds, and with the exit code at the end"},
	{.key = "report.metrics_port", AFFECTS_NOTHING, .traits = PER_RUN | UNMEASURED | OF_MODES | AT_START,
	 .flag = "metrics-port", FIELD_NAME(report.metrics_port), .default_text = "", .value_name = "PORT", .programs = SEG | VRS_PROGRAM_VRBENCH,
	 .help = "Answer http://127.0.0.1:PORT/metrics, for Prometheus and others; ADDRESS:PORT listens elsewhere"},

	/* workload: other networks that the documents tune; measured by vrbench --workload once they exist */
	{.key = "workload.clip.batch_size", .aliases = "clip_batch", PLANNED(VRS_OPT_INT), RANGE(1, 1024), .default_text = "32",
	 .help = "Set the batch of the image embedding workload", .note = NEEDS_WORKLOADS},
	{.key = "workload.arcface.batch_size", .aliases = "arcface_batch", PLANNED(VRS_OPT_INT), RANGE(1, 1024), .default_text = "32",
	 .help = "Set the batch of the face identity workload", .note = NEEDS_WORKLOADS},
	{.key = "workload.arcface.embedding_batch", .aliases = "embedding_batch", PLANNED(VRS_OPT_INT), RANGE(1, 1024), .default_text = "128",
	 .help = "Set the batch of the embedding step of the face identity workload", .note = NEEDS_WORKLOADS},
	{.key = "workload.sam2.batch_size", .aliases = "sam2_batch", PLANNED(VRS_OPT_INT), RANGE(1, 1024), .default_text = "1",
	 .help = "Set the batch of the promptable segmentation workload", .note = NEEDS_WORKLOADS},
	{.key = "workload.sam2.points_per_side", .aliases = "points_per_side", PLANNED(VRS_OPT_INT), RANGE(1, 256), .default_text = "32",
	 .help = "Set the prompt points per side of the promptable segmentation workload", .note = NEEDS_WORKLOADS},
	{.key = "workload.lama.batch_size", .aliases = "lama_batch", PLANNED(VRS_OPT_INT), RANGE(1, 1024), .default_text = "4",
	 .help = "Set the batch of the inpainting workload", .note = NEEDS_WORKLOADS},
	{.key = "workload.mediapipe.batch_size", .aliases = "mediapipe_batch", PLANNED(VRS_OPT_INT), RANGE(1, 1024), .default_text = "32",
	 .help = "Set the batch of the pose tracking workload", .note = NEEDS_WORKLOADS},
	{.key = "workload.motion.batch_size", .aliases = "optical_flow_batch", PLANNED(VRS_OPT_INT), RANGE(1, 1024), .default_text = "16",
	 .help = "Set the frame pairs per call of the motion workload", .note = NEEDS_WORKLOADS},
	{.key = "workload.sync.face_detection_batch", .aliases = "face_detection_batch", PLANNED(VRS_OPT_INT), RANGE(1, 1024),
	 .default_text = "32", .help = "Set the batch of the face detection step of the audio-video sync workload", .note = NEEDS_WORKLOADS},
	{.key = "workload.sync.audio_chunk_size", .aliases = "audio_chunk_size", PLANNED(VRS_OPT_INT), RANGE(1, 10000000),
	 .default_text = "16000", .unit = "samples",
	 .help = "Set the audio samples per step of the audio-video sync workload", .note = NEEDS_WORKLOADS},
};

static const struct vrs_synonym synonyms[] = {
	/* device names of other frameworks; their "cuda" is the GPU, which is the OpenCL backend here */
	{.keys = "device", .target = "engine.backend", .map = "cuda=opencl gpu=opencl opencl=opencl cpu=cpu auto=auto"},
	{.keys = "animation.use_half_precision use_half_precision animation.use_fp16 use_fp16 fp16", .flag = "fp16", .target = "engine.precision",
	 .map = "true=fp16 false=", .weak = true, .flag_help = "Same as --precision fp16", .programs = JOB},
	{.keys = "enable_metrics enable-metrics", .flag = "enable-metrics", .target = "report.profile", .map = "true=true false=false",
	 .flag_help = "Same as --profile-job", .programs = SEG},
	/* what GPU frameworks call so is halves in memory and float sums; a CPU mixes bytes and float */
	{.keys = "mixed_precision animation.mixed_precision gpu.mixed_precision", .target = "engine.precision", .map = "true=mixed false=",
	 .on_device = "fp16", .weak = true},
	{.keys = NULL},
};

static const struct vrs_section sections[] = {
	{"output", "Output"}, {"input", "Input"}, {"matte", "Matte"}, {"engine", "Engine"}, {"pipeline", "Pipeline"},
	{"cache", "Cache"}, {"target", "Targets"}, {"report", "Reports and messages"}, {"workload", "Workloads"}, {NULL, NULL},
};

const struct vrs_option *vrs_option_table(int *ret_count)
{
	*ret_count = (int)(sizeof rows / sizeof rows[0]);
	return rows;
}

int vrs_option_index(const struct vrs_option *row)
{
	return (int)(row - rows);
}

const struct vrs_synonym *vrs_synonym_list(void)
{
	return synonyms;
}

const struct vrs_section *vrs_section_list(void)
{
	return sections;
}
