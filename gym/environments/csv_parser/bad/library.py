import csv
import io


def parse_csv(text):
    return list(csv.reader(io.StringIO(text, newline="")))
