# SPDX-License-Identifier: GPL-3.0-or-later
# One page about the results of measure-gpu.sh:   awk -v dir=RESULTS -f measure-gpu.awk
# Every verdict comes from numbers of the files.  A goal is reached only where its steps and the checks of the engine ended well; what is missing or has
# failed is named.

BEGIN {
  read_steps()
  read_run()
  read_ceilings()
  read_networks()
  read_switches()
  read_profiles()
  read_frames()
  read_jobs()
  read_peers()
  read_checks()
  print_head()
  print_goals()
  print_networks()
  print_switches()
  print_frames()
  print_jobs()
  print_peers()
  print_failures()
}

# The value of a key of a line of JSON, the first of that name; "" where there is none.
function get(line, key,   value) {
  if (!match(line, "\"" key "\": *(\"[^\"]*\"|[^,}\\]]*)")) return ""
  value = substr(line, RSTART, RLENGTH)
  sub(/^"[^"]*": */, "", value)
  gsub(/^"|"$/, "", value)
  return value
}

# A number above 0, else "".
function positive(value) {
  return value ~ /^[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/ && value + 0 > 0 ? value + 0 : ""
}

function number(value, unit) {
  if (value == "") return "-"
  return sprintf(value < 1 ? "%.3f" : value < 10 ? "%.2f" : value < 1000 ? "%.1f" : "%.0f", value) unit
}

function percent(share) {
  return share == "" ? "-" : sprintf(share < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * share)
}

function ratio(a, b) {
  return a == "" || b == "" ? "" : a / b
}

# Opens a file of the results; one that is not there or is empty is noted.
function begin(name,   line) {
  file = dir "/" name
  close(file)
  if ((getline line < file) <= 0 && !(name in optional)) missing = missing " " name
  close(file)
}

# Did this step run, and end well?
function well(title) {
  return (title in code) && code[title] == 0
}

function read_steps(   line, part) {
  begin("steps.tsv")
  while ((getline line < file) > 0) {
    if (split(line, part, "\t") < 3 || part[1] !~ /^[0-9]+$/) continue
    steps++
    code[part[3]] = part[3] in code && code[part[3]] ? code[part[3]] : part[1] + 0
    title[steps] = part[3]
    if (part[3] ~ /^peer / && part[1] == 77) continue # it has no such network
    if (part[1] + 0) failed[++failures] = part[3] " (exit " part[1] + 0 ")"
  }
}

function read_run(   line, part) {
  begin("run.tsv")
  while ((getline line < file) > 0)
    if (split(line, part, "\t") == 2) run[part[1]] = part[2]
}

function read_ceilings(   line) {
  begin("ceilings.json")
  getline line < file
  if (!well("ceilings")) line = ""
  device = get(line, "device")
  driver = get(line, "driver")
  platform = get(line, "platform")
  is_cpu = get(line, "is_cpu") != "false"
  fma = positive(get(line, "fma_gflops"))
  copy = positive(get(line, "copy_gbps"))
  up = positive(get(line, "upload_gbps"))
  down = positive(get(line, "download_gbps"))
  launch = positive(get(line, "launch_us"))
}

# network size, batch, precision or "CPU": as in the titles of steps
function name_of(line, cpu) {
  return get(line, "model") " " get(line, "width") "x" get(line, "height") ", batch " get(line, "batch") ", " (cpu ? "CPU" : get(line, "precision"))
}

function read_networks(   line, name, cpu) {
  begin("networks.jsonl")
  while ((getline line < file) > 0) {
    if (line !~ /^\{.*\}$/) continue
    cpu = get(line, "backend") != "opencl"
    name = name_of(line, cpu)
    if (!well(name)) continue
    median[name] = positive(get(line, "median_ms"))
    least[name] = positive(get(line, "min_ms"))
    macs[name] = positive(get(line, "macs"))
    cpu_precision[name] = get(line, "precision")
    if (!cpu) row[++rows] = name
  }
}

# The same with a switch, such as convolutions that were timed on the device.
function read_switches(   line, name, i, part, seen) {
  for (i = 1; i <= steps; i++) {
    if (!match(title[i], /, --[^ ,]+$/)) continue
    part = substr(title[i], RSTART + 4)
    if (part in seen) continue
    seen[part] = 1
    optional["switch_" part ".jsonl"] = 1
    begin("switch_" part ".jsonl")
    while ((getline line < file) > 0) {
      name = name_of(line, 0)
      if (line !~ /^\{.*\}$/ || !well(name ", --" part) || positive(get(line, "median_ms")) == "") continue
      switched[++switches] = name
      switch_name[switches] = "--" part
      switch_ms[switches] = get(line, "median_ms") + 0
    }
  }
}

function read_profiles(   line, name) {
  begin("profiles.jsonl")
  while ((getline line < file) > 0) {
    if (line !~ /^\{.*\}$/) continue
    name = name_of(line, 0)
    if (!well(name ", profile")) continue
    bytes[name] = positive(get(line, "bytes"))
    kernel_ms[name] = positive(get(line, "kernel_ms"))
    transfer_ms[name] = positive(get(line, "upload_ms") + get(line, "download_ms"))
  }
}

function read_frames(   line, step) {
  begin("frames.jsonl")
  while ((getline line < file) > 0) {
    if (line !~ /^\{.*\}$/ || !well("8K frames")) continue
    step = get(line, "step")
    frame_ms[step] = positive(get(line, "ms"))
    frame_rate[step] = positive(get(line, "frames_per_s"))
    frame_gbps[step] = positive(get(line, "gbps"))
    if (step == "bound") frame_copy = positive(get(line, "copy_gbps"))
    if (step == "clip") clip = get(line, "width") "x" get(line, "height")
  }
}

# Of a file for Prometheus: milliseconds of a stage for each frame, and frames a second.
function read_job(name, step, stage,   line, part, seconds, frames) {
  begin(name)
  while ((getline line < file) > 0) {
    split(line, part, " ")
    if (part[1] == "vrseg_stage_seconds_sum{stage=\"" stage "\"}") seconds = positive(part[2])
    if (part[1] == "vrseg_stage_seconds_count{stage=\"" stage "\"}") frames = positive(part[2])
    if (part[1] == "vrseg_video_frames_per_second" && well(step)) job_rate[name] = positive(part[2])
  }
  if (well(step) && seconds != "" && frames != "") job_ms[name] = 1000 * seconds / frames
}

function read_jobs() {
  read_job("packed_on.prom", "packed frames, device on", "compose")
  read_job("packed_off.prom", "packed frames, device off", "compose")
  read_job("video_opencl.prom", "a video, opencl", "inference")
  read_job("video_cpu.prom", "a video, cpu", "inference")
}

function read_peers(   line, name, engine) {
  optional["peers.jsonl"] = 1
  begin("peers.jsonl")
  while ((getline line < file) > 0) {
    engine = get(line, "engine")
    name = get(line, "network") " " get(line, "size") ", batch " get(line, "batch") ", " get(line, "precision")
    if (line !~ /^\{.*\}$/ || engine == "" || positive(get(line, "median_ms")) == "") continue
    if (!((name, engine) in rounds) && engine != "vrseg") {
      peer_name[++peers] = name
      peer_engine[peers] = engine
    }
    rounds[name, engine]++
    round_ms[name, engine, rounds[name, engine]] = get(line, "median_ms") + 0
  }
}

# The median over the rounds of an engine.
function of_rounds(name, engine,   n, i, j, value, sorted) {
  n = rounds[name, engine]
  for (i = 1; i <= n; i++) {
    value = round_ms[name, engine, i]
    for (j = i; j > 1 && sorted[j - 1] > value; j--) sorted[j] = sorted[j - 1]
    sorted[j] = value
  }
  return n ? (n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2) : ""
}

# Are two files there, and the same?
function same_files(a, b,   x, y, more_x, more_y, lines) {
  begin(a)
  begin(b)
  a = dir "/" a
  b = dir "/" b
  do {
    more_x = (getline x < a) > 0
    more_y = (getline y < b) > 0
    if (more_x != more_y || (more_x && x != y)) return 0
    lines += more_x
  } while (more_x)
  return lines > 0
}

# What has to hold before any figure counts; doubt says what does not.
function read_checks(   i, line, part, eyes) {
  for (i = 1; i <= steps; i++) {
    if (title[i] !~ /^test_/) continue
    tests++
    if (code[title[i]] == 0) passed++
  }
  begin("tests.txt")
  begin("matte.txt")
  while ((getline line < file) > 0) {
    split(line, part, " ")
    if ((part[1] != "left" && part[1] != "right") || part[2] != "frame" || part[6] !~ /^[0-9.]+$/ || !well("mattes of a video, opencl")) continue
    eyes++
    if (difference == "" || part[6] + 0 > difference) difference = part[6] + 0
  }
  if (eyes != 2) difference = ""
  same_bytes = same_files("packed_on.hash", "packed_off.hash") && well("packed frames, device on") && well("packed frames, device off")
  if (!tests) doubt = doubt "; no test of the engine ran"
  else if (passed < tests) doubt = doubt "; tests of the engine failed"
  if (tests != run["tests"] + 0) doubt = doubt "; not all tests of the engine ran"
  if (difference == "" || difference > 1 / 255) doubt = doubt "; mattes are not known to be the CPU's"
  if (!same_bytes) doubt = doubt "; packed frames are not known to be the CPU's"
  if (device == "" || fma == "" || copy == "" || up == "" || down == "") doubt = doubt "; ceilings are not measured"
  sub(/^; /, "", doubt)
}

function print_head() {
  printf "vrseg on a device, %s\n", run["date"] == "" ? "date not noted" : run["date"]
  printf "device    %s, driver %s, %s%s\n", device == "" ? "not known" : device, driver == "" ? "not known" : driver,
    platform == "" ? "platform not known" : platform, device != "" && is_cpu ? ": no GPU, so that no goal is judged" : ""
  printf "program   %s; host %s, %s CPUs; %s s each figure, medians\n", run["version"], run["cpu"], run["cpus"], run["seconds"]
  printf "ceilings  %s GFLOP/s of multiply-adds, copies %s GB/s, up %s, down %s GB/s, %s us from kernel to kernel\n", number(fma, ""), number(copy, ""),
    number(up, ""), number(down, ""), number(launch, "")
  printf "checks    %d of %d tests of the engine passed; mattes differ from the CPU's by %s on average (limit 0.0039); packed frames %s\n", passed,
    run["tests"], difference == "" ? "?" : sprintf("%.4f", difference), same_bytes ? "have the CPU's bytes" : "do not have the CPU's bytes, or were not made"
  printf "steps     %d, of which %d failed\n\n", steps, failures
}

function verdict(value, reached) {
  if (value == "") return "not measured"
  if (device != "" && is_cpu) return "no GPU"
  if (doubt != "") return "in doubt"
  return reached ? "reached" : "missed"
}

function goal(text, value, unit, limit, reached) {
  printf "%-58s %16s  %-22s %s\n", text, value == "" ? "-" : unit == "" ? value : number(value, unit), limit, verdict(value, reached)
}

function print_goals(   i, shares, best, part) {
  printf "%-58s %16s  %-22s %s\n", "GOAL", "measured", "limit", "verdict"
  for (i = 1; i <= 2; i++) {
    part = i == 1 ? "fp32" : "fp16"
    best = median["selfie_segmentation 256x256, batch 2, " part]
    goal("selfie 256x256, both eyes, with transfers, " part, best, " ms", "below 0.5 ms", best < 0.5)
  }
  for (i = 1; i <= 2; i++) {
    part = i == 1 ? "fp32" : "fp16"
    best = median["rvm_mobilenetv3 512x288, batch 1, " part]
    goal("Robust Video Matting 512x288, with transfers, " part, best, " ms", "below 3 ms", best < 3)
  }
  goal("8K side by side, preprocess + compose, no transfers", clip == "8192x4096" ? frame_rate["device"] : "", " frames/s", "above 200 frames/s",
    frame_rate["device"] > 200)
  best = ratio(frame_rate["transfers"], frame_rate["bound"])
  goal("  with transfers", clip == "8192x4096" && best != "" ? frame_rate["transfers"] : "", " frames/s",
    frame_rate["bound"] == "" ? "90 % of the bandwidth's" : sprintf("90 %% of %s", number(frame_rate["bound"], "")), best >= 0.9)
  for (i = 1; i <= rows; i++)
    if (row[i] ~ /^(selfie_segmentation 256x256, batch 2|rvm_mobilenetv3 512x288, batch 1), fp(32|16)$/ && bytes[row[i]] != "" && fma != "" && copy != "")
      shares++
  goal("networks with shares of FLOP peak and bandwidth", shares ? shares : "", "", "4", shares == 4)
  for (i = best = 0; i < peers; i++) best += rounds[peer_name[i + 1], "vrseg"] > 0
  goal("comparisons with peers in the same run", best ? best : "", "", "at least 1", best >= 1)
  if (doubt != "") print "in doubt: " doubt
}

function print_networks(   i, name, other) {
  printf "\n%-52s %9s %9s %17s %7s %9s %9s %9s\n", "NETWORK, transfers included (ms)", "device", "least", "CPU engine", "x CPU", "FLOP peak", "bandwidth",
    "transfers"
  for (i = 1; i <= rows; i++) {
    name = row[i]
    other = name
    sub(/, [^,]*$/, ", CPU", other)
    printf "%-52s %9s %9s %17s %7s %9s %9s %9s\n", name, number(median[name], ""), number(least[name], ""),
      median[other] == "" ? "-" : number(median[other], "") " " cpu_precision[other], number(ratio(median[other], median[name]), ""),
      percent(fma == "" ? "" : ratio(2e-6 * macs[name], median[name] * fma)),
      percent(copy == "" || bytes[name] == "" ? "" : ratio(1e-6 * bytes[name], median[name] * copy)), number(transfer_ms[name], "")
  }
  print "x CPU: the CPU engine's time over the device's. Bandwidth: of operands and results over the copy ceiling; caches can take it above 100 %."
}

function print_switches(   i) {
  if (switches) printf "\n%-52s %9s %9s %9s  %s\n", "SWITCHES (ms)", "with", "without", "ratio", "switch"
  for (i = 1; i <= switches; i++)
    printf "%-52s %9s %9s %9s  %s\n", switched[i], number(switch_ms[i], ""), number(median[switched[i]], ""),
      number(ratio(switch_ms[i], median[switched[i]]), ""), switch_name[i]
}

function print_frames(   i, n, step, text) {
  printf "\n%-52s %9s %9s %9s %9s %9s\n", "FRAMES, " (clip == "" ? "not measured" : clip " NV12, side by side"), "ms", "frames/s", "x host", "GB/s", "of bound"
  n = split("host preprocess compose device transfers copies", step, " ")
  split("one thread of the host, both steps;preprocess on the device;mattes and compose on the device;both on the device, no transfers;" \
    "both, transfers through pinned memory;both, and copies to and from pinned memory", text, ";")
  for (i = 1; i <= n; i++)
    printf "%-52s %9s %9s %9s %9s %9s\n", text[i], number(frame_ms[step[i]], ""), number(frame_rate[step[i]], ""),
      number(ratio(frame_ms["host"], frame_ms[step[i]]), ""), number(frame_gbps[step[i]], ""),
      percent(i > 4 ? ratio(frame_rate[step[i]], frame_rate["bound"]) : ratio(frame_gbps[step[i]], frame_copy))
  print "of bound: without transfers, of the copy ceiling; with them, of the frames/s that the measured bandwidth of transfers allows."
}

function print_jobs() {
  printf "\n%-52s %9s %9s %12s %12s\n", "JOBS", "device", "CPU", "device, ms", "CPU, ms"
  printf "%-52s %9s %9s %12s %12s\n", "packed with mattes 3840x1920, frames/s; compose", number(job_rate["packed_on.prom"], ""),
    number(job_rate["packed_off.prom"], ""), number(job_ms["packed_on.prom"], ""), number(job_ms["packed_off.prom"], "")
  printf "%-52s %9s %9s %12s %12s\n", "mattes of a VR180 video, frames/s; inference", number(job_rate["video_opencl.prom"], ""),
    number(job_rate["video_cpu.prom"], ""), number(job_ms["video_opencl.prom"], ""), number(job_ms["video_cpu.prom"], "")
}

function print_peers(   i, ours, theirs) {
  printf "\n%-52s %9s %9s %9s %7s  %s\n", "PEERS, interleaved rounds (ms)", "vrseg", "peer", "ratio", "rounds", "peer"
  if (!peers) print "no peer was measured: see docs/opencl.md, \"Measuring on a GPU\""
  for (i = 1; i <= peers; i++) {
    ours = of_rounds(peer_name[i], "vrseg")
    theirs = of_rounds(peer_name[i], peer_engine[i])
    printf "%-52s %9s %9s %9s %7d  %s\n", peer_name[i], number(ours, ""), number(theirs, ""), number(ratio(ours, theirs), ""),
      rounds[peer_name[i], peer_engine[i]], peer_engine[i]
  }
}

function print_failures(   i) {
  if (missing != "") print "\nmissing or empty:" missing
  if (failures) print "\nFAILED STEPS (errors.txt has their messages)"
  for (i = 1; i <= failures; i++) print "  " failed[i]
}
