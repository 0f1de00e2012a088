#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Peers of measure-gpu.sh that the machine with the GPU may have: ONNX Runtime with CUDA, and PyTorch with CUDA, as it is and by CUDA graphs.

measure-gpu-peer.py --there                                              the engines that can measure, one in a line
measure-gpu-peer.py ENGINE NETWORK WIDTHxHEIGHT BATCH SECONDS MODELS     one line of JSON: the median of a run, transfers included

MODELS holds NETWORK.onnx or NETWORK_fp32.onnx; exit code 77 where it does not.  Inputs lie in the host's memory and outputs end there, as with vrseg;
states of a recurrent network stay on the device.  PyTorch runs the operators of the file one by one, channels last, with cuDNN's fastest convolutions
in full fp32 (no TF32), from and to pinned memory.
"""
import json
import os
import statistics
import sys
import time

PROVIDER = os.environ.get("VRS_GPU_PROVIDER", "CUDAExecutionProvider")
DEVICE = os.environ.get("VRS_GPU_TORCH_DEVICE", "cuda")


def path_of(network, models):
    for name in (network + ".onnx", network + "_fp32.onnx"):
        if os.path.exists(os.path.join(models, name)):
            return os.path.join(models, name)
    sys.exit(77)


def is_state(name, end):
    return len(name) == 3 and name[0] == "r" and name[1].isdigit() and name[2] == end


class OnnxRuntime:
    def __init__(self, path, width, height, batch):
        import numpy as np
        import onnxruntime as ort
        options = ort.SessionOptions()
        options.log_severity_level = 3
        self.session = ort.InferenceSession(path, options, providers=[PROVIDER])
        if PROVIDER not in self.session.get_providers():
            sys.exit(f"measure-gpu-peer: {PROVIDER} does not start")
        self.name = f"ONNX Runtime {ort.__version__} {PROVIDER.removesuffix('ExecutionProvider')}"
        self.on = "cuda" if PROVIDER == "CUDAExecutionProvider" else "cpu"
        random = np.random.default_rng(7)
        self.binding = self.session.io_binding()
        self.pictures, self.states = {}, {}
        self.outputs = [o.name for o in self.session.get_outputs()]
        for put in self.session.get_inputs():
            if put.name == "downsample_ratio":
                self.binding.bind_cpu_input(put.name, np.ones(1, np.float32))
            elif is_state(put.name, "i"):
                self.states[put.name] = put.name[:-1] + "o"
                zero = ort.OrtValue.ortvalue_from_numpy(np.zeros((1, 1, 1, 1), np.float32), self.on, 0)
                self.binding.bind_ortvalue_input(put.name, zero)
            else:
                planar = put.shape[1] == 3
                self.pictures[put.name] = random.random((batch, 3, height, width) if planar else (batch, height, width, 3), np.float32)
        for name in self.outputs:
            self.binding.bind_output(name, self.on if name in self.states.values() else "cpu")

    def run(self):
        for name, picture in self.pictures.items():
            self.binding.bind_cpu_input(name, picture)
        self.session.run_with_iobinding(self.binding)
        made = dict(zip(self.outputs, self.binding.get_outputs()))
        for into, out in self.states.items():
            self.binding.bind_ortvalue_input(into, made[out])
            self.binding.bind_output(out, self.on)


class Torch:
    """The operators of an ONNX file by PyTorch.  What computes shapes stays on the CPU."""

    def __init__(self, path, width, height, batch, graphs=False):
        import onnx
        import torch
        from onnx import helper, numpy_helper
        self.torch = torch
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.benchmark = True
        torch.set_grad_enabled(False)
        graph = onnx.load(path).graph
        self.name = f"PyTorch {torch.__version__.split('+')[0]} {DEVICE.upper()}" + (" graphs" if graphs else "")
        self.values, sizes = {}, self.sizes_of(graph)

        def keep(name, tensor):
            tensor = torch.from_numpy(numpy_helper.to_array(tensor).copy())
            self.values[name] = tensor if name in sizes or tensor.dim() == 0 else self.place(tensor)

        for tensor in graph.initializer:
            keep(tensor.name, tensor)
        self.nodes = []
        for node in graph.node:
            attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
            if node.op_type == "Constant":
                keep(node.output[0], attributes["value"])
            else:
                self.nodes.append((getattr(self, node.op_type), attributes, list(node.input), list(node.output)))
        self.inputs, self.states = {}, {}
        torch.manual_seed(7)
        for put in graph.input:
            if put.name == "downsample_ratio":
                self.values[put.name] = torch.ones(1)
            elif is_state(put.name, "i"):
                self.states[put.name] = put.name[:-1] + "o"
                self.values[put.name] = torch.zeros((1, 1, 1, 1), device=DEVICE)
            else:
                self.inputs[put.name] = self.pinned(torch.rand((batch, 3, height, width)))
        self.outputs = {o.name: None for o in graph.output if o.name not in self.states.values()}
        self.begin(graphs)

    @staticmethod
    def sizes_of(graph):
        """Names of sizes, scales and limits, and of what they are computed from, up to the shape of a picture."""
        sizes = {name for node in graph.node if node.op_type in ("Resize", "Expand", "Slice", "Clip") for name in node.input[1:]}
        for node in reversed(graph.node):
            if node.op_type != "Shape" and any(name in sizes for name in node.output):
                sizes.update(node.input)
        return sizes

    def pinned(self, tensor):
        tensor = tensor.contiguous(memory_format=self.torch.channels_last)
        return self.torch.empty_like(tensor, pin_memory=True).copy_(tensor) if DEVICE == "cuda" else tensor

    def place(self, tensor):
        tensor = tensor.to(DEVICE)
        return tensor.contiguous(memory_format=self.torch.channels_last) if tensor.dim() == 4 else tensor

    def begin(self, graphs):
        """States get their shapes from a run, then lie in one place; with graphs, all from copy to copy is one graph."""
        torch = self.torch
        self.on_device = {name: picture.to(DEVICE) for name, picture in self.inputs.items()}
        self.step()
        for name, out in self.states.items():
            self.values[name] = torch.zeros_like(self.values[out])
        for name in self.outputs:
            self.outputs[name] = self.pinned(self.dense(name).cpu())
        self.graph = None
        if not graphs:
            return
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.copy_step_copy()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.copy_step_copy()
        self.graph = graph

    def dense(self, name):
        return self.values[name].contiguous(memory_format=self.torch.channels_last)

    def copy_step_copy(self):
        for name, picture in self.inputs.items():
            self.on_device[name].copy_(picture, non_blocking=True)
        self.step()
        for name, out in self.states.items():
            self.values[name].copy_(self.values[out])
        for name, matte in self.outputs.items():
            matte.copy_(self.dense(name), non_blocking=True)

    def run(self):
        if self.graph:
            self.graph.replay()
        else:
            self.copy_step_copy()
        if DEVICE == "cuda":
            self.torch.cuda.current_stream().synchronize()

    def step(self):
        values = self.values
        values.update(self.on_device)
        for function, attributes, inputs, outputs in self.nodes:
            made = function(attributes, *[values[i] if i else None for i in inputs])
            values.update(zip(outputs, made if isinstance(made, (list, tuple)) else [made]))

    # Operators, as opset 12 to 17 defines them; ONNX lists all begins of padding before all ends.
    def Conv(self, a, x, w, b=None):
        pads = a.get("pads", [0] * 4)
        if pads[:2] != pads[2:]:
            x, pads = self.torch.nn.functional.pad(x, (pads[1], pads[3], pads[0], pads[2])), [0] * 4
        return self.torch.nn.functional.conv2d(x, w, b, a.get("strides", 1), pads[:2], a.get("dilations", 1), a.get("group", 1))

    def ConvTranspose(self, a, x, w, b=None):
        return self.torch.nn.functional.conv_transpose2d(x, w, b, a.get("strides", 1), a.get("pads", [0] * 4)[:2])

    def Relu(self, a, x):
        return self.torch.relu(x)

    def HardSwish(self, a, x):
        return self.torch.nn.functional.hardswish(x)

    def HardSigmoid(self, a, x):  # alpha is 1/6 in these networks
        return self.torch.nn.functional.hardsigmoid(x)

    def Sigmoid(self, a, x):
        return self.torch.sigmoid(x)

    def Tanh(self, a, x):
        return self.torch.tanh(x)

    def Add(self, a, x, y):
        return x + y

    def Sub(self, a, x, y):
        return x - y

    def Mul(self, a, x, y):
        return x * y

    def Div(self, a, x, y):
        return x / y

    def Clip(self, a, x, low, high):
        return x.clamp(float(low), float(high))

    def GlobalAveragePool(self, a, x):
        return x.mean((2, 3), keepdim=True)

    def AveragePool(self, a, x):
        return self.torch.nn.functional.avg_pool2d(x, a["kernel_shape"], a["strides"], ceil_mode=bool(a.get("ceil_mode")), count_include_pad=False)

    def ReduceMean(self, a, x):
        return x.mean(a["axes"], keepdim=True)

    def Concat(self, a, *xs):
        return self.torch.cat(xs, a["axis"])

    def Split(self, a, x):
        return self.torch.split(x, a["split"], a["axis"])

    def Shape(self, a, x):
        return self.torch.tensor(x.shape)

    def Expand(self, a, x, shape):
        return x.expand([max(n, m) for n, m in zip(x.shape, shape.tolist())])

    def Slice(self, a, x, starts, ends, axes):
        for start, end, axis in zip(starts.tolist(), ends.tolist(), axes.tolist()):
            axis %= x.dim()
            end = min(end, x.shape[axis])
            x = x.narrow(axis, start, (end if end >= 0 else end + x.shape[axis]) - start)
        return x

    def Resize(self, a, x, roi, scales, sizes=None):
        size = sizes.tolist()[2:] if sizes is not None else [int(n * s) for n, s in zip(x.shape[2:], scales.tolist()[2:])]
        return x if list(x.shape[2:]) == size else self.torch.nn.functional.interpolate(x, size=size, mode="bilinear", align_corners=False)


ENGINES = {"onnxruntime": OnnxRuntime, "torch": Torch, "torch-graphs": lambda *where: Torch(*where, graphs=True)}


def there():
    try:
        import numpy  # noqa: F401
        import onnxruntime as ort
        if PROVIDER in ort.get_available_providers():
            print("onnxruntime")
    except ImportError:
        pass
    try:
        import onnx  # noqa: F401
        import torch
        if DEVICE != "cuda" or torch.cuda.is_available():
            print("torch")
        if DEVICE == "cuda" and torch.cuda.is_available():
            print("torch-graphs")
    except ImportError:
        pass


def measure(run, seconds):
    for _ in range(10):
        run()
    times, end = [], time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        begin = time.perf_counter()
        run()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times)


def main():
    if sys.argv[1:] == ["--there"]:
        return there()
    engine, network, size, batch, seconds, models = sys.argv[1:]
    width, height = map(int, size.split("x"))
    peer = ENGINES[engine](path_of(network, models), width, height, int(batch))
    print(json.dumps({"engine": peer.name, "network": network, "size": size, "batch": int(batch), "precision": "fp32",
                      "median_ms": round(measure(peer.run, float(seconds)), 4)}))


if __name__ == "__main__":
    main()
