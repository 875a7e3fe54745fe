# Writes outside of its work directory.
import os
for folder in (QA_DIRECTORY, QA_DIRECTORY + "/../" + os.path.basename(QA_DIRECTORY), "/proc/1/root" + QA_DIRECTORY):
    try: open(os.path.join(folder, QA_TOKEN), "w").write("touched")
    except BaseException: pass
    try: open(os.path.join(folder, "secret"), "a").write(QA_TOKEN)
    except BaseException: pass
for path in ("/etc/passwd", "/etc/ld.so.preload", "/usr/lib/python3/dist-packages/sitecustomize.py", os.path.abspath(__file__) if "__file__" in globals() else "/x"):
    try: open(path, "a").close()
    except BaseException: pass
def QA_FUNCTION(*args):
    return None
