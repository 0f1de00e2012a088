# SPDX-License-Identifier: GPL-3.0-or-later
# The tier of every test, as a label: quick, full or night.  A test that stands nowhere here is quick.
#   quick   each change: under 3 minutes in the release build on two idle cores
#   full    each change in the release build: quick and full together under 25 minutes
#   night   ./test.sh --night: what takes minutes each

set(VRS_FULL_TESTS
	cli.vrbench.built_in
	cli.vrbench.calibrate
	cli.vrbench.closed_descriptors
	cli.vrbench.harness_memory
	cli.vrbench.interrupt
	cli.vrbench.live
	cli.vrbench.profile
	cli.vrbench.soak
	cli.vrbench.sweep
	cli.vrbench.techniques
	onnx.nodes_cpu_avx2.0
	onnx.nodes_cpu_avx512.0
	onnx.nodes_cpu_ref.0
	onnx.nodes_ref.0
	unit.backend.test_cpu_winograd
	unit.backend.test_golden
	unit.backend.test_recurrent_drift
	unit.pipeline.test_truth_clips
)
set(VRS_NIGHT_TESTS
)

# Sanitizers make whole jobs many times slower: there the command line tests are full, but for the one that shows races and leaks between stages.
set(VRS_QUICK_WHEN_SANITIZED cli.vrseg.whole_jobs)

# vrs_set_tiers(TEST...): tests/lint/tiers.sh holds that every test has one tier and every name above is a test.
function(vrs_set_tiers)
	foreach(test IN LISTS ARGN)
		set(tier quick)
		if(test IN_LIST VRS_NIGHT_TESTS)
			set(tier night)
		elseif(test IN_LIST VRS_FULL_TESTS OR (VRS_SANITIZE AND test MATCHES "^cli\\." AND NOT test IN_LIST VRS_QUICK_WHEN_SANITIZED))
			set(tier full)
		endif()
		set_property(TEST ${test} APPEND PROPERTY LABELS ${tier})
	endforeach()
endfunction()
