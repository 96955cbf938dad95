"""Reads collections and turns documents into words, by the rules of the specification.

Own code, written from the specification and not from the Rust sources: it is what the program's
numbers are compared with.
"""
import collections, json, pathlib, re, subprocess, unicodedata

# Letters and digits, apostrophes inside, a percent sign directly behind a digit.
WORD = re.compile(r"[^\W_](?:[^\W_]|(?<=\d)%|['’ʼ](?=[^\W_]))*")


class Document:
    def __init__(self, record, headline=False):
        self.id = record["id"]
        self.language = record.get("lang", "")
        self.category = record.get("category", "")
        text = unicodedata.normalize("NFC", record["text"])
        if headline and not record.get("title"):
            # The first line is the headline and not part of the body.
            text = text.lstrip("\n").partition("\n")[2]
        self.text = text


def read(data, name):
    """Yields the records of a collection, NAME.jsonl or NAME.jsonl.zst in the folder DATA."""
    plain = pathlib.Path(data) / f"{name}.jsonl"
    if plain.exists():
        with open(plain, encoding="utf-8") as lines:
            yield from map(json.loads, lines)
        return
    command = ["zstd", "-dc", "--long=27", str(plain) + ".zst"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    yield from map(json.loads, process.stdout)
    process.wait()


def fold(word, language):
    """Lower case; I and İ by the rules of Turkish where the language is Turkish or Azeri."""
    if language[:2] in ("tr", "az"):
        word = word.replace("I", "ı").replace("İ", "i")
    return word.lower().replace("’", "'").replace("ʼ", "'")


def words(document):
    return [fold(match.group(), document.language) for match in WORD.finditer(document.text)]


def stems(document, stop_words):
    """Words as CoDet's paper has them: without stop words, cut to five letters."""
    return [word[:5] for word in words(document) if word not in stop_words]


def stop_words(data, language):
    with open(pathlib.Path(data) / "stopwords-iso.json", encoding="utf-8") as file:
        return {fold(word, language) for word in json.load(file)[language]}


def runs(items, k):
    """The set of runs of k neighbouring items."""
    return {tuple(items[i:i + k]) for i in range(len(items) - k + 1)}


def common(sets):
    """Returns {(i, j): common elements} for all pairs i < j of sets that share any."""
    holders = collections.defaultdict(list)
    for i, elements in enumerate(sets):
        for element in elements:
            holders[element].append(i)
    counts = collections.Counter()
    for held in holders.values():
        for y in range(1, len(held)):
            for x in range(y):
                counts[held[x], held[y]] += 1
    return counts
