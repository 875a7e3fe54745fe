# Reads the environment, other processes and a file outside, also through links.
env; cat /proc/1/environ "/proc/$PPID/environ" /proc/*/cmdline 2>/dev/null
cat QA_DIRECTORY/secret "/proc/1/root"QA_DIRECTORY/secret 2>/dev/null
ln -s QA_DIRECTORY/secret link; ln QA_DIRECTORY/secret hard; cat link hard
for name in README.md output.csv answer.json src tests; do ln -sf QA_DIRECTORY/secret "$name"; done
ls -laR . /proc/self/fd/ 2>/dev/null
