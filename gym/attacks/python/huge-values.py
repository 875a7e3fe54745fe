# Claims, on its channel, values that whoever reads them would choke on: deep, of many parts, of many digits.
import os
def claim(value, times=1):
    data = memoryview(b'["ready"]\n' + (b'["v",' + value + b',1]\n') * times)
    while data: data = data[os.write(3, data):]
claim(b"[" * 5000 + b"]" * 5000, 60)
def QA_FUNCTION(*args): return None
# ---
import os
def QA_FUNCTION(*args):
    data = memoryview(b'["v",' + b"[" * 8000000 + b"]" * 8000000 + b",1]\n")
    while data: data = data[os.write(3, data):]
# ---
import os
def QA_FUNCTION(*args):
    data = memoryview(b'["v",{"i":"' + b"9" * 20000000 + b'"},1]\n')
    while data: data = data[os.write(3, data):]
# ---
import os
def QA_FUNCTION(*args):
    data = memoryview(b'["v",[' + b"[]," * 8000000 + b"1],1]\n")
    while data: data = data[os.write(3, data):]
# ---
import os
def QA_FUNCTION(*args):
    data = memoryview(b'["v",{"s":[' + b'{"i":"1"},' * 900000 + b'{"f":"' + b"1" * 1000000 + b'"}]},1]\n')
    while data: data = data[os.write(3, data):]
