import csv
import json
import os
import re
from decimal import ROUND_HALF_UP, Decimal

minimum = int(os.environ["MIN_AGE"])
with open("input.csv", encoding="utf-8", newline="") as file:
    header, *rows = list(csv.reader(file))
column = {name: index for index, name in enumerate(header)}


def age_of(row):
    text = row[column["age"]].strip(" ")
    if not re.fullmatch("[0-9]+", text) or int(text) > 150:
        return None
    return int(text)


kept = [row for row in rows if age_of(row) is not None and age_of(row) > minimum]
kept.sort(key=lambda row: -age_of(row))
income = {}
for row in kept:
    city, text = row[column["city"]], row[column["income"]]
    counts = re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text)
    income[city] = income.get(city, Decimal(0)) + (Decimal(text) if counts else 0)

with open("output.csv", "w", encoding="utf-8", newline="") as file:
    csv.writer(file, lineterminator="\n").writerows([header] + kept)
cent = Decimal("0.01")
summary = {
    "rows": len(rows),
    "kept": len(kept),
    "bad_age": sum(age_of(row) is None for row in rows),
    "income_by_city": {city: float(total.quantize(cent, ROUND_HALF_UP)) for city, total in income.items()},
}
with open("summary.json", "w", encoding="utf-8") as file:
    json.dump(summary, file)
print(len(kept))
