"""What is true, computed without any of the judged methods, and what follows from it."""
import math

from collection import common, runs, words


class Judge:
    """Exact overlap of documents by runs of five words."""

    def __init__(self, documents):
        self.words = [words(d) for d in documents]
        self.runs = [runs(own, 5) for own in self.words]
        self.counts = None

    def resemblance(self, x, y):
        shared = len(self.runs[x] & self.runs[y])
        union = len(self.runs[x]) + len(self.runs[y]) - shared
        if union == 0:
            return 1.0 if self.words[x] == self.words[y] else 0.0
        return shared / union

    def contained(self, least):
        """Ordered pairs (a, c): at least `least` of a's runs stand in c."""
        if self.counts is None:
            self.counts = common(self.runs)
        out = set()
        for (x, y), n in self.counts.items():
            out |= {(a, c) for a, c in ((x, y), (y, x)) if n / len(self.runs[a]) >= least}
        return out

    def copies(self):
        """Ordered pairs of documents with the same words in the same order."""
        held = {}
        for i, own in enumerate(self.words):
            held.setdefault(tuple(own), []).append(i)
        return {(x, y) for same in held.values() for x in same for y in same if x != y}


def scores(found, true):
    hits = len(found & true)
    precision = hits / len(found) if found else 1.0
    recall = hits / len(true) if true else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return precision, recall, f1


def difference(judge, n_documents, clusters, least):
    """The protocol of the thesis for two methods; returns a dict of figures for each.

    What both put into a cluster is a duplicate; what one did, if it resembles a mate of its
    cluster by `least`.
    """
    flagged = [{i for members in of for i in members} for of in clusters]
    best = [{} for _ in clusters]
    for of, mates in zip(clusters, best):
        for members in of:
            for i in members:
                mates[i] = max(judge.resemblance(i, j) for j in members if j != i)
    duplicates = set()
    for i in flagged[0] | flagged[1]:
        both = i in flagged[0] and i in flagged[1]
        if both or any(mates.get(i, -1) >= least for mates in best):
            duplicates.add(i)
    out = []
    for said in flagged:
        a, b = len(said & duplicates), len(said - duplicates)
        c = len(duplicates - said)
        d = n_documents - a - b - c
        miss = c / (a + c) if a + c else 0.0
        false_alarm = b / (b + d) if b + d else 0.0
        precision = a / (a + b) if a + b else 1.0
        recall = 1 - miss
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        cost = (0.93 * false_alarm + 0.07 * miss) / 0.07
        out.append(dict(a=a, b=b, c=c, d=d, miss=miss, false_alarm=false_alarm, precision=precision,
                        recall=recall, f1=f1, c_norm=cost))
    return out


def paired_t(first, second):
    """t and degrees of freedom of the differences first - second."""
    n = len(first)
    gaps = [x - y for x, y in zip(first, second)]
    mean = sum(gaps) / n
    spread = math.sqrt(sum((g - mean) ** 2 for g in gaps) / (n - 1)) if n > 1 else 0.0
    return (mean / (spread / math.sqrt(n)) if spread else math.copysign(math.inf, mean) if mean else 0.0), n - 1
