#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A peer of measure-gpu.sh: ONNX Runtime with CUDA, where the machine has it.

measure-gpu-peer.py --there                                       exit code 0 where it can measure
measure-gpu-peer.py NETWORK WIDTHxHEIGHT BATCH SECONDS MODELS     one line of JSON: the median of a run, transfers included

MODELS holds NETWORK.onnx or NETWORK_fp32.onnx; exit code 77 where it does not.  Inputs lie in the host's memory and outputs end there, as with vrseg;
states of a recurrent network stay on the device.
"""
import json
import os
import statistics
import sys
import time

PROVIDER = os.environ.get("VRS_GPU_PROVIDER", "CUDAExecutionProvider")


def open_network(network, models):
    import onnxruntime as ort
    for name in (network + ".onnx", network + "_fp32.onnx"):
        path = os.path.join(models, name)
        if os.path.exists(path):
            options = ort.SessionOptions()
            options.log_severity_level = 3
            session = ort.InferenceSession(path, options, providers=[PROVIDER])
            if PROVIDER not in session.get_providers():
                sys.exit(f"measure-gpu-peer: {PROVIDER} does not start")
            return session
    sys.exit(77)


def make_run(session, width, height, batch):
    """One inference: the picture up, all outputs but states down."""
    import numpy as np
    import onnxruntime as ort
    on = "cuda" if PROVIDER == "CUDAExecutionProvider" else "cpu"
    random = np.random.default_rng(7)
    binding = session.io_binding()
    pictures, states = {}, {}
    outputs = [o.name for o in session.get_outputs()]
    for put in session.get_inputs():
        if put.name == "downsample_ratio":
            binding.bind_cpu_input(put.name, np.ones(1, np.float32))
        elif put.name[:1] == "r" and put.name.endswith("i"):
            states[put.name] = put.name[:-1] + "o"
            binding.bind_ortvalue_input(put.name, ort.OrtValue.ortvalue_from_numpy(np.zeros((1, 1, 1, 1), np.float32), on, 0))
        else:
            planar = put.shape[1] == 3
            pictures[put.name] = random.random((batch, 3, height, width) if planar else (batch, height, width, 3), np.float32)
    for name in outputs:
        binding.bind_output(name, on if name in states.values() else "cpu")

    def run():
        for name, picture in pictures.items():
            binding.bind_cpu_input(name, picture)
        session.run_with_iobinding(binding)
        made = dict(zip(outputs, binding.get_outputs()))
        for into, out in states.items():
            binding.bind_ortvalue_input(into, made[out])
            binding.bind_output(out, on)
    return run


def measure(run, seconds):
    for _ in range(5):
        run()
    times, end = [], time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        begin = time.perf_counter()
        run()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times)


def there():
    try:
        import numpy  # noqa: F401
        import onnxruntime as ort
        return PROVIDER in ort.get_available_providers()
    except ImportError:
        return False


def main():
    if sys.argv[1:] == ["--there"]:
        sys.exit(not there())
    network, size, batch, seconds, models = sys.argv[1:]
    width, height = map(int, size.split("x"))
    import onnxruntime as ort
    run = make_run(open_network(network, models), width, height, int(batch))
    print(json.dumps({"engine": f"ONNX Runtime {ort.__version__} {PROVIDER.removesuffix('ExecutionProvider')}", "network": network, "size": size,
                      "batch": int(batch), "precision": "fp32", "median_ms": round(measure(run, float(seconds)), 4)}))


main()
