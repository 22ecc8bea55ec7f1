//! The calls of the library, recorded by functions in its place.

use std::cell::RefCell;

use super::super::sparse_library::SparseOptions;
use super::*;

thread_local! {
    /// The calls of the library, in order.
    static CALLS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

fn record(call: String) -> c_int {
    CALLS.with_borrow_mut(|calls| calls.push(call));
    0
}

fn taken() -> Vec<String> {
    CALLS.take()
}

/// Writes the address of an object.
///
/// # Safety
///
/// `object` is a live variable.
unsafe fn create(object: *mut Object, address: usize, call: &str) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { *object = address as Object };
    record(format!("{call} {address}"))
}

unsafe extern "C" fn create_handle(handle: *mut Object) -> c_int {
    // SAFETY: the variable is live, here and below.
    unsafe { create(handle, 1, "create") }
}

unsafe extern "C" fn create_config(config: *mut Object) -> c_int {
    // SAFETY: as above.
    unsafe { create(config, 2, "config") }
}

unsafe extern "C" fn create_data(handle: Object, data: *mut Object) -> c_int {
    // SAFETY: as above.
    unsafe { create(data, 3, &format!("data of {}", handle as usize)) }
}

#[allow(clippy::too_many_arguments, reason = "those of the library's function")]
unsafe extern "C" fn create_rows(
    matrix: *mut Object,
    rows: i64,
    columns: i64,
    entries: i64,
    starts: *const c_void,
    ends: *const c_void,
    indices: *const c_void,
    values: *const c_void,
    offset_type: c_int,
    index_type: c_int,
    value_type: c_int,
    kind: c_int,
    view: c_int,
    base: c_int,
) -> c_int {
    let [starts, ends, indices, values] = [starts, ends, indices, values].map(|p| p as usize);
    let call = format!(
        "csr {rows} {columns} {entries} at {starts} {ends} {indices} {values} types {offset_type} {index_type} \
         {value_type} kind {kind} {view} {base}:"
    );
    // SAFETY: as above.
    unsafe { create(matrix, 4, &call) }
}

unsafe extern "C" fn create_dense(
    matrix: *mut Object,
    rows: i64,
    columns: i64,
    leading: i64,
    values: *const c_void,
    value_type: c_int,
    layout: c_int,
) -> c_int {
    let values = values as usize;
    // SAFETY: as above.
    unsafe { create(matrix, values * 10, &format!("dense {rows} {columns} {leading} {value_type} {layout}:")) }
}

unsafe extern "C" fn destroy(object: Object) -> c_int {
    record(format!("destroy {}", object as usize))
}

unsafe extern "C" fn destroy_data(handle: Object, data: Object) -> c_int {
    record(format!("destroy {} of {}", data as usize, handle as usize))
}

unsafe extern "C" fn set_stream(handle: Object, stream: *mut c_void) -> c_int {
    record(format!("stream {} of {}", stream as usize, handle as usize))
}

unsafe extern "C" fn set_config(config: Object, which: c_int, value: *const c_void, size: usize) -> c_int {
    // SAFETY: the value is an int.
    record(format!("set {} {which} {} of {size}", config as usize, unsafe { *value.cast::<c_int>() }))
}

unsafe extern "C" fn set_values(matrix: Object, values: *const c_void) -> c_int {
    record(format!("values {} {}", matrix as usize, values as usize))
}

unsafe extern "C" fn execute(
    handle: Object,
    phase: c_int,
    config: Object,
    data: Object,
    matrix: Object,
    solution: Object,
    rhs: Object,
) -> c_int {
    let objects = [handle, config, data, matrix, solution, rhs].map(|o| o as usize);
    record(format!("execute {phase} {objects:?}"))
}

/// The number of pivots is an int64, the other numbers are ints.
unsafe extern "C" fn get_data(
    _: Object,
    _: Object,
    which: c_int,
    value: *mut c_void,
    size: usize,
    written: *mut usize,
) -> c_int {
    let wanted = [4, 8, 8, 8][which as usize];
    if size != wanted {
        return INVALID_VALUE;
    }
    // SAFETY: the caller passes memory of this size, and a live variable.
    unsafe {
        *written = size;
        match which {
            data::INFO => *value.cast::<i32>() = 5,
            data::INERTIA => *value.cast::<[i32; 2]>() = [3, 4],
            _ => *value.cast::<i64>() = 100 + i64::from(which),
        }
    }
    0
}

fn stub() -> Api {
    Api {
        create: Ok(create_handle),
        destroy: Ok(destroy),
        set_stream: Ok(set_stream),
        create_config: Ok(create_config),
        destroy_config: Ok(destroy),
        set_config: Ok(set_config),
        create_data: Ok(create_data),
        destroy_data: Ok(destroy_data),
        get_data: Ok(get_data),
        create_rows: Ok(create_rows),
        create_dense: Ok(create_dense),
        set_values: Ok(set_values),
        destroy_matrix: Ok(destroy),
        execute: Ok(execute),
        ..Api::absent()
    }
}

const OPTIONS: SparseOptions = SparseOptions { structure: Structure::General, batch: 1, deterministic: true };

const SYSTEM: SparseSystem = SparseSystem {
    rows: 7,
    entries: 20,
    dtype: DType::F64,
    wide: false,
    options: OPTIONS,
    indptr: 100,
    columns: 200,
    values: 300,
};

/// The calls of each step, with the values of the library's header.
#[test]
fn steps_are_the_calls_of_the_library() {
    let api = stub();
    let mut factors = CudssFactors::with(&api, SYSTEM).unwrap();
    assert_eq!(
        taken(),
        [
            "create 1",
            "config 2",
            "set 2 24 1 of 4",
            "data of 1 3",
            "csr 7 7 20 at 100 0 200 300 types 10 10 1 kind 0 0 0: 4"
        ]
    );
    let steps = [SparseStep::Analyse, SparseStep::Factor, SparseStep::Refactor(301)];
    for step in steps {
        // SAFETY: the stub reads no memory.
        unsafe { factors.run(step, 9) }.unwrap();
    }
    assert_eq!(
        taken(),
        [
            "stream 9 of 1",
            "execute 3 [1, 2, 3, 4, 0, 0]",
            "stream 9 of 1",
            "execute 4 [1, 2, 3, 4, 0, 0]",
            "stream 9 of 1",
            "values 4 301",
            "execute 8 [1, 2, 3, 4, 0, 0]"
        ]
    );
    let solve = SparseStep::Solve { mode: SolveMode::Adjoint, b: 5, x: 6, columns: 2 };
    // SAFETY: as above.
    unsafe { factors.run(solve, 0) }.unwrap();
    assert_eq!(
        taken(),
        [
            "stream 0 of 1",
            "set 2 4 1 of 4",
            "dense 7 1 7 1 0: 60",
            "dense 7 1 7 1 0: 50",
            "execute 1008 [1, 2, 3, 4, 60, 50]",
            "destroy 50",
            "destroy 60",
            // The second right-hand side begins after the 7 elements of the first.
            "dense 7 1 7 1 0: 620",
            "dense 7 1 7 1 0: 610",
            "execute 1008 [1, 2, 3, 4, 620, 610]",
            "destroy 610",
            "destroy 620"
        ]
    );
    let report = factors.report().unwrap();
    assert_eq!(report, SparseReport { info: 5, perturbed: 102, inertia: None, entries: 101 });
    drop(factors);
    assert_eq!(taken(), ["destroy 4", "destroy 3 of 1", "destroy 2", "destroy 1"]);
}

/// The conjugate transpose of a real matrix is its transpose, which alone the library has.
#[test]
fn modes_are_those_that_the_library_has() {
    let api = stub();
    let mode_of = |system, mode| {
        let mut factors = CudssFactors::with(&api, system).unwrap();
        taken();
        // SAFETY: the stub reads no memory.
        unsafe { factors.run(SparseStep::Solve { mode, b: 5, x: 6, columns: 1 }, 0) }.unwrap();
        taken()[1].clone()
    };
    let complex = SparseSystem { dtype: DType::C64, ..SYSTEM };
    let modes = [SolveMode::Normal, SolveMode::Transposed, SolveMode::Adjoint];
    assert_eq!(modes.map(|mode| mode_of(SYSTEM, mode)), ["set 2 4 0 of 4", "set 2 4 1 of 4", "set 2 4 1 of 4"]);
    assert_eq!(modes.map(|mode| mode_of(complex, mode)), ["set 2 4 0 of 4", "set 2 4 1 of 4", "set 2 4 2 of 4"]);
}

#[test]
fn types_and_kinds_of_matrices() {
    let api = stub();
    let rows_of = |system| {
        drop(CudssFactors::with(&api, system).unwrap());
        taken().into_iter().find(|call| call.starts_with("csr")).unwrap()
    };
    let of = |structure| SparseOptions { structure, ..OPTIONS };
    let positive = SparseSystem { options: of(Structure::Positive), wide: true, dtype: DType::F32, ..SYSTEM };
    assert!(rows_of(positive).ends_with("types 24 24 0 kind 3 1 0: 4"));
    assert!(rows_of(SparseSystem { dtype: DType::C128, ..positive }).ends_with("types 24 24 5 kind 4 1 0: 4"));
    assert!(rows_of(SparseSystem { dtype: DType::C64, ..SYSTEM }).ends_with("types 10 10 4 kind 0 0 0: 4"));
    let hermitian = SparseSystem { options: of(Structure::Hermitian), ..SYSTEM };
    assert!(rows_of(hermitian).ends_with("types 10 10 1 kind 1 1 0: 4"));
    assert!(rows_of(SparseSystem { dtype: DType::C64, ..hermitian }).ends_with("types 10 10 4 kind 2 1 0: 4"));
    let e = CudssFactors::with(&api, SparseSystem { dtype: DType::F16, ..SYSTEM }).unwrap_err();
    assert!(e.kind() == ErrorKind::Type && taken().is_empty());
}

/// A batch is configured before the matrix, and its right-hand sides follow each other.
#[test]
fn batches_have_strided_values() {
    let api = stub();
    let batch = SparseOptions { batch: 3, ..OPTIONS };
    let mut factors = CudssFactors::with(&api, SparseSystem { options: batch, ..SYSTEM }).unwrap();
    let calls = taken();
    assert_eq!(calls[2..4], ["set 2 18 3 of 4", "set 2 19 -1 of 4"]);
    assert!(calls[5].starts_with("csr 7 7 20 at 100 0 200 300"));
    let solve = SparseStep::Solve { mode: SolveMode::Normal, b: 5, x: 6, columns: 2 };
    // SAFETY: the stub reads no memory.
    unsafe { factors.run(solve, 0) }.unwrap();
    let dense: Vec<String> = taken().into_iter().filter(|call| call.starts_with("dense")).collect();
    let steps = ["60", "50", "1740", "1730"].map(|at| format!("dense 7 1 7 1 0: {at}"));
    assert_eq!(dense, steps);
    assert_eq!(factors.report().unwrap(), SparseReport { info: 5, perturbed: 102, inertia: None, entries: 101 });
}

/// Versions that report a number for each matrix of a batch.
#[test]
fn reports_of_batches_are_added() {
    unsafe extern "C" fn of_each(
        _: Object,
        _: Object,
        which: c_int,
        value: *mut c_void,
        size: usize,
        written: *mut usize,
    ) -> c_int {
        if size != 12 {
            return INVALID_VALUE;
        }
        // SAFETY: the caller passes memory of this size, and a live variable.
        unsafe {
            *written = size;
            *value.cast::<[i32; 3]>() = if which == data::INFO { [0, 4, 2] } else { [1, 0, 5] };
        }
        0
    }
    let api = Api { get_data: Ok(of_each), ..stub() };
    let batch = SparseOptions { batch: 3, ..OPTIONS };
    let mut factors = CudssFactors::with(&api, SparseSystem { options: batch, ..SYSTEM }).unwrap();
    assert_eq!(factors.report().unwrap(), SparseReport { info: 4, perturbed: 6, inertia: None, entries: 6 });
    drop(factors);
    taken();
}

/// Outside of the deterministic mode all right-hand sides are columns of one matrix.
#[test]
fn several_right_hand_sides_are_one_call() {
    let api = stub();
    let options = SparseOptions { deterministic: false, ..OPTIONS };
    let mut factors = CudssFactors::with(&api, SparseSystem { options, ..SYSTEM }).unwrap();
    assert_eq!(taken()[2], "set 2 24 0 of 4");
    let solve = SparseStep::Solve { mode: SolveMode::Normal, b: 5, x: 6, columns: 3 };
    // SAFETY: the stub reads no memory.
    unsafe { factors.run(solve, 0) }.unwrap();
    let calls = taken();
    assert_eq!(calls[2..5], ["dense 7 3 7 1 0: 60", "dense 7 3 7 1 0: 50", "execute 1008 [1, 2, 3, 4, 60, 50]"]);
    assert_eq!(calls.len(), 7);
    drop(factors);
    taken();
}

/// The signs of the pivots are those of a symmetric matrix.
#[test]
fn the_inertia_is_that_of_a_hermitian_matrix() {
    let api = stub();
    for (structure, inertia) in
        [(Structure::Hermitian, Some([3, 4])), (Structure::Positive, None), (Structure::General, None)]
    {
        let options = SparseOptions { structure, ..OPTIONS };
        let mut factors = CudssFactors::with(&api, SparseSystem { options, ..SYSTEM }).unwrap();
        assert_eq!(factors.report().unwrap().inertia, inertia);
    }
    taken();
}

/// What was created before an error is destroyed.
#[test]
fn failures_leave_no_objects() {
    unsafe extern "C" fn out_of_memory(_: Object, _: *mut Object) -> c_int {
        2
    }
    let api = Api { create_data: Ok(out_of_memory), ..stub() };
    let e = CudssFactors::with(&api, SYSTEM).unwrap_err();
    assert!(e.kind() == ErrorKind::OutOfMemory && e.message().contains("cudssDataCreate failed"), "{e}");
    assert_eq!(taken(), ["create 1", "config 2", "set 2 24 1 of 4", "destroy 2", "destroy 1"]);
}
