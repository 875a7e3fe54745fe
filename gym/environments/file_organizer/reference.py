import os
import shutil

root = os.environ["PROJECT_DIR"]
for name in ("src", "tests", "docs"):
    os.makedirs(os.path.join(root, name), exist_ok=True)


def place_of(name):
    stem, extension = os.path.splitext(name)
    extension = extension.lower()
    if name.startswith(".") or name == "README.md":
        return None
    if extension in (".md", ".txt", ".rst"):
        return "docs"
    if extension not in (".py", ".js", ".ts", ".sh", ".c", ".go"):
        return None
    is_test = name.startswith("test_") or stem.endswith(("_test", ".test", ".spec"))
    return "tests" if is_test else "src"


moved = 0
for entry in list(os.scandir(root)):
    place = place_of(entry.name) if entry.is_file(follow_symlinks=False) else None
    if place is None:
        continue
    target = os.path.join(root, place, entry.name)
    if not os.path.lexists(target):
        shutil.move(entry.path, target)
        moved += 1
readme = os.path.join(root, "README.md")
if not os.path.exists(readme):
    with open(readme, "w", encoding="utf-8") as file:
        file.write("# %s\n" % os.path.basename(root))
print("moved", moved)
