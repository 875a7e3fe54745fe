import os

lines = open("input.csv", encoding="utf-8").read().splitlines()
header = lines[0].split(",")
kept = []
for line in lines[1:]:
    fields = line.split(",")
    if len(fields) == len(header) and fields[header.index("age")].strip().isdigit():
        if int(fields[header.index("age")]) > int(os.environ["MIN_AGE"]):
            kept.append(line)
with open("output.csv", "w", encoding="utf-8") as file:
    file.write("\n".join([lines[0]] + kept) + "\n")
print(len(kept))
