import re

# one field and what ends it
FIELD = re.compile(r'(?:"((?:[^"]|"")*)"|((?:[^",\r\n]|\r(?!\n))*))(,|\r?\n|\Z)')


def parse_csv(text):
    records = []
    record = []
    at = 0
    while at < len(text) or record:
        match = FIELD.match(text, at)
        if match is None:
            return None
        quoted, plain, ending = match.groups()
        record.append(plain if quoted is None else quoted.replace('""', '"'))
        at = match.end()
        if ending != ",":
            records.append(record)
            record = []
    return records
