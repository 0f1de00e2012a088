/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Configurations: settings plus the source of each value.
 *
 * Later sources override earlier ones: built-in default < profile < hardware file < config file < environment < flag.  Callers load in
 * any order; a value never replaces one of a stronger source.
 */
#ifndef VRSEG_CONFIG_H
#define VRSEG_CONFIG_H

#include <stdio.h>

#include <vrseg/flags.h>
#include <vrseg/model.h>
#include <vrseg/options.h>

/* Who set a value; each overrules those before it. */
enum vrs_value_source { VRS_SOURCE_DEFAULT, VRS_SOURCE_PROFILE, VRS_SOURCE_HARDWARE, VRS_SOURCE_FILE, VRS_SOURCE_ENV, VRS_SOURCE_FLAG };

struct vrs_config; /* opaque: settings + source per row + file names */

/* All defaults. Free with vrs_config_destroy. VRS_EINVAL: no place for it; VRS_ENOMEM. */
enum vrs_status vrs_config_create(struct vrs_config **ret_config) VRS_MUST_CHECK;
void vrs_config_destroy(struct vrs_config *config);
/* Values, their sources and the names of files. The same statuses. */
enum vrs_status vrs_config_copy(struct vrs_config **ret_config, const struct vrs_config *from) VRS_MUST_CHECK;
const struct vrs_settings *vrs_config_settings(const struct vrs_config *config);

/*
 * Set one value from text.  `key` is canonical or an alias.  VRS_ECONFIG with a sentence (and "did you mean") on unknown keys, wrong types
 * and values out of range.  `where` is used in messages ("--threads", "VRSEG_ENGINE_THREADS"); may be NULL.
 */
enum vrs_status vrs_config_set(struct vrs_config *config, const char *key, const char *value, enum vrs_value_source source, const char *where,
			       struct vrs_error *err) VRS_MUST_CHECK;
/* Current value as text, as YAML would show it. VRS_ENOTFOUND; VRS_ELIMIT when buf is too small. */
enum vrs_status vrs_config_get(const struct vrs_config *config, const char *key, char *buf, size_t size) VRS_MUST_CHECK;
/* VRS_SOURCE_DEFAULT for unknown keys. */
enum vrs_value_source vrs_config_source(const struct vrs_config *config, const char *key);
/* "default", "profile", "hardware", "file", "environment", "flag". Never NULL. */
const char *vrs_source_name(enum vrs_value_source source);
/* Where the value was set: "my.yaml:3", "VRSEG_ENGINE_THREADS", "--threads"; "" for defaults. Valid until the value changes. */
const char *vrs_config_where(const struct vrs_config *config, const char *key);
/*
 * A mode of a program that uses only some options refuses flags of the others instead of ignoring them; configuration files and the environment
 * serve all modes and may hold them.  used: the traits of which its options have one; mode: as in messages ("--run-network").  VRS_ECONFIG.
 */
enum vrs_status vrs_config_refuse_flags(const struct vrs_config *config, unsigned used, const char *mode, struct vrs_error *err)
	VRS_MUST_CHECK;
/* Defaults for the options that have none of these traits: what configuration files say about them is not for this mode. */
void vrs_settings_keep(struct vrs_settings *settings, unsigned traits);
/* Do mattes take something from those of other frames? A gate of 0 is open from the first change on, below 0 there is none. */
bool vrs_settings_smooth(const struct vrs_settings *settings);
/*
 * The settings of a job: what a profile, a file or the environment sets and the job has no use for has its default, as when nobody had set it.  What
 * was typed stays, for vrs_config_check to refuse.
 */
void vrs_config_effective(const struct vrs_config *config, struct vrs_settings *ret_settings);
/* The same of a configuration that is for one job. */
void vrs_config_drop_needless(struct vrs_config *config);
/*
 * The interval of a value written as a range ("batch_size: 16-32").  The settings hold the lower end; the tuner searches inside.
 * False when the value is not a range.
 */
bool vrs_config_interval(const struct vrs_config *config, const char *key, int *ret_low, int *ret_high);
/*
 * The values of an option that was given several ("preset: [superfast, faster]"), as "superfast,faster", which lives until the value changes.  The
 * settings hold the first one; the tuner tries the others.  NULL: it has one value.
 */
const char *vrs_config_list(const struct vrs_config *config, const char *key);
/* Has somebody set one value, for the tuner to leave alone?  Defaults, profiles, ranges and lists leave the choice to it. */
bool vrs_config_is_fixed(const struct vrs_config *config, const char *key);
/* Give an option its default, as if no source had set it. */
void vrs_config_unset(struct vrs_config *config, const struct vrs_option *row);
/*
 * Of options that decide on the rate (VRS_OPTION_RATE) the one of the strongest source stays, and the others get their defaults.  When all sources
 * are known; vrs_cli_parse has done it.  VRS_ECONFIG: the command line asks for two; two of a weaker source stay, and who encodes refuses them.
 */
enum vrs_status vrs_config_settle_rivals(struct vrs_config *config, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * After vrs_config_set over settled sources, as for a case, a side or a command: where the value of `key` decides on the rate, all others get their
 * defaults, whoever has set them.  *decides: the option that the same case has set before, NULL at first.  VRS_ECONFIG: the case sets two.
 */
enum vrs_status vrs_config_outrank(struct vrs_config *config, const char *key, const char **decides, struct vrs_error *err) VRS_MUST_CHECK;
/* Does another option decide on the rate, in the stead of this one? */
bool vrs_config_is_outranked(const struct vrs_config *config, const char *key);
/* Give every option its default that a record of a measurement does not set (vrs_option_is_recorded): for values that came from one. */
void vrs_config_keep_recorded(struct vrs_config *config);
/* Ranges and lists become the one value that is in effect, their lower end or first: what runs and what is saved has none. */
void vrs_config_settle_ranges(struct vrs_config *config);

/*
 * Every warning about a setting goes through here: logged once per `id` and process, at the level that --log-level chose.  VRS_OK; with
 * report.strict (--strict) nothing is logged: VRS_ECONFIG with the sentence.  Thread-safe.
 */
enum vrs_status vrs_config_warn(const struct vrs_settings *settings, const char *id, struct vrs_error *err, const char *fmt, ...)
	VRS_MUST_CHECK VRS_PRINTF(4, 5);
/*
 * Warn (vrs_config_warn) of each value that some source has set, other than the default, of an option that `backend` does not read.  backend: the one
 * that runs (vrs_backend_name), never "auto"; NULL, which no build has, is told by the session.  VRS_OK; VRS_ECONFIG with --strict.
 */
enum vrs_status vrs_config_warn_backend(const struct vrs_config *config, const char *backend, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Begin a program's messages: apply --log-level and --log-file, then say what vrs_cli_parse found about the values that count (planned, without
 * effect, ranges).  From then on vrs_config_set and the loaders warn at once.  VRS_EIO: the log file cannot be written; VRS_ECONFIG: a warning
 * with --strict.  Main thread only.
 */
enum vrs_status vrs_config_open_messages(struct vrs_config *config, struct vrs_error *err) VRS_MUST_CHECK;

/*
 * Load a YAML file (or text); keys may be nested or dotted.  VRS_ECONFIG with file, line and column: no such file, no YAML, an unknown key, a value
 * that its option cannot have; VRS_EIO: the file cannot be read; VRS_EINVAL: an argument is missing; VRS_ENOMEM.
 */
enum vrs_status vrs_config_load_file(struct vrs_config *config, const char *path, enum vrs_value_source source, struct vrs_error *err) VRS_MUST_CHECK;
enum vrs_status vrs_config_load_text(struct vrs_config *config, const char *text, size_t size, const char *name, enum vrs_value_source source,
				     struct vrs_error *err) VRS_MUST_CHECK;
/* "fast", "balanced", "quality" or the path of a YAML file. VRS_ECONFIG: no such profile; the statuses of vrs_config_load_file. */
enum vrs_status vrs_config_load_profile(struct vrs_config *config, const char *profile, struct vrs_error *err) VRS_MUST_CHECK;
/* Name of a file in configs/hardware ("cpu-only") or the path of a YAML file. The same statuses. */
enum vrs_status vrs_config_load_hardware(struct vrs_config *config, const char *hardware, struct vrs_error *err) VRS_MUST_CHECK;
/* Every VRSEG_* variable; unknown ones are VRS_ECONFIG. VRSEG_{CPU,ROOT,CALLER} and VRSEG_{MODEL,RVM}_ARCHIVE are reserved, and skipped. */
enum vrs_status vrs_config_load_env(struct vrs_config *config, struct vrs_error *err) VRS_MUST_CHECK;
/* Which values are written. */
enum vrs_config_extent {
	VRS_WRITE_ALL,     /* every option that has an effect */
	VRS_WRITE_CHANGED, /* those that some source has set: a record of this run */
	VRS_WRITE_JOB,     /* of those, what the job is: nothing that says how one run goes (VRS_OPTION_PER_RUN).  For files that later runs read */
};

/*
 * Write as YAML, each line with its source as comment; control characters in values are escapes. VRS_ECONFIG as vrs_config_check_write, and nothing
 * is written; VRS_EINVAL; VRS_ELIMIT; VRS_EIO.
 */
enum vrs_status vrs_config_write(const struct vrs_config *config, FILE *out, enum vrs_config_extent extent, struct vrs_error *err);
/*
 * The same for standard output, with values as they are, also those that no file can hold.  That it took nothing more is no failure of this, since
 * programs look at their end (base/messages.h).  VRS_EINVAL: an argument is missing; VRS_ELIMIT: a value is longer than VRS_PATH_MAX.
 */
enum vrs_status vrs_config_print(const struct vrs_config *config, FILE *out, enum vrs_config_extent extent);
/* VRS_ECONFIG, with the key: a value is not UTF-8, as names of files may be, and no YAML file can hold it. */
enum vrs_status vrs_config_check_write(const struct vrs_config *config, enum vrs_config_extent extent, struct vrs_error *err);
/* True when no source has set any value. */
bool vrs_config_is_default(const struct vrs_config *config);

struct vrs_cli_spec {
	const char *program;       /* "vrseg" */
	const char *summary;       /* what it does in a few words, for the manual page: "cut people out of VR video" */
	unsigned program_bit;      /* enum vrs_program */
	const char *usage;         /* one or more lines, without "usage: " */
	const char *intro;         /* one paragraph */
	const struct vrs_cli_action *actions; /* the program's own flags; NULL: none */
	const struct vrs_rule *rules; /* about its flags and its input, the first that is broken is told; ends with others NULL; NULL: none */
	const struct vrs_rule *value_rules; /* the same about values that would have no effect beside others; a mode that sets options may change those */
	const char *examples;      /* lines, printed as they are; NULL: none */
	int min_operands, max_operands; /* max -1: any number */
	const struct vrs_cli_spec *(*command)(int i); /* the i-th command with a help of its own, NULL behind the last; NULL: it has none */
};

/*
 * Whether no file that is read is also written, by its own name or another (compared by device and inode): `settings`, what the command line named
 * besides them (vrs_cli_parse has checked those already), and `input` (NULL: none).  For values that came later, as the name that an output gets.
 * VRS_ECONFIG with the two names; VRS_ENOMEM.  Nothing is opened.
 */
enum vrs_status vrs_config_check_files(const struct vrs_config *config, const struct vrs_settings *settings, const char *input,
				       struct vrs_error *err) VRS_MUST_CHECK;
/*
 * The same, with the same statuses, of what the command line named, and of one more file that is written: `path`, a name that was made of that of a
 * flag ("save-config").
 */
enum vrs_status vrs_config_check_output(const struct vrs_config *config, const char *flag, const char *path, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * The same, with the same statuses, where a record of earlier runs says what is read, too: `input`, and the files that the configuration `recorded`
 * names (NULL: none).  path may be NULL: nothing is written but what the command line named.
 */
enum vrs_status vrs_config_check_recorded(const struct vrs_config *config, const struct vrs_config *recorded, const char *input, const char *flag,
					  const char *path, struct vrs_error *err) VRS_MUST_CHECK;
/* Told a name and its role; any other status than VRS_OK ends the walk. */
typedef enum vrs_status (*vrs_file_fn)(void *cookie, enum vrs_file_role role, const char *name, struct vrs_error *err);
/*
 * Every file that `settings` and the command line name, of all roles, items of lists one by one, without what stands before the name ("hash:",
 * "NAME=").  Names are as they were given: patterns, networks of the data folders and words that are no files are among them.  The status of fn that
 * ended it, or VRS_OK.
 */
enum vrs_status vrs_config_each_file(const struct vrs_config *config, const struct vrs_settings *settings, vrs_file_fn fn, void *cookie,
				     struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Parse a command line into config: option flags (--threads 2, --threads=2, -o FILE, --no-fusion for bools), -c/--config FILE, --profile NAME,
 * --hardware-profile NAME, the environment, the program's own flags, operands (mixed with flags; "--" ends the flags, "-" is an operand).
 * `flags` is the structure that the rows of the spec point into; its fields hold their defaults before, and texts stay argv's.
 * A file that would be read and written is refused before anything is.
 * *ret_operands is NULL-terminated and holds pointers into argv; free the array with vrs_free (base/mem.h).
 * When operands are too few, the call fails only if no flag of the program was given, since `vrseg --hardware` needs no input.
 * Warnings about values wait for vrs_config_open_messages, since --log-level and --strict may come last.
 * VRS_ECONFIG with one sentence that names the flag and, where close, the one meant; VRS_END: -h, --help, --man, --version or --list-options was
 * answered on `answers`, and nothing else matters.
 */
enum vrs_status vrs_cli_parse(struct vrs_config *config, const struct vrs_cli_spec *spec, int argc, char **argv, void *flags, FILE *answers,
			      const char ***ret_operands, int *ret_operand_count, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Every setting as its option may be: numbers in their ranges, values that exist, texts that end.  For settings that were not parsed but filled in.
 * VRS_EINVAL with a sentence that names the key.
 */
enum vrs_status vrs_settings_in_range(const struct vrs_settings *settings, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * The options that go together, as every job needs them: the one check of combinations that no input has a say in.  Settings are those that
 * will be in effect. VRS_ECONFIG with a sentence that names both options and the reason.
 */
enum vrs_status vrs_settings_check(const struct vrs_settings *settings, struct vrs_error *err) VRS_MUST_CHECK;
/* The same with a sentence that says where values come from: settings that were made of `config`. */
enum vrs_status vrs_config_check(const struct vrs_config *config, const struct vrs_settings *settings, struct vrs_error *err) VRS_MUST_CHECK;
/* --man: the manual page in the man macros of troff; summary, intro and examples must be there. */
void vrs_cli_man(const struct vrs_cli_spec *spec, FILE *out);
/*
 * Answer -h (one screen), --help (everything, in 80 columns), --man, --version and --list-options (the table of options) on out: VRS_END.
 * Any other flag: VRS_OK, and nothing is written.
 */
enum vrs_status vrs_cli_answer(const struct vrs_cli_spec *spec, const char *flag, FILE *out);

#define VRS_MODEL_BEST "rvm_mobilenetv3" /* the network that VRS_MODEL_AUTO is where its file is installed; else it is selfie_segmentation */
/*
 * Read configs/models/NAME.yaml, or make a manifest with default values for a network file's path; VRS_MODEL_AUTO: of the best network whose file is
 * installed.  VRS_ECONFIG: no such network, or a mistake in its manifest; VRS_ENOTFOUND: no such file; VRS_ELIMIT; VRS_EIO, VRS_ENOMEM: it cannot be
 * read now, and no other one takes its place.
 */
enum vrs_status vrs_manifest_load(struct vrs_manifest *ret_manifest, const char *name_or_path, struct vrs_error *err) VRS_MUST_CHECK;
/* False when the manifest says which sizes the network was trained for, and width x height (0 0: its own) is none of them. */
bool vrs_manifest_is_trained(const struct vrs_manifest *manifest, const int size[2]);
/*
 * Warn (vrs_config_warn) of an input size (0 0: the network's own) that a network was not trained for.  VRS_OK, also where there is nothing to warn
 * of; VRS_ECONFIG with --strict.
 */
enum vrs_status vrs_manifest_warn_size(const struct vrs_manifest *manifest, const struct vrs_settings *settings, const int size[2],
				       struct vrs_error *err) VRS_MUST_CHECK;
/* The warning itself, for one size or several, with the same statuses; `which` begins the sentence: "input size 1024x1024". */
enum vrs_status vrs_manifest_warn_untrained(const struct vrs_manifest *manifest, const struct vrs_settings *settings, const char *which,
					    struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Names of the YAML files in a folder ("models", "profiles", "hardware") of the data folders, sorted; *ret_names is NULL-terminated, freed with
 * vrs_data_names_free. VRS_ENOMEM.
 */
enum vrs_status vrs_data_names(const char *folder, char ***ret_names, struct vrs_error *err) VRS_MUST_CHECK;
void vrs_data_names_free(char **names); /* NULL is fine */
/*
 * The path of a YAML file by its name in a folder of the data folders; a name that looks like a path is that path.  `what` is the word for such a
 * file in messages ("profile").  VRS_ECONFIG: no such name, and which there are; VRS_ELIMIT: too long; VRS_ENOMEM.
 */
enum vrs_status vrs_data_find(const char *what, const char *folder, const char *name, char *ret_path, size_t size,
			      struct vrs_error *err) VRS_MUST_CHECK;

#endif
