# shellcheck shell=bash
# NumPy from PyPI in environments of their own; for the scripts of this folder, which source it.

# The versions that the oracle is held against: the one that it follows, the newest, and the oldest. There are data of the first and the last.
NUMPYS=(2.4.6 2.5.5 1.22.4)

# What vectorised code paths need, which differ from processor to processor in the last bit, and fuse products of complex numbers, which the
# cut of polydiv shows: without them, only those that every x86-64 has. A NumPy that does not know one of them says so and goes on.
# shellcheck disable=SC2034 # read by those that source this
PLAIN_FEATURES="X86_V3 X86_V4 AVX512_ICL AVX512_SPR AVX F16C FMA3 AVX2 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL"

# What the oracle has beyond NumPy goes with the newer ones: SciPy has the special functions, ml_dtypes bfloat16.
beside() {
  case $1 in
  2.4.6) echo scipy==1.17.1 ml_dtypes==0.6.0 ;;
  2.5.5) echo scipy==1.18.1 ml_dtypes==0.6.0 ;;
  esac
}

# Those that are requested. One of another version is an error, not nothing to do.
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
  2.5.*) python=${GOLDEN_PYTHON_NEW:-} pythons="3.12 3.13" ;;
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
  # What of them is imported is compiled then; all of them would take a minute and more.
  "$folder/bin/pip" --quiet --disable-pip-version-check install --no-compile "numpy==$version" "$@"
}

# find_python VERSION...: the newest pyenv interpreter of one of these versions, or python of that version; or nothing.
find_python() {
  local version found
  for version in "$@"; do
    if command -v pyenv >/dev/null; then
      # shellcheck disable=SC2012 # names of versions, which sort by number
      found=$(ls -d "$(pyenv root)/versions/$version".* 2>/dev/null | sort -V | tail -n 1 || true)
      if [ -n "$found" ]; then echo "$found/bin/python"; return; fi
    fi
    if command -v "python$version" >/dev/null; then command -v "python$version"; return; fi
  done
}
