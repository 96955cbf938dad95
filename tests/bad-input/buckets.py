"""Documents made to share a band of MinHash, and next to nothing else.

Whoever knows the seed of the batch program can do this: of very many word runs, those with the smallest value under
each permutation of the first band are put into every document. The hashes below are those of `crates/core/src/hash.rs`,
`features/shingles.rs` and `image/minhash.rs`, written again, as an attacker would.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

MASK = (1 << 64) - 1
SEED, K, ROWS, BANDS = 1, 5, 8, 16
BASE, STEP = 0x9FB21C651E98DF25, 0xD6E8FEB86659FD93


def mix(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def word(text: str) -> int:
    """The hash of a word of at most eight letters."""
    value = int.from_bytes(text.encode(), "little")
    product = (value ^ SEED ^ 0x9E3779B97F4A7C15) * (STEP ^ len(text) << 32)
    return (product ^ product >> 64) & MASK


def run(codes: list[int]) -> int:
    """The hash of a run of words."""
    total = 0
    for code in codes:
        total = (total * BASE + code) & MASK
    x = (total ^ total >> 32) * STEP & MASK
    return x ^ x >> 32


def permutations() -> list[tuple[int, int]]:
    """Multiplier and addend of each permutation."""
    state, drawn = SEED, []
    for _ in range(2 * BANDS * ROWS):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        drawn.append(mix(state))
    n = BANDS * ROWS
    return [(drawn[i] | 1, drawn[n + i]) for i in range(n)]


def planted(n_tried: int = 60_000) -> list[str]:
    """For each permutation of the first band, the run of words with the smallest value of all that were tried."""
    draw = random.Random(11)
    vocabulary = [f"v{i:x}" for i in range(2_000)]
    codes = {text: word(text) for text in vocabulary}
    band = permutations()[:ROWS]
    best: list[tuple[int, str]] = [(1 << 32, "")] * ROWS
    for _ in range(n_tried):
        words = draw.choices(vocabulary, k=K)
        code = run([codes[text] for text in words])
        for row, (multiply, add) in enumerate(band):
            value = (code * multiply + add & MASK) >> 32
            if value < best[row][0]:
                best[row] = (value, " ".join(words))
    return [text for _, text in best]


def documents(n: int) -> Iterator[dict[str, str]]:
    """Yields documents of 40 planted words and 280 of their own."""
    common = planted()
    for i in range(n):
        draw = random.Random(i)
        # Planted runs stand far from each other, so that they are no passage.
        own = [f"o{draw.randrange(1 << 24):x}" for _ in range(280)]
        text = []
        for row, planted_run in enumerate(common):
            text += own[row * 35 : row * 35 + 35] + [planted_run]
        yield {"id": str(i), "text": " ".join(text)}
