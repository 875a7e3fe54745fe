git init -q "$REPO_DIR"
echo done
