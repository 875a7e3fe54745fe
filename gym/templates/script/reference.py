with open("notes.txt", encoding="utf-8") as notes:
    count = sum(line.startswith("- [ ]") for line in notes)
with open("open.txt", "w", encoding="utf-8") as result:
    result.write(f"{count}\n")
