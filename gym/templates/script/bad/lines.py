with open("notes.txt", encoding="utf-8") as notes, open("open.txt", "w", encoding="utf-8") as result:
    result.write(str(len(notes.readlines())))
