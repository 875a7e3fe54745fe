import json
import subprocess
import sys

only = json.load(sys.stdin).get("only")
command = [sys.executable, "-B", "test_buggy.py"] + (["-k", only] if only else [])
done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
sys.stdout.buffer.write(done.stdout)
