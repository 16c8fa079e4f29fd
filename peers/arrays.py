"""Times the running sums and sums of CuPy and PyTorch on the GPU.

`quadscan bench scan --python` runs this script. It prints a line of JSON for each
package, operation and size: a time, why there is none, or why the package cannot be
used. Operations have the names of `peers/scan`; those that the packages
have no function for are left out.

A sample is one replay of a CUDA graph of many calls, which go through more memory than
the second-level cache holds; where a package cannot be recorded, as many calls between
two events. The time is the median of the samples. Results of a small input are compared
with the host's before anything is timed.
"""

import statistics

from lines import first_line, list_of, options, say

SAMPLE_US = 2000.0
MOST_LAUNCHES = 2000
FIRST_LOOK = 20
SAMPLES = 11
CHECKED = 1000

# By the ends of the operations' names: types of input and of result.
TYPES = {
    "u8": ("uint8", "uint8"),
    "i8": ("int8", "int8"),
    "u8_u32": ("uint8", "uint32"),
    "u8_u64": ("uint8", "uint64"),
    "u16": ("uint16", "uint16"),
    "i16": ("int16", "int16"),
    "f16": ("float16", "float16"),
    "bf16": ("bfloat16", "bfloat16"),
    "i32": ("int32", "int32"),
    "u32": ("uint32", "uint32"),
    "f32": ("float32", "float32"),
    "i64": ("int64", "int64"),
    "u64": ("uint64", "uint64"),
    "f64": ("float64", "float64"),
}
KINDS = ("inclusive_sum_", "reduce_sum_")


def split(operation):
    """The kind and the types of an operation, or None."""
    for kind in KINDS:
        types = TYPES.get(operation.removeprefix(kind))
        if operation.startswith(kind) and types:
            return kind, types
    return None


class CuPy:
    name = "cupy"

    def __init__(self, device):
        import cupy

        self.module = cupy
        self.version = cupy.__version__
        cupy.cuda.Device(device).use()
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.stream.use()

    def type(self, name):
        return self.module.dtype(name)

    def upload(self, numbers, type):
        return self.module.asarray(numbers, dtype="int64").astype(type)

    def repeated(self, array, n):
        return self.module.resize(array, n)

    def result(self, kind, n, type):
        return self.module.empty(n if kind == "inclusive_sum_" else (), dtype=type)

    def call(self, kind, array, out, type):
        function = self.module.cumsum if kind == "inclusive_sum_" else self.module.sum
        function(array, dtype=type, out=out)

    def download(self, array):
        return self.module.asnumpy(array).reshape(-1).astype("float64").tolist()

    def synchronize(self):
        self.stream.synchronize()

    def timed(self, work):
        start, end = self.module.cuda.Event(), self.module.cuda.Event()
        start.record(self.stream)
        work()
        end.record(self.stream)
        end.synchronize()
        return 1000.0 * self.module.cuda.get_elapsed_time(start, end)

    def graph(self, work):
        self.stream.begin_capture()
        try:
            work()
        finally:
            graph = self.stream.end_capture()
        return lambda: graph.launch(self.stream)


class PyTorch:
    name = "torch"

    def __init__(self, device):
        import torch

        self.module = torch
        self.version = torch.__version__
        torch.cuda.set_device(device)
        torch.cuda.init()
        # The graph is recorded on a stream of its own; the rest goes to one, too.
        self.stream = torch.cuda.Stream()
        torch.cuda.set_stream(self.stream)

    def type(self, name):
        return getattr(self.module, name)

    def upload(self, numbers, type):
        return self.module.tensor(numbers, dtype=self.module.int64, device="cuda").to(type)

    def repeated(self, array, n):
        return array.repeat(-(-n // array.numel()))[:n].contiguous()

    def result(self, kind, n, type):
        size = (n,) if kind == "inclusive_sum_" else ()
        return self.module.empty(size, dtype=type, device="cuda")

    def call(self, kind, array, out, type):
        if kind == "inclusive_sum_":
            self.module.cumsum(array, 0, dtype=type, out=out)
        else:
            self.module.sum(array, 0, dtype=type, out=out)

    def download(self, array):
        return array.reshape(-1).to(self.module.float64).cpu().tolist()

    def synchronize(self):
        self.module.cuda.synchronize()

    def timed(self, work):
        start = self.module.cuda.Event(enable_timing=True)
        end = self.module.cuda.Event(enable_timing=True)
        start.record()
        work()
        end.record()
        end.synchronize()
        return 1000.0 * start.elapsed_time(end)

    def graph(self, work):
        graph = self.module.cuda.CUDAGraph()
        with self.module.cuda.graph(graph):
            work()
        return graph.replay


def numbers():
    """Zeros and ones whose sums every type holds: 200 of 1000 are 1; i8 wraps."""
    return [int(i % 5 == 0) for i in range(CHECKED)]


def expected(kind, name):
    sums, total = [], 0
    for number in numbers():
        total += number
        sums.append(total)
    if name == "int8":
        sums = [(total + 128) % 256 - 128 for total in sums]
    return sums if kind == "inclusive_sum_" else sums[-1:]


class Operation:
    """An operation of a package on n elements, on one part of memory after the other."""

    def __init__(self, package, kind, types, n, rotated_bytes):
        self.package, self.kind = package, kind
        self.type = package.type(types[1])
        source = package.upload(numbers(), package.type(types[0]))
        widths = [int("".join(filter(str.isdigit, name))) // 8 for name in types]
        moved = n * widths[0] + (n if kind == "inclusive_sum_" else 1) * widths[1]
        parts = max(1, -(-rotated_bytes // moved))
        # One allocation for each array, however many parts there are.
        whole = package.repeated(source, parts * n)
        self.inputs = [whole[i * n : (i + 1) * n] for i in range(parts)]
        if kind == "inclusive_sum_":
            results = package.result(kind, parts * n, self.type)
            self.outputs = [results[i * n : (i + 1) * n] for i in range(parts)]
        else:
            self.outputs = [package.result(kind, 1, self.type)] * parts
        self.next = 0

    def launch(self, count):
        for _ in range(count):
            part, self.next = self.next, (self.next + 1) % len(self.inputs)
            self.package.call(self.kind, self.inputs[part], self.outputs[part], self.type)


def check(package, kind, types):
    operation = Operation(package, kind, types, CHECKED, 1)
    operation.launch(1)
    package.synchronize()
    if package.download(operation.outputs[0]) != expected(kind, types[1]):
        raise ValueError("its result is wrong")


def time(package, kind, types, n, rotated_bytes):
    """The median in us, and how it was measured."""
    operation = Operation(package, kind, types, n, rotated_bytes)
    package.timed(lambda: operation.launch(1))
    rough = package.timed(lambda: operation.launch(FIRST_LOOK)) / FIRST_LOOK
    count = int(min(max(SAMPLE_US / rough, 1.0), MOST_LAUNCHES))
    method, replay = "batch", lambda: operation.launch(count)
    try:
        recorded = package.graph(replay)
        # Python's part of a call is not in the replays: more of them fit into a sample.
        rough = package.timed(recorded) / count
        count = int(min(max(SAMPLE_US / rough, 1.0), MOST_LAUNCHES))
        method, replay = "graph", package.graph(lambda: operation.launch(count))
    except Exception:
        package.synchronize()
    for _ in range(3):
        package.timed(replay)
    samples = [package.timed(replay) / count for _ in range(SAMPLES)]
    return {
        "us": statistics.median(samples),
        "samples": SAMPLES,
        "method": method,
        "launches": count,
    }


def measure(package, operation, sizes, rotated_bytes):
    kind, types = split(operation)
    for n in sizes:
        line = {
            "peer": package.name,
            "version": package.version,
            "operation": operation,
            "n": n,
        }
        try:
            check(package, kind, types)
            line.update(time(package, kind, types, n, rotated_bytes))
            say(line)
        except Exception as error:
            say({**line, "failed": first_line(error)})
            # What fails once fails for the sizes after it, too.
            return


def main():
    parser = options(__doc__)
    parser.add_argument("--operations", type=list_of(str), required=True)
    parser.add_argument("--sizes", type=list_of(int), required=True)
    parser.add_argument("--rotated-bytes", type=int, default=100 << 20)
    arguments = parser.parse_args()
    for make in (CuPy, PyTorch):
        try:
            package = make(arguments.device)
        except Exception as error:
            say({"peer": make.name, "missing": first_line(error)})
            continue
        for operation in filter(split, arguments.operations):
            measure(package, operation, arguments.sizes, arguments.rotated_bytes)


if __name__ == "__main__":
    main()
