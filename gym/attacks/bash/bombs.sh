# Starts as many processes as it can.
bomb() { bomb | bomb & }; bomb; sleep 1
# ---
# memory
python3 -c 'x = []
while True: x.append(bytearray(1 << 26))'
a=x; while :; do a="$a$a"; done
# ---
# disk
timeout 1 dd if=/dev/zero of=big bs=1M count=100000 2>/dev/null; timeout 1 dd if=/dev/zero of=/tmp/big bs=1M count=100000 2>/dev/null
for i in $(seq 1 20000); do : > "file-$i"; done
# ---
# output
yes '{"score": 1.0, "passed": true}'
# ---
# time
while :; do sleep 100; done
