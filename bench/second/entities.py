"""TuNER: which runs of capitals in Turkish text name a person, a place or an organisation."""
import pathlib, re

from collection import WORD, fold

APOSTROPHE = re.compile(r"['’ʼ]")
BREAK = re.compile(r"\n\s*\n")
# The middle size of the lists, which the judged designs have.
FILES = [("location", "locations.txt"), ("location", "villages.txt"), ("location", "locations-news.txt"),
         ("person", "persons-given.txt"), ("person", "persons-family.txt"), ("person", "given-names.txt"),
         ("person", "given-names-more.txt"), ("person", "world-given.txt"), ("person", "world-family.txt"),
         ("organisation", "organisations.txt"), ("organisation", "organisations-news.txt")]
LISTS = pathlib.Path(__file__).resolve().parents[2] / "crates/core/data/entities/tr"


def is_acronym(word):
    return len(word) >= 2 and all(c.isupper() for c in word)


def name_words(name):
    """The folded words of a listed name, each cut at its apostrophe."""
    out = []
    for match in WORD.finditer(name):
        word = match.group()
        cut = [m.start() for m in APOSTROPHE.finditer(word) if m.start() > 1]
        out.append(fold(word[:cut[0]] if cut else word, "tr"))
    return tuple(out)


class Lists:
    """Rule words and names, read from the tables that the program ships."""

    def __init__(self, files=FILES):
        self.rules = {}
        for line in open(LISTS / "rules.tsv", encoding="utf-8"):
            if line.strip() and not line.startswith("#"):
                kind, word = line.rstrip("\n").split("\t")
                self.rules.setdefault(name_words(word)[0], set()).add(kind)
        self.names = {"location": set(), "organisation": set(), "person": set()}
        self.acronyms = {kind: set() for kind in self.names}
        for kind, file in files:
            for line in open(LISTS / file, encoding="utf-8"):
                name = line.split("[")[0].strip()
                if not name or name.startswith("#"):
                    continue
                if is_acronym(name):
                    self.acronyms[kind].add(name)
                elif name_words(name):
                    self.names[kind].add(name_words(name))
        self.longest = max((len(name) for names in self.names.values() for name in names), default=1)

    def is_rule(self, word, kind):
        return kind in self.rules.get(word, ())


class Run:
    """A run of capitals: places of its first and last word, folded and written forms."""

    def __init__(self, first):
        self.first, self.last = first, first
        self.words, self.written = [], []


def find_runs(text, tokens):
    out, run, end = [], None, 0
    for i, match in enumerate(tokens):
        word = match.group()
        gap = text[end:match.start()]
        joins = APOSTROPHE.sub("", gap).isspace() and not BREAK.search(gap)
        if run and not (joins and word[0].isupper()):
            out.append(run)
            run = None
        if word[0].isupper():
            run = run or Run(i)
            run.last = i
            cut = APOSTROPHE.split(word)[0]
            run.words.append(fold(cut, "tr"))
            run.written.append(cut)
        end = match.end()
    if run:
        out.append(run)
    return out


def longest_names(lists, kind, words, written):
    """Names of the gazetteer in a stretch of words, longest first, none over another."""
    taken, hits = [False] * len(words), []
    for n in range(min(lists.longest, len(words)), 0, -1):
        for i in range(len(words) - n + 1):
            is_name = tuple(words[i:i + n]) in lists.names[kind]
            is_name |= n == 1 and is_acronym(written[i]) and written[i] in lists.acronyms[kind]
            if is_name and not any(taken[i:i + n]):
                taken[i:i + n] = [True] * n
                hits.append((i, i + n))
    return hits


def entities(lists, run):
    """(kind, first, end) of what stands in a run; suffixes alone count, as in the thesis."""
    words, n = run.words, len(run.words)
    use, out = ["free"] * n, []

    def take(kind, first, end):
        if end > first:
            use[first:end] = ["taken"] * (end - first)
            out.append((kind, first, end))

    for kind in ("location", "organisation"):
        start = 0
        for i, word in enumerate(words):
            if use[i] != "free":
                start = i + 1
            elif lists.is_rule(word, kind + "_suffix"):
                if kind == "location" and lists.is_rule(word, "person_prefix"):
                    take(kind, start, i)
                    use[i] = "title"
                else:
                    take(kind, start, i + 1)
                start = i + 1
        out += [(kind, i, j) for i, j in longest_names(lists, kind, words, run.written)]

    def is_open(i):
        return use[i] == "free" and not lists.rules.get(words[i])

    i = 0
    while i < n:
        is_title = lists.is_rule(words[i], "person_prefix") and use[i] != "taken"
        i += 1
        if is_title:
            use[i - 1], start = "title", i
            while i < n and is_open(i):
                i += 1
            take("person", start, i)
    start = 0
    for i in range(n):
        if is_open(i):
            continue
        if lists.is_rule(words[i], "person_suffix") and use[i] == "free":
            use[i] = "title"
            take("person", start, i)
        start = i + 1
    start = 0
    while start < n:
        end = start
        while end < n and use[end] == "free":
            end += 1
        joined = []
        for first, last in sorted(longest_names(lists, "person", words[start:end], run.written[start:end])):
            if joined and joined[-1][1] == first + start:
                joined[-1][1] = last + start
            else:
                joined.append([first + start, last + start])
        out += [("person", first, last) for first, last in joined]
        start = end + 1
    return out


def classified_runs(lists, text, tokens):
    """The runs that hold an entity, by rule, by name, or as part of an entity before them."""
    earlier, out = {}, []
    for run in find_runs(text, tokens):
        found = entities(lists, run)
        if found:
            for kind, first, end in found:
                name = run.words[first:end]
                for i in range(len(name)):
                    for j in range(i + 1, len(name) + 1):
                        earlier[tuple(name[i:j])] = kind
        if found or tuple(run.words) in earlier:
            out.append(run)
    return out
