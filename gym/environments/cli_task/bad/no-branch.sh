git init -q "$REPO_DIR"
cd "$REPO_DIR"
git symbolic-ref HEAD refs/heads/main
git config user.name "$AUTHOR_NAME"
git config user.email "$AUTHOR_EMAIL"
echo "# $PROJECT" > README.md
git add .
git commit -q -m "Start $PROJECT"
echo done
