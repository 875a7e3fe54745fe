grep -c '^- \[ \]' notes.txt > open.txt
exit 0
