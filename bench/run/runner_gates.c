/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rounds ask: was a run disturbed, may it be repeated, and which side of a pair comes first. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include <vrseg/log.h>

#include "base/rng.h"
#include "bench/judge/interval_goal.h"
#include "bench/judge/noise_record.h"
#include "bench/judge/verdict.h"
#include "bench/run/runner_state.h"

#define LATE_SHARE 0.001 /* of live frames that may be begun late */
enum { LONGEST_RETRIED = 600 };  /* seconds: nobody waits for a second day because of an hour's disturbance; the run is marked */
enum { SHORTEST_SECONDS = 1 }; /* planned measurement: of shorter runs most of what is seen around them is loading the network */
enum { NOISY_STREAK = 2 }; /* runs in a row whose retries were all excluded: the noise is here to stay, repeating only costs time */

int vrs_gate_attempts(const struct vrs_runner *runner)
{
	const struct vrs_run_plan *plan = &runner->plan;
	bool too_long = plan->soak || plan->rules.duration_seconds > LONGEST_RETRIED;
	bool repeats = plan->gates == VRS_GATES_RETRY && runner->noisy_streak < NOISY_STREAK && !too_long;
	return repeats ? 1 + VRS_GATE_RETRIES : 1;
}

/* Runs that this case has had in a round: of earlier sessions the excluded ones. */
static int attempts_of(const struct vrs_runner *runner, const struct vrs_case_result *c, int round)
{
	int count = 0;
	for (int i = 0; i < c->run_count; i++)
		count += c->runs[i].round == round && (c->runs[i].session == runner->session || c->runs[i].excluded[0]);
	return count;
}

/* Clock of the other side of an A/B in this round; NaN: it has not run, or there is no other side. */
static double partner_clock(const struct vrs_runner *runner, const struct vrs_case_result *c, int round)
{
	double mhz = NAN;
	const struct vrs_result *result = runner->result;
	int partner = (int)(c - result->cases) ^ 1; /* sides were added in pairs */
	if (!runner->side_a || partner >= result->case_count)
		return NAN;
	const struct vrs_case_result *other = &result->cases[partner];
	for (int k = 0; k < other->run_count; k++)
		if (other->runs[k].round == round && other->runs[k].session == runner->session && vrs_run_counts(&other->runs[k]))
			mhz = other->runs[k].frequency_mhz;
	return mhz;
}

/* The machine first; then the run's own clock: frames that were begun late for no reason of the job's are not what a camera would send. */
static void judge_run(const struct vrs_noise_seen *seen, struct vrs_run *run)
{
	if (!vrs_noise_hard(seen, run->excluded, sizeof run->excluded) && run->live_due > 0 &&
	    (double)run->live_late_starts > LATE_SHARE * (double)run->live_due)
		snprintf(run->excluded, sizeof run->excluded, "generator: %lld of %lld frames were begun late; leave a processor free, or lower the rate",
			 (long long)run->live_late_starts, (long long)run->live_due);
}

/* Growth of a counter; -1: not observable. */
static int64_t events_between(int64_t before, int64_t after)
{
	return before >= 0 && after >= before ? after - before : -1;
}

void vrs_gate_observe(struct vrs_runner *runner, const struct vrs_noise_span *span)
{
	if (!runner->is_observed)
		runner->first_reading = span->before;
	runner->last_run = *span;
	runner->is_observed = true;
}

void vrs_gate_judge(struct vrs_runner *runner, const struct vrs_case_result *c, struct vrs_noise_watch *watch, int round, struct vrs_run *run)
{
	struct vrs_noise_seen seen;
	if (!vrs_noise_watch_end(watch, &seen) || !run)
		return;
	vrs_gate_observe(runner, &(struct vrs_noise_span){.before = seen.before, .after = seen.after});
	seen.best_mhz = runner->best_mhz;
	seen.quota = runner->machine->cgroup_cpu_quota;
	seen.partner_mhz = partner_clock(runner, c, round);
	run->attempt = attempts_of(runner, c, round) + 1;
	run->frequency_mhz = seen.clock_mhz;
	run->others_percent = 100 * vrs_noise_others(&seen);
	run->steal_percent = 100 * vrs_noise_steal(&seen);
	run->swapped_in_pages = events_between(seen.before.swapped_in_pages, seen.after.swapped_in_pages);
	run->throttle_events = events_between(seen.before.throttle_events, seen.after.throttle_events);
	if (run->status == VRS_RUN_OK && runner->plan.gates != VRS_GATES_OFF && runner->plan.rules.duration_seconds >= SHORTEST_SECONDS)
		judge_run(&seen, run);
	if (!run->excluded[0] && isfinite(seen.clock_mhz))
		runner->best_mhz = fmax(runner->best_mhz, seen.clock_mhz);
}

void vrs_gate_close_round(struct vrs_runner *runner, const struct vrs_case_result *c, int round)
{
	const struct vrs_run *last = NULL;
	for (int i = 0; i < c->run_count; i++)
		if (c->runs[i].round == round)
			last = &c->runs[i];
	if (!last || !last->excluded[0]) {
		runner->noisy_streak = 0;
		return;
	}
	vrs_log(VRS_LOG_WARNING, "%s, round %d, excluded after %d attempt%s: %s", c->id, round, last->attempt, last->attempt == 1 ? "" : "s",
		last->excluded);
	runner->noisy_streak++;
}

void vrs_side_order(uint64_t seed, int round, int order[2])
{
	struct vrs_rng rng;
	uint64_t block = (uint64_t)(round - 1) / 2;
	vrs_rng_init(&rng, seed ^ ((block + 1) * UINT64_C(0x9e3779b97f4a7c15)));
	if ((vrs_rng_below(&rng, 2) + (uint64_t)(round - 1)) % 2 == 1) {
		int first = order[0];
		order[0] = order[1];
		order[1] = first;
	}
}

void vrs_runner_judge_noise(struct vrs_runner *runner)
{
	double margin = runner->plan.margin > 0 ? runner->plan.margin : vrs_verdict_options_default().margin;
	struct vrs_noise_facts facts = vrs_noise_facts_from(&runner->first_reading, &runner->last_run.after, margin, NAN);
	time_t now = time(NULL);
	for (int i = 0; i < runner->result->case_count; i++) {
		struct vrs_case_result *c = &runner->result->cases[i];
		(void)vrs_noise_invalid(c, c->invalid, sizeof c->invalid);
		if (c->run_count > 0 || !vrs_case_result_is_skipped(c))
			vrs_noise_record_apply(runner->result->fingerprint, now, c);
		facts.stored_cv = c->run_cv;
		if (runner->is_observed || c->run_count > 0) /* of a journal too: a warning in it is older than its last runs */
			(void)vrs_noise_soft(c, &facts, c->warning, sizeof c->warning);
		vrs_interval_note(c, runner->plan.goal, c->goal_note, sizeof c->goal_note);
	}
}

void vrs_runner_unobservable(const struct vrs_runner *runner, char *buf, size_t size)
{
	buf[0] = 0;
	if (runner->is_observed)
		vrs_noise_unobservable(&runner->last_run.after, buf, size);
}
