set -eu
cd "$PROJECT_DIR"
mkdir -p src tests docs
shopt -s nullglob
moved=0
for name in *; do
  [ -f "$name" ] && [ ! -L "$name" ] || continue
  stem=${name%.*}
  [ "$stem" != "$name" ] && [ -n "$stem" ] || continue
  extension=${name##*.}
  case ${extension,,} in
    md | txt | rst)
      [ "$name" != README.md ] || continue
      place=docs ;;
    py | js | ts | sh | c | go)
      case $stem in
        *_test | *.test | *.spec) place=tests ;;
        *) place=src ;;
      esac
      case $name in test_*) place=tests ;; esac ;;
    *) continue ;;
  esac
  [ ! -e "$place/$name" ] || continue
  mv -- "$name" "$place/$name"
  moved=$((moved + 1))
done
[ -e README.md ] || printf '# %s\n' "$(basename "$PWD")" > README.md
echo "moved $moved"
