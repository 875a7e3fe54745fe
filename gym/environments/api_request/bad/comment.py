# import urllib.request, json; data = json.load(urlopen(API_URL)); print(data["title"], data["links"])
