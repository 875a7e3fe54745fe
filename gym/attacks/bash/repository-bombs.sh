# Leaves a repository that is small on disk and has no end for whoever reads it, and output that patterns take for ever on.
head -c 65000 /dev/zero | tr '\0' '\n'
printf x
mkdir -p "${REPO_DIR:-repository}" && cd "${REPO_DIR:-repository}" && git init -q -b main . || exit 0
blob=$(echo x | git hash-object -w --stdin)
tree=$(printf '100644 blob %s\tREADME.md\n' "$blob" | git mktree)
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do
  tree=$(for name in a b c d e f g h i j; do printf '040000 tree %s\t%s\n' "$tree" "$name"; done | git mktree)
done
git update-ref refs/heads/main "$(GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x git commit-tree "$tree" -m x)"
# ---
# What is no tree at all.
mkdir -p "${REPO_DIR:-repository}" && cd "${REPO_DIR:-repository}" && git init -q -b main . || exit 0
tree=$(printf '100644 and no end of it, not even one of its names' | git hash-object -t tree -w --stdin --literally)
git update-ref refs/heads/main "$(printf 'tree %s\nauthor x <x> 1 +0000\ncommitter x <x> 1 +0000\n\nx\n' "$tree" | git hash-object -t commit -w --stdin --literally)"
