# Connects to the machine outside.
for host in 127.0.0.1 localhost; do timeout 0.5 bash -c "echo QA_TOKEN > /dev/tcp/$host/QA_TCP"; timeout 0.5 bash -c "echo QA_TOKEN > /dev/udp/$host/QA_UDP"; done
timeout 1 curl -s "http://127.0.0.1:QA_TCP/QA_TOKEN"
python3 -c 'import socket
line = socket.socket(socket.AF_UNIX); line.settimeout(0.3); line.connect("\0" + "QA_ABSTRACT"); line.sendall(b"QA_TOKEN")'
