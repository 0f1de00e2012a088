/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A case: the option values that differ from the base configuration, plus the size of the clip.  Its id is a readable string that
 * names the case for ever:
 *
 *     r=3840x1920/b=2/p=fp32/t=2              resolution, batch, precision, threads: always there, in this order
 *     r=3840x1920/b=2/p=fp32/t=2/s=2/n=512x512/output.preset=fast
 *
 * The two sides of an A/B end in side=A or side=B: both may have the same values, from different configurations or builds.
 * s = engine.streams, n = engine.input_size, m = engine.model, e = output.encoder, then any other key in alphabetic order.  b, t, s: 0 is
 * written `auto`.  A '/', '%' or control character inside a value is written %XX.  Where they are not end_to_end and offline, scope=... and
 * mode=... follow: figures of different scopes and modes never share a name.
 */
#ifndef VRS_BENCH_CASE_H
#define VRS_BENCH_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include <vrseg/config.h>
#include <vrseg/status.h>

#include "bench/record/words.h"

#define VRS_CASE_MAX_VALUES 32

/* Why a case is not measured. */
enum vrs_rejection {
	VRS_REJECTION_NONE,   /* it can be */
	VRS_REJECTION_MEMORY, /* it needs more than there may be */
	VRS_REJECTION_OTHER,
};

struct vrs_case_value {
	char key[VRS_NAME_MAX];    /* canonical key of the option table */
	char value[192];           /* as YAML would show it */
};

struct vrs_case {
	int width, height;         /* of the clip; 0 0: the input as it is, not re-encoded */
	char axis[32];             /* why it is in the sweep: VRS_AXIS_DEFAULT, "resolution", ... */
	char side;                 /* of an A/B: 'A' or 'B'; 0: a case of a sweep */
	enum vrs_scope scope;      /* END_TO_END: that of the measurement */
	double live_hz;            /* paced at so many frames a second; 0: as the measurement says */
	int value_count;
	struct vrs_case_value values[VRS_CASE_MAX_VALUES];
};

/* Set (or replace) one value. The key may be an alias. VRS_ECONFIG: unknown key; VRS_ELIMIT: too many values or too long. */
enum vrs_status vrs_case_set(struct vrs_case *c, const char *key, const char *value, struct vrs_error *err);
/* Set what is no option. VRS_ECONFIG: no such scope or mode. */
enum vrs_status vrs_case_set_scope(struct vrs_case *c, const char *scope, struct vrs_error *err);
enum vrs_status vrs_case_set_mode(struct vrs_case *c, const char *mode, struct vrs_error *err);
/* Value of a canonical key; NULL: not set by this case. */
const char *vrs_case_get(const struct vrs_case *c, const char *key);
/* Do two cases set the same options to the same values, in whatever order? */
bool vrs_case_same_values(const struct vrs_case *a, const struct vrs_case *b);

/*
 * Id of a case over a base configuration; b, p and t come from the base where the case does not set them. input_width x input_height is used
 * for r where the case has no size of its own. VRS_ELIMIT: longer than size.
 */
enum vrs_status vrs_case_id(const struct vrs_case *c, const struct vrs_config *base, int input_width, int input_height, char *ret_id, size_t size,
			    struct vrs_error *err);
/* Characters that a value takes of an id. */
size_t vrs_case_id_part(const struct vrs_option *row, const char *value);
/* Back from an id: every part becomes a value, r becomes the size. VRS_ECONFIG with a sentence that quotes the part. */
enum vrs_status vrs_case_parse(const char *id, struct vrs_case *ret_case, struct vrs_error *err);
/* Apply the values to a copy of the base; the caller destroys it. VRS_ECONFIG when a value does not suit its option. */
enum vrs_status vrs_case_config(const struct vrs_case *c, const struct vrs_config *base, struct vrs_config **ret_config, struct vrs_error *err);
/*
 * Put what the case runs with in place of auto, so that its id says it: the precision (vrs_precision_settle), also where the base has auto, and the
 * network where the case itself names auto (vrs_network_settle_name).  net_size: that input size auto is for the base's network, since calibrations
 * are of one size; NULL or 0 0: not known.  Statuses of these.
 */
enum vrs_status vrs_case_settle(struct vrs_case *c, const struct vrs_config *base, const int net_size[2], struct vrs_error *err);
/*
 * Can the case's network run so (vrs_network_constrain), with so many eyes a frame, and its backend in its precision (vrs_backend_check)?
 * VRS_ECONFIG: it cannot, and why.
 */
enum vrs_status vrs_case_check_network(const struct vrs_case *c, const struct vrs_config *base, int eyes, struct vrs_error *err);
/*
 * Put the network that engine.model auto is (vrs_network_settle_name) into a configuration that cases start from.  It counts as set, so that records
 * and recommendations name the network that was measured, also where another one is the best later.
 */
enum vrs_status vrs_config_settle_network(struct vrs_config *config, struct vrs_error *err);
/*
 * A line for a shell that measures the case: head, the flags of its values (auto is left out), the operand.  Words are quoted as they need it; what
 * no flag of vrbench sets is left out.  VRS_ECONFIG: it is no id; VRS_ELIMIT: longer than size.
 */
enum vrs_status vrs_case_command(const char *id, const char *head, const char *operand, char *buf, size_t size);
/*
 * The flags of vrbench, each with a blank before it, that set what holds for all cases of a result (base_config) and the values of one, but for the
 * option `but`; with_size: and its resolution.  The same statuses, and VRS_EFORMAT for a base_config that is no YAML.
 */
enum vrs_status vrs_case_flags(const char *base_config, const char *id, const char *but, bool with_size, char *buf, size_t size);
/* Copy of id that is safe as a file name: letters, digits, '.', ',', '-', '_' and '='. */
void vrs_case_file_name(const char *id, char *ret_name, size_t size);

#endif
