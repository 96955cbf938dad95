"""Sentences: by character (`sd`), and as a language has them (`natural`)."""
import re

SD = re.compile(r"[.;!?。；！？]")
ABBREVIATIONS = {
    "tr": "dr prof doç yrd av op uzm alb gen org kor tuğg tümg yzb bnb müh mim sn hz st vb vd vs bkz cad sok mah "
          "apt no tel ltd şti a.ş inş san tic yy m.ö m.s örn çev ed s c nr öğr gör bul blv",
    "en": "mr mrs ms dr prof st sr jr vs etc inc corp co ltd plc gov sen rep gen col lt maj capt sgt hon rev "
          "jan feb mar apr jun jul aug sep sept oct nov dec no fig dept est mt ft pct u.s u.k u.n e.g i.e a.m p.m",
}


def sd(text):
    return SD.split(text)


def natural(text, language):
    """Sentences end at . ! ? … and with paragraphs, but not behind abbreviations and initials,
    between digits, behind the number of an ordinal, or before a word in small letters."""
    known = set(ABBREVIATIONS.get(language[:2], "").split())
    out = []
    for paragraph in re.split(r"\n\s*\n", text):
        start = 0
        for match in re.finditer(r"[.!?…]+", paragraph):
            before, after = paragraph[:match.start()], paragraph[match.end():]
            if match.group() == ".":
                last = re.search(r"[\w.'’]+$", before)
                word = last.group() if last else ""
                if after[:1].isalnum():
                    continue  # 3.5, U.S, www.x.com
                if word.lower() in known or re.fullmatch(r"(\w\.)*[^\W\d_]", word):
                    continue
                following = after.lstrip(" \t\"'”’)")[:1]
                if following.islower() or (word.isdigit() and language[:2] in ("tr", "de") and len(word) < 3):
                    continue
            out.append(paragraph[start:match.end()])
            start = match.end()
        out.append(paragraph[start:])
    return out
