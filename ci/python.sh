# NumPy from PyPI in environments of their own; for the scripts beside this one, which source it.

# The versions that there are data of, and that the oracle is held against.
NUMPYS=(2.4.6 1.22.4)

# Those that are asked for. One of another version is an error, not nothing to do.
numpys() {
  local version
  for version in ${CUPRUM_NUMPY:-"${NUMPYS[@]}"}; do
    case " ${NUMPYS[*]} " in
    *" $version "*) echo "$version" ;;
    *) echo "CUPRUM_NUMPY=$version is none of ${NUMPYS[*]}" >&2; return 1 ;;
    esac
  done
}

# numpy_environment VERSION FOLDER REQUIREMENT...: makes an environment with this NumPy and what else is required, of
# $GOLDEN_PYTHON_NEW, $GOLDEN_PYTHON_OLD or a Python that is found; fails where there is none.
numpy_environment() {
  local version=$1 folder=$2 python pythons
  shift 2
  case $version in
  1.*) python=${GOLDEN_PYTHON_OLD:-} pythons="3.10 3.9 3.8" ;;
  *) python=${GOLDEN_PYTHON_NEW:-} pythons="3.12 3.11 3.13" ;;
  esac
  # shellcheck disable=SC2086 # several versions
  python=${python:-$(find_python $pythons)}
  if [ -z "$python" ]; then
    echo "NumPy $version needs a Python of version ${pythons// / or }, and none is found; pyenv install ${pythons%% *} gets one," \
      "CUPRUM_NUMPY chooses another NumPy of ${NUMPYS[*]}" >&2
    return 1
  fi
  "$python" -m venv "$folder"
  "$folder/bin/pip" --quiet --disable-pip-version-check install "numpy==$version" "$@"
}

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
