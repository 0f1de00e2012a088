/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the runner tells its caller while it works. */
#include <math.h>

#include "base/clock.h"
#include "bench/run/runner_state.h"

static double now_seconds(void)
{
	return 1e-9 * (double)vrs_now_ns();
}

/* Time that the rest will take: the mean of the runs so far, less what the run in progress has taken. */
static double remaining(const struct vrs_runner *runner, double run_seconds)
{
	double mean = runner->done ? runner->run_seconds / runner->done : NAN;
	return fmax(0, mean * (runner->total - runner->done) - run_seconds);
}

static struct vrs_runner_event make_event(const struct vrs_runner *runner, enum vrs_runner_event_kind kind, const struct vrs_case_result *c,
					  int round, double run_seconds)
{
	return (struct vrs_runner_event){.kind = kind, .case_result = c, .round = round, .goal = runner->plan.goal, .done = runner->done,
					 .total = runner->total, .rounds = runner->rounds_shown,
					 .eta_seconds = runner->done ? remaining(runner, run_seconds) : NAN,
					 .elapsed_seconds = runner->begin_seconds > 0 ? now_seconds() - runner->begin_seconds : 0, .run_seconds = run_seconds};
}

void vrs_runner_tell(const struct vrs_runner *runner, enum vrs_runner_event_kind kind, const char *text, const struct vrs_case_result *c,
		     const struct vrs_run *run, int round)
{
	if (!runner->on_event)
		return;
	struct vrs_runner_event event = make_event(runner, kind, c, round, 0);
	event.text = text;
	event.run = run;
	runner->on_event(runner->cookie, &event);
}

void vrs_runner_tick(void *cookie)
{
	struct vrs_runner *runner = cookie;
	double now = now_seconds();
	if (!runner->on_event || !runner->running || now - runner->last_tick_seconds < 1)
		return;
	runner->last_tick_seconds = now;
	struct vrs_runner_event event = make_event(runner, VRS_RUNNER_TICK, runner->running, runner->running_round, now - runner->run_start_seconds);
	if (runner->plan.soak)
		event.eta_seconds = fmax(0, runner->plan.rules.duration_seconds + runner->plan.rules.warmup_min_seconds - event.run_seconds);
	runner->on_event(runner->cookie, &event);
}
