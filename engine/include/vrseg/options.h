/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The values that every program runs with, and the rows of the one option table that describe them.
 *
 * struct vrs_settings is plain data; vrs_option_table() holds one row per option: canonical key, aliases, flag, type, unit, range,
 * default, help.  The command line, --help, YAML, environment, validation, the tuner's space and the configuration part of every
 * result are made from these rows; nothing else parses an option.
 */
#ifndef VRSEG_OPTIONS_H
#define VRSEG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/layout.h>
#include <vrseg/session.h>
#include <vrseg/status.h>

#define VRS_PATH_MAX 1024
#define VRS_NAME_MAX 64

enum vrs_output_mode { VRS_MODE_GREEN, VRS_MODE_MATTE, VRS_MODE_ALPHA, VRS_MODE_CUTOUT };
/* Colour of the discs of mode alpha; players read red. */
enum vrs_alpha_color { VRS_ALPHA_GREY, VRS_ALPHA_RED };
enum vrs_alpha_size { VRS_ALPHA_SIZE_SOURCE, VRS_ALPHA_SIZE_EXACT };
enum vrs_player { VRS_PLAYER_NONE, VRS_PLAYER_DEOVR, VRS_PLAYER_HERESPHERE, VRS_PLAYER_SKYBOX, VRS_PLAYER_4XVR, VRS_PLAYER_XBVR };
/* auto: centre for an eye that shows half a sphere or a fisheye circle (VR180), whole for everything else */
enum vrs_view { VRS_VIEW_AUTO, VRS_VIEW_WHOLE, VRS_VIEW_CENTRE };
/* HDR videos; auto: bt2390 where the encoder has 8 bits, else off, which keeps them HDR */
enum vrs_tonemap_choice { VRS_TONEMAP_AUTO, VRS_TONEMAP_OFF, VRS_TONEMAP_BT2390 };
enum vrs_foreground_when { VRS_FOREGROUND_AUTO, VRS_FOREGROUND_ON, VRS_FOREGROUND_OFF };
/* which of a manifest's sizes for VR and for flat pictures */
enum vrs_auto_size { VRS_AUTO_SIZE_NORMAL, VRS_AUTO_SIZE_LARGE, VRS_AUTO_SIZES };
#define VRS_MODEL_AUTO "auto"
enum vrs_late_frames { VRS_LATE_REUSE, VRS_LATE_DROP };
/* auto: gnomonic where the picture is bent so much that people suffer from it */
enum vrs_view_projection { VRS_VIEW_PROJECTION_AUTO, VRS_VIEW_PROJECTION_SOURCE, VRS_VIEW_PROJECTION_GNOMONIC };
/* where frames are packed with their mattes; AUTO: where it is faster */
enum vrs_device_frames { VRS_DEVICE_FRAMES_AUTO, VRS_DEVICE_FRAMES_ON, VRS_DEVICE_FRAMES_OFF };
enum vrs_progress { VRS_PROGRESS_AUTO, VRS_PROGRESS_PLAIN, VRS_PROGRESS_JSON, VRS_PROGRESS_NONE };

/* Every option that has an effect today.  A new one is a field here plus a row in engine/config/option_table.c. */
struct vrs_settings {
	struct {
		char backend[VRS_NAME_MAX]; /* auto cpu ref null opencl */
		char device[VRS_NAME_MAX];  /* of a backend of devices, in its words (opencl/ocl_choice.h), several with + between; "auto": the first that suits */
		bool program_cache;         /* keep the programs built for a device, and what was timed on it */
		bool pinned_memory;         /* transfers to and from a device use memory that its driver has pinned */
		bool async_transfers;       /* transfers have queues of their own, beside that of the kernels */
		bool command_replay;        /* a device repeats recorded kernels */
		int device_tune;            /* enum vrs_device_tune */
		int device_frames;          /* enum vrs_device_frames */
		int device_math;            /* enum vrs_device_math */
		int precision;              /* enum vrs_precision */
		int threads;                /* per stream; 0: auto */
		int streams;                /* inference streams in flight; 0: auto */
		int affinity;               /* enum vrs_affinity */
		int batch_size;             /* network inputs per call; 0: auto = all eyes of one frame */
		int input_size[2];          /* network input width, height; 0 0: the model's own, or as auto_size says */
		int auto_size;              /* enum vrs_auto_size */
		bool fusion;
		bool deterministic;
		bool autotune_kernels;
		bool adaptive_batch;        /* smaller batch, streams and queue where memory does not suffice */
		double max_memory_fraction; /* of RAM, or of the control group's limit, that a job may use; 0.05..1 */
		char model[VRS_PATH_MAX];   /* manifest name or path of a network file; VRS_MODEL_AUTO: the best that is installed */
	} engine;
	struct {
		int decode_threads;         /* 0: auto */
		int encode_threads;         /* 0: as the encoder would choose for the CPUs that there are */
		int queue_size;             /* frames per queue */
		int prefetch;               /* frames decoded ahead for each stream; 0: auto, the queue size */
		int max_frames;             /* 0: all */
		int every_nth;              /* process every n-th frame; 1: all */
		bool keep_partial;          /* of an input that breaks off, keep the frames before */
		bool live;                  /* in real time; late frames are dropped */
		int late_frames;            /* enum vrs_late_frames: live frames that the network has no time for */
		double live_fps;            /* frames a second at which a live file is played; 0: its own */
		int frames_in_flight;       /* between decoder and encoder; 0: auto */
		double batch_timeout_ms;    /* 0: take what is there; below 0: wait until the batch is full */
		double frame_timeout;       /* seconds that a stage may hold a frame; 0: for ever */
		int segment_frames;         /* of a segment that is kept when a run is interrupted; 0: the video is made in one go */
		bool processes;             /* make the segments by worker processes */
		int process_count;          /* of them; 0: auto */
		bool sandbox;               /* the program confines itself before it reads the input */
		bool resume;                /* go on with the segments of an interrupted run */
	} pipeline;
	struct {
		int view;                   /* enum vrs_view */
		double view_size;           /* share of the eye that the centre view shows, 0.1..1 */
		int view_projection;        /* enum vrs_view_projection: how the network sees a part of an eye */
		bool follow;                /* look at the part around the people of an earlier frame, beginning with the view */
		double cutoff;              /* alpha below becomes 0, the rest is stretched; 0..0.95 */
		double gamma;               /* exponent of alpha */
		int foreground;             /* enum vrs_foreground_when: soft edges get the person's own colour */
		double despill;             /* takes the background's colour out of soft edges; 0..1, 0: off */
		double smoothing;           /* weight of the newest matte in exponential smoothing; 1: off */
		int smoothing_window;       /* frames of a centred mean, half of them to come; 1: off */
		double motion_gate;         /* change of luma, 0..255, from which on smoothing keeps nothing; 0: smooth nothing; below 0: everything */
		bool refine;                /* draw edges to those of the picture: guided filter */
		int refine_radius;          /* matte pixels, 1..16 */
		double refine_eps;          /* variance of luma (0..1) that counts as an edge */
		double refine_limit;        /* most that an alpha changes */
		bool refine_full;           /* draw edges to those of the picture in every sample of it, when composing */
		double grow;                /* people larger by so many pixels of the output; below 0: smaller */
		double feather;             /* half width of the softened edge, pixels of the output */
		bool skip_similar;          /* reuse the matte while the picture hardly changes */
		double skip_threshold;      /* similarity from which on it does not, 0..1 */
		char exclude[VRS_PATH_MAX]; /* what is background always: boxes or a picture */
		int repair_eyes;            /* enum vrs_eye_repair: nothing, union or mean of the two eyes' mattes where they differ */
		int max_regions;            /* parts of an eye that are followed at the same time, 1..16; 0: what suits the network */
		int scales;                 /* views of each part, each wider than the one before, whose mattes are averaged; 1: one */
		bool early_exit;            /* a small network looks first, the large one where that is unsure */
		double early_exit_threshold; /* confidence from which on the small one is enough, 0..1 */
		char early_exit_model[VRS_PATH_MAX]; /* the small network */
		int early_exit_size[2];     /* its input width, height; 0 0: its own */
		int stride;                 /* every stride-th frame goes through the network; 1: all */
	} matte;
	struct {
		char file[VRS_PATH_MAX];
		int mode;                   /* enum vrs_output_mode */
		uint8_t color[3];           /* RGB of the background in mode green */
		char background[VRS_PATH_MAX]; /* mode green: "color", "blur" or a picture or video file */
		double blur;                /* standard deviation of background blur, share of the eye's height */
		double fov;                 /* degrees of the fisheye of mode alpha; 0: auto */
		int alpha_color;            /* enum vrs_alpha_color */
		int alpha_size;             /* enum vrs_alpha_size */
		bool verify_pack;           /* decode the output of mode alpha again and compare its mattes */
		int player;                 /* enum vrs_player: whose name tags the output gets */
		int tonemap;                /* enum vrs_tonemap_choice */
		char encoder[VRS_NAME_MAX];
		char preset[VRS_NAME_MAX];
		int crf;                    /* -1: the encoder's default */
		int quality;                /* 0..100; -1: not asked for */
		char bitrate[VRS_NAME_MAX]; /* "auto" (none), "source" or bits per second, "20M" */
		bool lossless;
		bool overwrite;
		bool audio;                 /* copy audio */
		bool skip_existing;         /* of several inputs, those whose output is complete */
	} output;
	struct {
		bool recursive;             /* folders with their sub-folders */
		int layout;                 /* enum vrs_layout_choice */
		char projection[VRS_NAME_MAX]; /* text of vrs_projection_ask; "": auto */
		char hwdecode[VRS_NAME_MAX]; /* auto, off, or a kind of device */
		double fps;                 /* of picture sequences and raw video; 0: 25 */
		char raw_format[VRS_NAME_MAX]; /* pixel format of raw video; "": the input is not raw */
		int raw_size[2];
		double start;               /* seconds from the first time stamp; frames before it are left out */
		double duration;            /* seconds from the start; 0: to the end */
	} input;
	struct {
		bool enabled;               /* keep mattes on disk, and use those that are there */
		double size_gb;             /* of all files together */
		char dir[VRS_PATH_MAX];     /* "": mattes in the user's cache folder */
	} cache;
	struct {
		double fps;                 /* 0: none */
		double max_latency_ms;      /* 0: none */
		bool auto_tune;
	} target;
	struct {
		int progress;               /* enum vrs_progress */
		char log_file[VRS_PATH_MAX];
		int log_level;              /* enum vrs_log_level */
		bool strict;                /* warnings about settings are errors */
		bool stats;                 /* print the stage report at the end */
		bool profile;               /* stages and operators at the end */
		char trace[VRS_PATH_MAX];   /* Chrome trace of the job; "": none */
		char metrics_file[VRS_PATH_MAX]; /* "": none */
		char metrics_port[VRS_NAME_MAX]; /* as of vrs_metrics_open; "": none */
	} report;
};

enum vrs_option_type { VRS_OPT_BOOL, VRS_OPT_INT, VRS_OPT_DOUBLE, VRS_OPT_ENUM, VRS_OPT_STRING, VRS_OPT_SIZE2, VRS_OPT_COLOR };
/*
 * What a value names.  No file that is read may be one that is written: vrs_config_check_files makes both lists from the rows of options and of
 * programs' flags.
 */
enum vrs_file_role {
	VRS_FILE_NONE,
	VRS_FILE_READ,
	VRS_FILE_NETWORK, /* read, with what lies beside it: a manifest names a network, that names its weights */
	VRS_FILE_WRITTEN, /* made, replaced or appended to */
	VRS_FILE_FOLDER,  /* files are written into it */
};
static inline bool vrs_file_is_read(enum vrs_file_role role)
{
	return role == VRS_FILE_READ || role == VRS_FILE_NETWORK;
}
/* What output.file takes for a folder of pictures ("png:FOLDER"), and their names. */
#define VRS_PICTURES_PREFIX "png:"
#define VRS_PICTURES_NAME "%06d.png"

enum vrs_option_state { VRS_OPT_READY, VRS_OPT_PLANNED, VRS_OPT_NO_EFFECT };
/* Which programs offer the flag; a bit set. */
enum vrs_program { VRS_PROGRAM_VRSEG = 1, VRS_PROGRAM_VRBENCH = 2, VRS_PROGRAM_VRTUNE = 4, VRS_PROGRAM_VRANALYZE = 8 };
/*
 * What a job makes otherwise when the option has another value; a bit set.  The key of the matte cache is made of all options that affect mattes,
 * the identity of a checkpoint of all that affect pictures.  Rows in effect have at least one bit, so that none is forgotten.
 */
enum vrs_option_effect {
	VRS_AFFECTS_NOTHING = 1,    /* the same file comes out, sooner or later */
	VRS_AFFECTS_MATTE = 2,      /* mattes as the cache keeps them; always with the two below */
	VRS_AFFECTS_PICTURE = 4,    /* the encoded pictures; always with the one below */
	VRS_AFFECTS_FILE = 8,       /* the file around them: its name, its tags, its sound, where it ends */
};
enum vrs_option_trait {
	VRS_OPTION_PER_RUN = 1,     /* says how one run goes (overwrite, progress, where to begin and end), not what the job is: no configuration
				       that a program writes for later holds it */
	VRS_OPTION_UNMEASURED = 2,  /* runs of vrbench and vrtune set it themselves or have no use for it: not to be swept or tuned */
	VRS_OPTION_OF_ARRAYS = 4,   /* vrseg uses it for networks on arrays (--run-network, --describe-network) */
	VRS_OPTION_OF_CALIBRATION = 8, /* vrseg uses it for --calibrate */
	VRS_OPTION_WORKERS = 16,    /* counts threads: no more than the machine's CPUs are worth trying */
	VRS_OPTION_SELDOM = 32,     /* tunable, and its values seldom win: the tuner tries others of the same stages first */
	VRS_OPTION_COSTS_TIME = 64, /* tunable, and its values take time to make better mattes: of no use to a search for speed */
	VRS_OPTION_TAKES_MEMORY = 128, /* of two values of it the larger one takes more memory */
	VRS_OPTION_AT_START = 256,  /* vrseg uses it before the first job alone: the command set of --interactive refuses it */
	VRS_OPTION_OF_PREVIEW = 512, /* vrseg uses it for --preview */
	VRS_OPTION_OF_LISTS = 1024, /* vrseg uses it for --hardware, --list-models and --list-encoders */
	VRS_OPTION_OF_NETWORK = 2048, /* vrbench uses it for --net-only */
	VRS_OPTION_OF_RESUME = 4096, /* vrbench uses it for --resume */
	VRS_OPTION_OF_ENCODER = 8192, /* for encoders, of which some, and outputs without one, have no use for it */
	VRS_OPTION_RATE = 16384,    /* decides on size and quality of the video: of those that are asked for, one counts */
};

struct vrs_option {
	const char *key;            /* canonical: "engine.threads" */
	const char *aliases;        /* space-separated further keys ("gpu.precision animation.inference_precision"); NULL: none */
	const char *flag;           /* "threads" for --threads; NULL: no flag (planned rows never have one) */
	const char *flag_aliases;   /* former names of the flag, space-separated, in no help; NULL: none */
	char letter;                /* short flag; 0: none */
	enum vrs_option_type type;
	size_t offset;              /* into struct vrs_settings; SIZE_MAX for planned rows */
	size_t size;                /* of the field (strings) */
	double min, max;            /* numbers */
	bool clock;                 /* doubles in seconds: also written as a time, 1:30 or 90s */
	const char *min_name;       /* word for the value `min` ("auto", "all", "none"), accepted and printed instead of it; NULL: none.  The number
				       `min` itself may then not be written, since the word often means the opposite of a small number: the
				       least one is the next whole number, any above it of other numbers, and 0 where `min` is negative */
	bool takes_min;             /* the number `min` may be written all the same: 0 threads and a crf of -1 are auto */
	const char *choices;        /* enums: "fp32 fp16 ..." in the order of the values; strings: the words allowed, NULL: any */
	const char *backend;        /* the one backend that reads the option, which others ignore with a warning (vrs_config_warn_backend); NULL: all */
	const char *default_text;
	const char *unit;           /* NULL: none */
	const char *help;           /* one sentence, no final dot */
	const char *brief;          /* puts the flag into -h: at most 51 characters, lower case; NULL: not there */
	const char *tunable;        /* values that the tuner tries, space-separated; NULL: not tunable. Counts of CPU threads beyond the machine are
				       the tuner's to drop. Integer rows with values here accept an interval "16-32" (vrs_config_interval). */
	const char *stages;         /* of tunable rows: the stages (vrs_stage_name) whose work they change, space-separated; NULL: of all */
	const char *value_name;     /* "N", "FILE" in --help; NULL for bool */
	const char *axis;           /* name as an axis of a measurement ("batch"); NULL: the key */
	char id_letter;             /* of the value in ids of cases ("b=2"); 0: the key */
	bool id_always;             /* ids say the value even where no axis holds it */
	unsigned programs;          /* set of enum vrs_program */
	unsigned affects;           /* set of enum vrs_option_effect; 0 for planned rows and those without effect */
	unsigned traits;            /* set of enum vrs_option_trait */
	enum vrs_file_role file;    /* of strings of VRS_PATH_MAX bytes */
	enum vrs_option_state state;
	const char *note;           /* planned and no-effect rows: the reason printed once */
};

/* All rows and their number; the order is the order of --help and --dump-config. */
const struct vrs_option *vrs_option_table(int *ret_count);
/* Row of a canonical key or alias; NULL: unknown. */
const struct vrs_option *vrs_option_find(const char *key);
/* Row of a flag (without dashes) offered by a program; NULL: unknown. */
const struct vrs_option *vrs_option_find_flag(const char *flag, unsigned program);
/* What settings hold for a row in effect, as text that vrs_config_set takes. VRS_ELIMIT when buf is too small. */
enum vrs_status vrs_option_text(const struct vrs_option *row, const struct vrs_settings *settings, char *buf, size_t size) VRS_MUST_CHECK;
/* The least number that may be written for a row of numbers; *ret_open: only those above it may.  Not always row->min: see min_name. */
double vrs_option_least(const struct vrs_option *row, bool *ret_open);
/* Is the text the number that is the same as the row's word, as "0" of threads?  row may be NULL. */
bool vrs_option_is_word_number(const struct vrs_option *row, const char *text);
/*
 * Whether a record of a measurement (a journal that is resumed, a results.json) sets the option: what was measured, but nothing that is written, nor
 * how a run goes and shows itself.  Records come from strangers.
 */
bool vrs_option_is_recorded(const struct vrs_option *row);
/* Row of a one-letter flag; NULL: unknown. */
const struct vrs_option *vrs_option_find_letter(char letter, unsigned program);

#endif
