# Which Python makes an environment; for the scripts beside this one, which source it.

# find_python VERSION...: the newest pyenv interpreter of one of these versions, or python of that version; or nothing.
find_python() {
  local version found
  for version in "$@"; do
    if command -v pyenv >/dev/null; then
      found=$(ls -d "$(pyenv root)/versions/$version".* 2>/dev/null | sort -V | tail -n 1 || true)
      if [ -n "$found" ]; then echo "$found/bin/python"; return; fi
    fi
    if command -v "python$version" >/dev/null; then command -v "python$version"; return; fi
  done
}
