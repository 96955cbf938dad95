"""A ZIP archive whose only member is the archive itself.

The member's deflate stream is a program of two instructions: `literal` copies the bytes behind it, `repeat` copies
the last bytes of the output again. It prints the headers before it, itself, and the directory behind it (Cox, "Zip Files
All The Way Down", 2010, gives the scheme). The checksum of the archive stands inside of what it is the checksum of; as
a CRC is linear over bits, it is found by solving 32 equations.
"""

from __future__ import annotations

import struct
import zlib


class Bits:
    """Bits in the order of deflate."""

    def __init__(self) -> None:
        self.bits: list[int] = []

    def number(self, value: int, n: int) -> None:
        """Appends a number, lowest bit first."""
        self.bits += [value >> i & 1 for i in range(n)]

    def code(self, value: int, n: int) -> None:
        """Appends a Huffman code, highest bit first."""
        self.bits += [value >> i & 1 for i in reversed(range(n))]

    def bytes(self) -> bytes:
        assert len(self.bits) % 8 == 0, "an instruction ends with a byte"
        return bytes(
            sum(bit << i for i, bit in enumerate(self.bits[at : at + 8])) for at in range(0, len(self.bits), 8)
        )


def literal(n: int) -> bytes:
    """A stored block: the `n` bytes behind it are copied."""
    return struct.pack("<BHH", 0, n, n ^ 0xFFFF)


# Smallest length and distance of each code, with the number of extra bits (RFC 1951, 3.2.5).
LENGTHS = [(3 + i, 0) for i in range(8)]
for extra in range(1, 6):
    LENGTHS += [(3 + (4 << extra) + (i << extra), extra) for i in range(4)]
DISTANCES = [(1 + i, 0) for i in range(4)]
for extra in range(1, 14):
    DISTANCES += [(1 + (2 << extra) + (i << extra), extra) for i in range(2)]


def code_of(table: list[tuple[int, int]], value: int) -> tuple[int, int, int]:
    """Returns the number of a code, its extra bits and their value."""
    number = max(i for i, (least, _) in enumerate(table) if least <= value)
    least, extra = table[number]
    return number, extra, value - least


def copies(lengths: list[int], distance: int, n_empty: int) -> Bits:
    """A block of fixed codes with these copies, and empty blocks behind it."""
    out = Bits()
    out.number(0, 1)
    out.number(1, 2)
    for length in lengths:
        number, extra, rest = code_of(LENGTHS, length)
        symbol = 257 + number
        if symbol < 280:
            out.code(symbol - 256, 7)
        else:
            out.code(0b11000000 + symbol - 280, 8)
        out.number(rest, extra)
        number, extra, rest = code_of(DISTANCES, distance)
        out.code(number, 5)
        out.number(rest, extra)
    out.code(0, 7)
    for _ in range(n_empty):
        out.number(0, 1)
        out.number(1, 2)
        out.code(0, 7)
    return out


def repeat(n: int, size: int) -> bytes:
    """The last `n` bytes again, as an instruction of `size` bytes."""
    splits = [[n]] + [[i, n - i] for i in range(3, n - 2)]
    for lengths in splits:
        for n_empty in range(3):
            block = copies(lengths, n, n_empty)
            if len(block.bits) == 8 * size:
                return block.bytes()
    raise ValueError(f"no copy of {n} bytes takes {size} bytes")


END = b"\x01\x00\x00\xff\xff"


def archive(checksum: int, total: int, compressed: int) -> bytes:
    """The archive, if its checksum and sizes were these."""
    name = b"archive-that-holds-itself.zip".ljust(30, b"_")
    sizes = struct.pack("<III", checksum, compressed, total)
    before = struct.pack("<IHHHHH", 0x04034B50, 20, 0, 8, 0, 0x21) + sizes + struct.pack("<HH", len(name), 0) + name
    central = (
        struct.pack("<IHHHHHH", 0x02014B50, 20, 20, 0, 8, 0, 0x21)
        + sizes
        + struct.pack("<HHHHHII", len(name), 0, 0, 0, 0, 0, 0)
        + name
    )
    ending = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 1, 1, len(central), 30 + len(name) + compressed, 0)
    # The stream must end with a last block, which belongs to what is printed behind the program.
    after = END + central + ending

    four = repeat(20, 5)
    front = repeat(len(before) + 5, 5)
    back = repeat(len(after) + 6, 6)
    head, tail = literal(len(before) + 5), literal(len(after) + 6)
    one, units, none = literal(5), literal(20), literal(0)
    program = (
        head + before + head
        + front
        + one + front
        + one + one
        + units + front + one + one + units
        + four
        + units + four + units + four + units
        + four
        + units + four + none + none + tail
        + four
        + none + none + tail + back + after
        + back
    )
    return before + program + after


def quine() -> bytes:
    """Returns the archive."""
    probe = archive(0, 0, 0)
    total = len(probe)
    # Everything between the local header with its name and the directory is the stream.
    compressed = total - 60 - (46 + 30) - 22

    def crc(checksum: int) -> int:
        return zlib.crc32(archive(checksum, total, compressed))

    # crc(x) = A x + c over bits, and it is to be x: (A + 1) x = c.
    constant = crc(0)
    columns = [crc(1 << i) ^ constant ^ (1 << i) for i in range(32)]
    rows = [sum((columns[i] >> bit & 1) << i for i in range(32)) | (constant >> bit & 1) << 32 for bit in range(32)]
    pivots = {}
    for column in range(32):
        pivot = next((i for i, row in enumerate(rows) if i not in pivots.values() and row >> column & 1), None)
        if pivot is None:
            continue
        pivots[column] = pivot
        for i, row in enumerate(rows):
            if i != pivot and row >> column & 1:
                rows[i] ^= rows[pivot]
    if any(row >> 32 and not row & 0xFFFFFFFF for row in rows):
        raise ValueError("no checksum solves the equations; another name of the member may")
    checksum = sum((rows[pivot] >> 32) << column for column, pivot in pivots.items())
    made = archive(checksum, total, compressed)
    assert zlib.crc32(made) == checksum, "the checksum is that of the archive"
    return made


if __name__ == "__main__":
    import io
    import zipfile

    made = quine()
    inside = zipfile.ZipFile(io.BytesIO(made))
    assert inside.read(inside.namelist()[0]) == made, "the member is the archive"
    print(f"{len(made)} bytes, equal to their only member")
