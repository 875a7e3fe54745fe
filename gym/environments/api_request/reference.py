import json
import os
import time
import urllib.error
import urllib.request

base, path, key = os.environ["API_URL"], os.environ["API_PATH"], os.environ["API_KEY"]
minimum = float(os.environ["MIN_RATING"])


def fetch(path):
    request = urllib.request.Request(base + path, headers={"X-Api-Key": key})
    while True:
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            time.sleep(0.05)


found = []
while path is not None:
    page = fetch(path)
    for record in page["data"]:
        attributes = record["attributes"]
        rating = attributes["rating"]
        if rating is not None and rating["value"] >= minimum:
            found.append((-rating["value"], attributes["title"]))
    path = page["links"]["next"]
found.sort()
for _, title in found:
    os.write(1, (title + "\n").encode("utf-8"))
