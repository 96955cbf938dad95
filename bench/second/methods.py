"""The methods that the papers compare, each as its paper and the specification have it."""
import collections, hashlib, math

import entities, splitting
from collection import WORD, common, fold, runs, words


def sha1(items):
    return hashlib.sha1("\n".join(items).encode()).hexdigest()


def frequencies(token_lists):
    df = collections.Counter()
    for tokens in token_lists:
        df.update(set(tokens))
    return df


def groups(signatures):
    """Documents with equal signatures: a list of lists."""
    held = collections.defaultdict(list)
    for i, signature in enumerate(signatures):
        if signature is not None:
            held[signature].append(i)
    return [members for members in held.values() if len(members) > 1]


def pairs_of(clusters):
    return {(x, y) for members in clusters for x in members for y in members if x != y}


# The thesis (S3) ------------------------------------------------------------------------------

def imatch_thesis(documents, min_df=3, min_idf=2.7):
    """Tokens without digits, neither too rare nor too common; equal digests are clusters."""
    tokens = [{w for w in words(d) if not any(c.isdigit() for c in w)} for d in documents]
    df, n = frequencies(tokens), len(documents)
    keep = {w for w, count in df.items() if count >= min_df and math.log(n / count) >= min_idf}
    chosen = [sorted(own & keep) for own in tokens]
    return groups([sha1(own) if own else None for own in chosen])


def tweezer(documents, lists, p=5, s=5):
    """5NE5: the words around each run that holds a name; equal digests are clusters."""
    return groups([tweezer_signature(d, lists, p, s) for d in documents])


def tweezer_signature(document, lists, p=5, s=5):
    tokens = list(WORD.finditer(document.text))
    if not tokens:
        return None
    folded = [fold(t.group(), document.language) for t in tokens]
    shingles = set()
    for run in entities.classified_runs(lists, document.text, tokens):
        before = folded[max(0, run.first - p):run.first]
        after = folded[run.last + 1:run.last + 1 + s]
        shingles.add(" ".join(before + run.words + after))
    if not shingles:
        shingles = {" ".join(folded if len(folded) < 40 else folded[:20] + folded[-20:])}
    return sha1(sorted(shingles))


# CoDet and what it was compared with (S0) -----------------------------------------------------

def contained(sets, counts, least):
    """Ordered pairs (a, c): at least `least` of a's elements stand in c."""
    out = set()
    for (x, y), n in counts.items():
        out |= {(a, c) for a, c in ((x, y), (y, x)) if n >= least * len(sets[a]) - 1e-12}
    return out


def ffp(stems, least=0.6):
    sets = [runs(own, 4) for own in stems]
    return contained(sets, common(sets), least)


def dsc(stems, least=0.6):
    sets = [{tuple(own[i:i + 4]) for i in range(0, len(own) - 3, 3)} for own in stems]
    return contained(sets, common(sets), least)


def rarest(own, df, n):
    return sorted(set(own), key=lambda w: (-math.log(n / df[w]), w))


def imatch(stems, take=10):
    df, n = frequencies(stems), len(stems)
    signatures = []
    for own in stems:
        ranked = rarest(own, df, n)
        chosen = sorted(ranked[2:2 + take])
        signatures.append(sha1(chosen) if len(ranked) >= 3 and chosen else None)
    return pairs_of(groups(signatures))


def simhash(stems, bits=32, below=3, salt=""):
    df, n = frequencies(stems), len(stems)
    images = []
    for own in stems:
        ranked = rarest(own, df, n)
        if len(ranked) < 3:
            images.append(None)
            continue
        votes = [0.0] * bits
        for word in ranked[2:]:
            weight = math.log(n / df[word])
            code = int.from_bytes(hashlib.blake2b((salt + word).encode(), digest_size=8).digest(), "big")
            for i in range(bits):
                votes[i] += weight if code >> i & 1 else -weight
        images.append(sum(1 << i for i in range(bits) if votes[i] > 0))
    # Two images that differ in fewer than `below` bits agree in one of `below` blocks at least.
    out, width = set(), -(-bits // below)
    for block in range(below):
        held = collections.defaultdict(list)
        for i, image in enumerate(images):
            if image is not None:
                held[image >> block * width & (1 << width) - 1].append(i)
        for members in held.values():
            for y in range(1, len(members)):
                for x in range(y):
                    i, j = members[x], members[y]
                    if (images[i] ^ images[j]).bit_count() < below:
                        out |= {(i, j), (j, i)}
    return out


def codet(documents, stop_words, theta=0.6, depth=5, least_words=3, is_sorted=True, suffixes=1):
    """Ordered pairs (a, c) with CS(a, c) / SCS(a) > theta, and similarity values a document."""
    stems, sentences = [], []
    for d in documents:
        own = []
        for sentence in splitting.natural(d.text, d.language):
            cut = [fold(m.group(), d.language) for m in WORD.finditer(sentence)]
            cut = [w[:5] for w in cut if w not in stop_words]
            if len(cut) >= least_words:
                own.append(cut)
        sentences.append(own)
        stems.append([w for sentence in own for w in sentence])
    df, n = frequencies(stems), len(documents)
    idf = {w: math.log(n / count) for w, count in df.items()}
    tree, cs = {}, collections.Counter()
    scs = [0.0] * n
    for d, own in enumerate(sentences):
        for sentence in own:
            if is_sorted:
                sentence = sorted(sentence, key=lambda w: (-idf[w], w))
            for first in range(min(suffixes, len(sentence))):
                path = ()
                for k, word in enumerate(sentence[first:first + depth], 1):
                    path += (word,)
                    tree.setdefault(path, collections.Counter())[d] += 1
    for path, visits in tree.items():
        weight = len(path) * idf[path[-1]]
        held = list(visits.items())
        for y, (e, n_e) in enumerate(held):
            scs[e] += n_e * n_e * weight
            for d, n_d in held[:y]:
                cs[d, e] += n_d * n_e * weight
    out = set()
    for (x, y), value in cs.items():
        out |= {(a, c) for a, c in ((x, y), (y, x)) if scs[a] > 0 and value / scs[a] > theta}
    return out, len(cs) / max(1, n)


# Sentence-level features (S2) -----------------------------------------------------------------

def ranked(features, question):
    """Documents by the idf of the question's distinct features that they hold, best first."""
    df, n = frequencies(features), len(features)
    idf = {f: math.log(n / max(df.get(f, 0), 1)) for f in set(question)}
    scores = {}
    for i, own in enumerate(features):
        held = set(own) & idf.keys()
        if held:
            scores[i] = sum(sorted(idf[f] for f in held))
    return sorted(scores, key=lambda i: (-scores[i], i))


def full_fp(document):
    return runs(words(document), 6)


def sl_fp_sd(document):
    pieces = ([fold(m.group(), document.language) for m in WORD.finditer(piece)]
              for piece in splitting.sd(document.text))
    return {tuple(piece) for piece in pieces if piece}
