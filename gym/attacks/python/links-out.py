# Reads and writes through links to a file outside.
import os
secret = QA_DIRECTORY + "/secret"
for name in ("result.json", "answer.py", "output", "README.md"):
    for link in (os.symlink, os.link):
        try:
            if os.path.lexists(name): os.unlink(name)
            link(secret, name)
            print(open(name).read(), flush=True)
            open(name, "a").write(QA_TOKEN)
        except BaseException: pass
try: os.symlink(QA_DIRECTORY, "folder")
except BaseException: pass
def QA_FUNCTION(*args):
    return None
