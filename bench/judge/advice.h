/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Settings that a rule proposes, held against what the result has measured: what was measured worse, or with another matte, is dropped and said so;
 * what was measured better carries its figure; what was not measured is marked so, with the command that measures it.
 */
#ifndef VRS_BENCH_ADVICE_H
#define VRS_BENCH_ADVICE_H

#include "bench/record/result.h"

struct vrs_proposal {
	const char *key, *value;   /* canonical key of the option table; value as YAML shows it */
	bool or_else;              /* only where the proposal before was dropped */
};

/* A value by itself. */
static inline struct vrs_proposal vrs_propose(const char *key, const char *value)
{
	return (struct vrs_proposal){key, value, false};
}

#define VRS_ADVICE_PRECISIONS 2

/* The 16-bit precisions for this CPU: bf16 before fp16 where it multiplies in bf16 (AVX512-BF16), else fp16 alone. Returns how many; fills ret. */
int vrs_advice_precision(const struct vrs_result *result, struct vrs_proposal ret[VRS_ADVICE_PRECISIONS]);
/* The value that the case was measured with: its own, that of what it starts from, or the default; "": not known, as where either is NULL. */
void vrs_advice_now(const struct vrs_result *result, const struct vrs_case_result *c, const char *key, char *ret, size_t size);
/*
 * Write the proposals that stand as YAML, a line each below its section, and into `told` what speaks against the others ("fp16 was measured: 0.91x
 * the speed"; "": nothing).  result and c, the case that the rule looked at, may be NULL: nothing was measured.  A value that c has already is no
 * proposal.
 */
void vrs_advice(const struct vrs_result *result, const struct vrs_case_result *c, const struct vrs_proposal *proposals, int count, char *yaml,
		size_t yaml_size, char *told, size_t told_size);

#endif
