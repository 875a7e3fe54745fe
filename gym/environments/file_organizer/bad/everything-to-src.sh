cd "$PROJECT_DIR"
mkdir -p src tests docs
for f in *; do [ -f "$f" ] && mv "$f" src/; done
echo "moved 9"
