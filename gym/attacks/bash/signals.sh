# Kills its parent and everything else that it may.
kill -9 "$PPID" 1 2 -1
for pid in $(seq 2 400); do [ "$pid" = "$$" ] || kill -9 "$pid"; done 2>/dev/null
