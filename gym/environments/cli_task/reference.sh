set -eu
git init -q "$REPO_DIR"
cd "$REPO_DIR"
git symbolic-ref HEAD refs/heads/main
git config user.name "$AUTHOR_NAME"
git config user.email "$AUTHOR_EMAIL"
printf '# %s\n' "$PROJECT" > README.md
git add README.md
git commit -q -m "Start $PROJECT"
git tag "$TAG"
git checkout -q -b "$BRANCH"
mkdir -p "$(dirname "$FILE_NAME")"
printf '%s\n' "$FILE_TEXT" > "$FILE_NAME"
git add -- "$FILE_NAME"
git commit -q -m "$COMMIT_MESSAGE"
echo done
