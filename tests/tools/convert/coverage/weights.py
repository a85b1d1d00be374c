"""Weights by a hash of their name, bit by bit those of families/golden_weights.cc."""
import math

import numpy

STEP = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


def mixed(x):
    """Each bit of the result depends on each of x, a uint64 array."""
    x = (x ^ (x >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return x ^ (x >> numpy.uint64(31))


def stream(seed, name, size):
    """`size` integers of 24 bits: of the name's FNV-1a, the seed and each index."""
    fnv = 0xCBF29CE484222325
    for byte in name.encode():
        fnv = ((fnv ^ byte) * 0x100000001B3) & MASK
    start = mixed(numpy.array([fnv ^ seed], dtype=numpy.uint64))
    steps = numpy.arange(1, size + 1, dtype=numpy.uint64) * numpy.uint64(STEP)
    return (mixed(start + steps) >> numpy.uint64(40)).astype(numpy.int64)


def values(seed, name, shape, mean, exponent):
    """float32: `mean`, and evenly between -2^exponent and 2^exponent around it, rounded once."""
    noise = (stream(seed, name, math.prod(shape)) - (1 << 23)).astype(numpy.float32)
    noise *= numpy.float32(2.0 ** (exponent - 23))
    return (numpy.float32(mean) + noise).reshape(shape)


def kind_of(name, initial):
    """(mean, exponent) for a tensor, by its name and what the class begins with."""
    shape = initial.shape
    if len(shape) < 2 or min(shape) == 1 or "norm" in name:
        return (1 if initial.size and float(initial.mean()) > 0.5 else 0), -1
    if "embed" in name or "wte" in name or "wpe" in name:
        return 0, 1
    fan = min(shape[-2:]) if "experts" in name else shape[-1]
    # A power of two, so that a product is exact: activations grow by a factor from 1 to 2.
    return 0, math.floor(math.log2(math.sqrt(12 / fan)))
