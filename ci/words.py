"""Finds words of the project's former dialect in tracked sources and documents, and fails where there is one.

`docs/src/glossary.md` says which term of the field stands for each word. A line with `words: allow` is skipped: a name of another library, or
a quotation.
"""

import pathlib
import re
import subprocess
import sys

# A word and the pattern that finds it. A pattern leaves out what is a term of the field.
WORDS = {
    "told": r"\btold\b|\bTold\b",
    "how": r"\bhow: ",
    "stretched": r"\bstretched",
    "turned": r"\bturned\b",
    "halves": r"\bof halves\b",
    "truth value": r"(?<!The )\btruth values?\b",
    "law": r"(?<![Pp]ower )\blaws?\b|\bLaw[A-Z]?\w*",
    "place": r"(?<![Ii]n )(?<![Ii]n-)(?<!decimal )(?<!last )(?<!its )(?<!their )(?<!'s )(?<![`.\"'])(?<!to )(?<!ones, )(?<!piecewise, )\bplaces?\b(?! of the decimal)(?!\()",
    "mend": r"\bmend(?:s|ed|ing)?\b",
    "tally": r"\btall(?:y|ies|ied)\b|tally_|_tally",
    "twin": r"\btwins?\b|\bTWINS?\b",
    "seldom": r"\bseldom\b",
    "refuse": r"\brefus(?:e|es|ed|al|als|ing)\b|\bRefus\w+",
    "looked at": r"\blook(?:s|ed)? at\b",
    "so many": r"\bso many\b",
    "asked for": r"\basked for\b",
    "given back": r"\bgiv(?:e|es|en) back\b",
    "pile": r"\bpiles?\b",
    "lies": r"\blies?\b",
    "stands": r"\bstands?\b",
    "nobody": r"\b[Nn]obody\b",
    "meant": r"\bmeant\b",
    "turned round": r"\bturned round\b",
    "reckon": r"\breckon(?:s|ed|ing)?\b",
}
PATTERNS = {word: re.compile(pattern) for word, pattern in WORDS.items()}
# A part of each word, searched first, since patterns are slow.
STEMS = {word: word[:4].lower() for word in WORDS} | {
    "lies": "lie",
    "how": "how: ",
    "tally": "tall",
    "given back": "back",
    "asked for": "asked for",
    "looked at": " at",
}
SUFFIXES = {".rs", ".cuh", ".cu", ".py", ".pyi", ".md", ".yaml", ".sh", ".toml"}
# Files that are generated, that quote the words, or that record history.
EXCLUDED = (
    "ci/words.py",
    "docs/src/glossary.md",
    "docs/src/results/",
    "docs/measurements/runs/",
    "docs/src/coverage.md",
    "docs/src/differences.md",
    "docs/src/names.md",
    "docs/src/operations.md",
    "docs/src/troubleshooting.md",
    "CHANGELOG.md",
)


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    for path in filter(None, listed.split("\0")):
        if pathlib.PurePath(path).suffix in SUFFIXES and not path.startswith(EXCLUDED):
            yield path


def findings(path):
    """Yields the line number, the words and the text of each line with a word of the dialect."""
    text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    lowered = text.lower()
    patterns = {word: pattern for word, pattern in PATTERNS.items() if STEMS[word] in lowered}
    if not any(pattern.search(text) for pattern in patterns.values()):
        return
    for number, line in enumerate(text.splitlines(), 1):
        words = [word for word, pattern in patterns.items() if pattern.search(line)]
        if words and "words: allow" not in line:
            yield number, words, line.strip()


def main():
    found = False
    for path in tracked():
        if pathlib.Path(path).exists():
            for number, words, line in findings(path):
                found = True
                print(f"{path}:{number}: {', '.join(words)} (docs/src/glossary.md has the terms): {line[:100]}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
