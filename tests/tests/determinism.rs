//! Tests of determinism: operations that `matrix.yaml` calls deterministic (all, unless it says otherwise) give the
//! same bits in two runs, and on the simulator with two orders of blocks and warps.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use cuprum_conformance::matrix::Op;
use cuprum_conformance::operand::inputs;
use cuprum_conformance::side::Side;
use cuprum_conformance::subject::Subject;
use cuprum_conformance::{Case, Matrix, sample};

/// The variable that names the file of the cases' ids in a process that only prints digests.
const CHILD: &str = "CUPRUM_DETERMINISM_CHILD";
/// The families whose kernels gather, scan or reorder: in the others an element does not depend on others.
const FAMILIES: [&str; 10] =
    ["reduction", "statistics", "linalg", "scans", "sorting", "sets", "quantiles", "searching", "histograms", "at"];
/// Cases per operation: the smallest ones that are processed by several blocks, then those with the most elements. The
/// gate runs one, in one other order.
const CASES: usize = 2;
const ORDERS: [&str; 2] = ["1", "2"];

/// Returns a line for each case, in order: its id and the digest of its outcome.
fn digests(matrix: &Matrix, chosen: &[(&Op, Case)]) -> String {
    let subject = Subject::open(None).expect("there is a device");
    let (next, lines) = (AtomicUsize::new(0), Mutex::new(vec![]));
    // More threads than cores, so that pending kernels are compiled in one batch.
    let threads = 8 * std::thread::available_parallelism().map_or(2, usize::from);
    let work = || {
        while let Some((i, (op, case))) = {
            let i = next.fetch_add(1, Relaxed);
            chosen.get(i).map(|found| (i, found))
        } {
            let inputs = inputs(case, matrix.seed).expect("the case has operands");
            let digest = subject.run(op, case, &inputs).digest();
            lines.lock().expect("no case panics").push((i, format!("digest {} {digest:016x}\n", case.id())));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let mut lines = lines.into_inner().expect("no case panics");
    lines.sort();
    lines.into_iter().map(|(_, line)| line).collect()
}

/// Returns the selected cases, each with its operation.
fn chosen(matrix: &Matrix) -> Vec<(&Op, Case)> {
    let mut chosen = vec![];
    for op in matrix.ops.iter().filter(|op| op.deterministic && FAMILIES.contains(&op.family.as_str())) {
        let mut cases = sample::cases_of(matrix, op, false, matrix.seed);
        let size = |c: &Case| inputs(c, matrix.seed).map_or(0, |all| all.iter().map(|i| i.size()).sum());
        cases.sort_by_cached_key(|c| {
            let tiles = sample::tiles(op, c);
            (!tiles, if tiles { size(c) } else { usize::MAX - size(c) })
        });
        let inexact = cases.into_iter().filter(|c| c.dtypes().iter().any(|d| d.is_float() || d.is_complex()));
        chosen.extend(inexact.take(if sample::is_full() { CASES } else { 1 }).map(|case| (op, case)));
    }
    chosen
}

fn digests_of_child(seed: &str, ids: &Path) -> String {
    let program = std::env::current_exe().expect("a test is a program");
    let out = Command::new(program)
        .args(["--exact", "runs_and_orders_of_blocks_give_the_same_bits", "--nocapture"])
        .env(CHILD, ids)
        .env("CUPRUM_SIM_SEED", seed)
        .output()
        .expect("the program runs again");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8_lossy(&out.stdout);
    // The name of the test precedes the first line.
    let lines = text.lines().filter_map(|l| l.find("digest ").map(|at| &l[at..]));
    lines.map(|l| format!("{l}\n")).collect()
}

#[test]
fn runs_and_orders_of_blocks_give_the_same_bits() {
    let matrix = Matrix::built_in().expect("matrix.yaml is read");
    if let Some(ids) = std::env::var_os(CHILD) {
        let ids = std::fs::read_to_string(ids).expect("the parent wrote them");
        let cases = ids.lines().map(|id| Case::parse(id, &matrix).expect("an id of the parent's"));
        let chosen: Vec<(&Op, Case)> = cases.map(|case| (matrix.op(&case.op).expect("it is declared"), case)).collect();
        println!("{}", digests(&matrix, &chosen));
        return;
    }
    let chosen = chosen(&matrix);
    let ids: Vec<String> = chosen.iter().map(|(_, case)| case.id()).collect();
    let list = std::env::temp_dir().join(format!("cuprum-determinism-{}", std::process::id()));
    std::fs::write(&list, ids.join("\n")).expect("a temporary file");
    let first = digests(&matrix, &chosen);
    assert!(first.lines().count() > 100, "{first}");
    for seed in &ORDERS[..if sample::is_full() { ORDERS.len() } else { 1 }] {
        let again = digests_of_child(seed, &list);
        for (a, b) in first.lines().zip(again.lines()) {
            assert_eq!(a, b, "order {seed}");
        }
        assert_eq!(first.lines().count(), again.lines().count());
    }
    let _ = std::fs::remove_file(&list);
}
