import json
import os
import urllib.request

request = urllib.request.Request(
    os.environ["API_URL"] + os.environ["API_PATH"], headers={"X-Api-Key": os.environ["API_KEY"]}
)
for record in json.load(urllib.request.urlopen(request))["data"]:
    print(record["attributes"]["title"])
