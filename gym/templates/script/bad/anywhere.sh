grep -c '\[ \]' notes.txt > open.txt
