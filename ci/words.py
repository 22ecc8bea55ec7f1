"""Counts words of the project's former dialect in tracked sources and documents, and compares with a committed table.

    python3 ci/words.py            fails where a file has more of them than the table allows
    python3 ci/words.py --update   lowers the table to today's counts; it never raises one

`docs/src/glossary.md` says which term of the field stands for each word. A count may only fall, and a new file starts at zero. What follows
`words: allow` on a line is not counted: names of NumPy's such as `place`, and quotations.
"""

import collections
import pathlib
import re
import subprocess
import sys

TABLE = pathlib.Path(__file__).with_name("words.tsv")

# A word and the pattern that finds it. A pattern leaves out what is a term of the field.
WORDS = {
    "told": r"\btold\b|\bTold\b",
    "how": r"\bhow: ",
    "stretched": r"\bstretched",
    "turned": r"\bturned\b",
    "halves": r"\bhalves\b",
    "truth value": r"(?<!The )\btruth values?\b",
    "law": r"(?<![Pp]ower )\blaws?\b|\bLaw[A-Z]?\w*",
    "place": r"(?<![Ii]n )(?<![Ii]n-)(?<!decimal )(?<!last )(?<!its )(?<!their )(?<!'s )(?<![`.\"'])\bplaces?\b(?! of the decimal)(?!\()",
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
    "nobody": r"\bnobody\b",
    "reckon": r"\breckon(?:s|ed|ing)?\b",
}
PATTERNS = {word: re.compile(pattern) for word, pattern in WORDS.items()}
# What a text contains in which a pattern matches: looked for first, since patterns are slow.
STEMS = {word: word[:4].lower() for word in WORDS} | {"lies": "lie", "how": "how: ", "tally": "tall", "given back": "back", "asked for": "asked for", "looked at": " at"}
SUFFIXES = {".rs", ".cuh", ".cu", ".py", ".pyi", ".md", ".yaml", ".sh", ".toml"}
# Files that are generated, that quote the words, or that record measurements and history.
EXCLUDED = ("ci/words.py", "docs/src/glossary.md", "docs/src/results/", "docs/measurements/", "docs/src/coverage.md", "docs/src/differences.md", "docs/src/names.md", "docs/src/operations.md",
            "docs/src/troubleshooting.md", "CHANGELOG.md")


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    for path in filter(None, listed.split("\0")):
        if pathlib.PurePath(path).suffix in SUFFIXES and not path.startswith(EXCLUDED):
            yield path


def counts():
    """Counts by file and by word."""
    by_file, by_word = collections.Counter(), collections.Counter()
    for path in tracked():
        file = pathlib.Path(path)
        if not file.exists():
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        if "words: allow" in text:
            text = "\n".join(line for line in text.splitlines() if "words: allow" not in line)
        lowered = text.lower()
        for word, pattern in PATTERNS.items():
            found = len(pattern.findall(text)) if STEMS[word] in lowered else 0
            if found:
                by_file[path] += found
                by_word[word] += found
    return by_file, by_word


def read_table():
    by_file, by_word = {}, {}
    for line in TABLE.read_text().splitlines()[1:]:
        kind, name, count = line.split("\t")
        (by_word if kind == "word" else by_file)[name] = int(count)
    return by_file, by_word


def write_table(by_file, by_word):
    rows = ["kind\tname\tcount"]
    rows += [f"word\t{name}\t{count}" for name, count in sorted(by_word.items()) if count]
    rows += [f"file\t{name}\t{count}" for name, count in sorted(by_file.items()) if count]
    TABLE.write_text("\n".join(rows) + "\n")


def examples(path, limit=5):
    shown = []
    for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        hits = [word for word, pattern in PATTERNS.items() if pattern.search(line)]
        if hits and "words: allow" not in line:
            shown.append(f"  {path}:{number}: {', '.join(hits)}: {line.strip()[:100]}")
    return shown[:limit]


def main():
    by_file, by_word = counts()
    if not TABLE.exists():
        write_table(by_file, by_word)
        return 0
    allowed_files, allowed_words = read_table()
    # A file that is moved or split brings its words along: what files of the table had that are gone, new ones may have.
    gone = sum(count for path, count in allowed_files.items() if not pathlib.Path(path).exists())
    failed = False
    for path, count in sorted(by_file.items()):
        if path not in allowed_files and count <= gone:
            gone -= count
            allowed_files[path] = count
        if count > allowed_files.get(path, 0):
            failed = True
            print(f"{path}: {count} words of the former dialect, {allowed_files.get(path, 0)} allowed (docs/src/glossary.md has the terms)")
            print("\n".join(examples(path)))
    for word, count in sorted(by_word.items()):
        if count > allowed_words.get(word, 0):
            failed = True
            print(f"'{word}' occurs {count} times, {allowed_words.get(word, 0)} allowed")
    if "--update" in sys.argv[1:]:
        write_table(
            {path: min(count, allowed_files.get(path, 0)) for path, count in by_file.items()},
            {word: min(count, allowed_words.get(word, 0)) for word, count in by_word.items()},
        )
        print(f"{TABLE}: {sum(by_word.values())} words in {len(by_file)} files")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
