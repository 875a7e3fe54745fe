mkdir -p "$PROJECT_DIR"/{src,tests,docs}
touch "$PROJECT_DIR/README.md"
echo "moved 5"
