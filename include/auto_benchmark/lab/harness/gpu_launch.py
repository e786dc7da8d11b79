"""Launches one kernel on the first GPU through the driver's own interface; nothing else is needed than the driver.

``gpu_launch.py name`` prints the GPU's name. ``gpu_launch.py launch FOLDER`` reads ``plan.json`` and ``input`` there, and
writes ``output`` and ``answer.json``: ``{"failed": null}``, or what the candidate's kernel failed at.
"""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path
from typing import Any

LIBRARIES = ("libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1")
SHARED_SIZE = 8
"""``CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES``."""
MOST_BLOCKS, MOST_THREADS, MOST_SHARED = 1 << 20, 1024, 64 << 10
NAN_BYTE = 0xFF


class DriverError(Exception):
    """A call of the driver failed."""


class Driver:
    """Calls of the driver; each raises DriverError with the driver's word for what went wrong."""

    def __init__(self) -> None:
        self.library = _library()

    def __call__(self, function: str, *arguments: Any) -> None:
        """Call a function by its name."""
        code = getattr(self.library, function)(*arguments)
        if code:
            told = ctypes.c_char_p()
            self.library.cuGetErrorName(code, ctypes.byref(told))
            raise DriverError(f"{function}: {(told.value or b'?').decode()}")


def _library() -> ctypes.CDLL:
    for name in LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise DriverError("there is no driver")


def opened() -> tuple[Driver, ctypes.c_int]:
    """The driver, and the first GPU."""
    driver, device = Driver(), ctypes.c_int()
    driver("cuInit", 0)
    driver("cuDeviceGet", ctypes.byref(device), 0)
    return driver, device


def name() -> str:
    """Of the first GPU."""
    driver, device = opened()
    text = ctypes.create_string_buffer(128)
    driver("cuDeviceGetName", text, 128, device)
    return text.value.decode()


def launched(ptx: bytes, given: bytes, output_bytes: int) -> bytes:
    """The result of one launch. Raises DriverError, and ValueError for a launch that may not be."""
    driver, device = opened()
    context, module, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    driver("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    driver("cuCtxSetCurrent", context)
    driver("cuModuleLoadData", ctypes.byref(module), ptx + b"\0")
    driver("cuModuleGetFunction", ctypes.byref(kernel), module, b"solve")
    blocks, threads, shared = _shape(driver, module)
    driver("cuFuncSetAttribute", kernel, SHARED_SIZE, ctypes.c_int(shared))
    source, target = ctypes.c_uint64(), ctypes.c_uint64()
    driver("cuMemAlloc_v2", ctypes.byref(source), ctypes.c_size_t(len(given)))
    driver("cuMemAlloc_v2", ctypes.byref(target), ctypes.c_size_t(output_bytes))
    driver("cuMemcpyHtoD_v2", source, given, ctypes.c_size_t(len(given)))
    driver("cuMemsetD8_v2", target, ctypes.c_ubyte(NAN_BYTE), ctypes.c_size_t(output_bytes))
    words = (ctypes.c_void_p * 2)(ctypes.addressof(source), ctypes.addressof(target))
    driver("cuLaunchKernel", kernel, blocks, 1, 1, threads, 1, 1, shared, None, words, None)
    driver("cuCtxSynchronize")
    result = ctypes.create_string_buffer(output_bytes)
    driver("cuMemcpyDtoH_v2", result, target, ctypes.c_size_t(output_bytes))
    return result.raw


def _shape(driver: Driver, module: ctypes.c_void_p) -> tuple[int, int, int]:
    """Blocks, threads of a block, bytes of shared memory, as the candidate declares them."""
    place, size = ctypes.c_uint64(), ctypes.c_size_t()
    driver("cuModuleGetGlobal_v2", ctypes.byref(place), ctypes.byref(size), module, b"launch")
    shape = (ctypes.c_uint32 * 3)()
    if size.value != ctypes.sizeof(shape):
        raise ValueError("declares no launch[3]")
    driver("cuMemcpyDtoH_v2", shape, place, size)
    blocks, threads, shared = shape
    if not (1 <= blocks <= MOST_BLOCKS and 1 <= threads <= MOST_THREADS and shared <= MOST_SHARED):
        raise ValueError(f"cannot be launched as {blocks} blocks of {threads} threads with {shared} bytes")
    return blocks, threads, shared


def main() -> int:
    """See the module; exit 1 where there is no GPU."""
    try:
        if sys.argv[1] == "name":
            print(name())  # noqa: T201
            return 0
        folder = Path(sys.argv[2])
        plan = json.loads((folder / "plan.json").read_text())
        opened()
    except DriverError:
        return 1
    failed = None
    try:
        result = launched(Path(plan["ptx"]).read_bytes(), (folder / "input").read_bytes(), plan["output_bytes"])
        (folder / "output").write_bytes(result)
    except DriverError as error:
        failed = f"fails at {error}"
    except ValueError as error:
        failed = str(error)
    (folder / "answer.json").write_text(json.dumps({"failed": failed}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
