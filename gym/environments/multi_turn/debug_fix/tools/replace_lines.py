import json
import os
import sys

call = json.load(sys.stdin)
path, first, last = call["path"], call["first"], call["last"]
if os.path.isabs(path) or ".." in path.split("/"):
    sys.exit("the path must lie in the work directory")
try:
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
except OSError as error:
    sys.exit("%s: %s" % (path, error.strerror))
if not first <= last <= len(lines):
    sys.exit("%s has %d lines" % (path, len(lines)))
lines[first - 1 : last] = call["text"].splitlines()
with open(path, "w", encoding="utf-8") as file:
    file.write("\n".join(lines) + "\n")
for number in range(max(1, first - 2), min(len(lines), first + 12) + 1):
    print("%3d  %s" % (number, lines[number - 1]))
