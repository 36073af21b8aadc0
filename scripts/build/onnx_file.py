"""ONNX files without the `onnx` package: the few messages that a network of ours needs.

Byte for byte the same on every machine, whatever versions of protobuf are about. Numbers of
fields and types: onnx/onnx.proto of ONNX 1.18.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

IR_VERSION, OPSET = 10, 20
CONTRIB = "com.microsoft"  # ONNX Runtime's own operators, of which version 1 is the only one
TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}
_VARINT, _BYTES, _FIXED32 = 0, 2, 5

Array = NDArray[Any]


@dataclass(slots=True)
class Graph:
    """A network in the making; what is added is called by the name it was given."""

    nodes: list[bytes] = field(default_factory=list)
    tensors: dict[str, Array] = field(default_factory=dict)

    def constant(self, name: str, value: Array) -> str:
        """Weights."""
        self.tensors[name] = np.ascontiguousarray(value)
        return name

    def add(
        self,
        operator: str,
        inputs: Sequence[str],
        *outputs: str,
        domain: str = "",
        **attributes: float,
    ) -> str:
        """A node; answers with the name of its first output."""
        message = b"".join(_bytes(1, name.encode()) for name in inputs)
        message += b"".join(_bytes(2, name.encode()) for name in outputs)
        message += _bytes(3, outputs[0].encode()) + _bytes(4, operator.encode())
        message += b"".join(_bytes(5, _attribute(*pair)) for pair in sorted(attributes.items()))
        self.nodes.append(message + (_bytes(7, domain.encode()) if domain else b""))
        return outputs[0]

    def file(self, given: str, outputs: Mapping[str, int]) -> bytes:
        """The model's file: ids of 1 x tokens in, floats of 1 x tokens x width out."""
        graph = b"".join(_bytes(1, node) for node in self.nodes) + _bytes(2, b"sentence")
        graph += b"".join(_bytes(5, _tensor(*pair)) for pair in self.tensors.items())
        graph += _bytes(11, _value(given, "int64", ()))
        graph += b"".join(_bytes(12, _value(n, "float32", (w,))) for n, w in outputs.items())
        versions = _bytes(8, _number(2, OPSET))
        versions += _bytes(8, _bytes(1, CONTRIB.encode()) + _number(2, 1))
        return _number(1, IR_VERSION) + _bytes(7, graph) + versions


def _attribute(name: str, value: float) -> bytes:
    if isinstance(value, int):
        return _bytes(1, name.encode()) + _number(3, value) + _number(20, 2)
    packed = _tag(2, _FIXED32) + struct.pack("<f", value)
    return _bytes(1, name.encode()) + packed + _number(20, 1)


def _tensor(name: str, value: Array) -> bytes:
    shape = b"".join(_number(1, size) for size in value.shape)
    content = value.astype(value.dtype.newbyteorder("<"), copy=False).tobytes()
    kind = _number(2, TYPES[value.dtype.name])
    return shape + kind + _bytes(8, name.encode()) + _bytes(9, content)


def _value(name: str, kind: str, widths: Sequence[int]) -> bytes:
    sizes = [_number(1, 1), _bytes(2, b"tokens"), *(_number(1, width) for width in widths)]
    shape = b"".join(_bytes(1, size) for size in sizes)
    tensor = _number(1, TYPES[kind]) + _bytes(2, shape)
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, tensor))


def _tag(number: int, wire: int) -> bytes:
    return _varint(number << 3 | wire)


def _number(number: int, value: int) -> bytes:
    return _tag(number, _VARINT) + _varint(value % 2**64)


def _bytes(number: int, content: bytes) -> bytes:
    return _tag(number, _BYTES) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; the highest bit says that more follow."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
