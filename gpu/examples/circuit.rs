//! Node voltages of a chain of resistors of 1 ohm with a source of 5 V, by a sparse direct solver.
//!
//! The current of the source is one more unknown, whose row has no element on the diagonal.

use cuprum::allclose;
use cuprum::prelude::*;
use cuprum::scipy::sparse::{Sparse, linalg};

fn main() -> Result<()> {
    let nodes = 200;
    let (mut rows, mut columns, mut values) = (vec![], vec![], vec![]);
    let mut add = |row: i64, column: i64, value: f64| {
        rows.push(row);
        columns.push(column);
        values.push(value);
    };
    for node in 0..nodes {
        add(node, node, if node == 0 { 1.0 } else { 2.0 });
        if node > 0 {
            add(node - 1, node, -1.0);
            add(node, node - 1, -1.0);
        }
    }
    add(0, nodes, 1.0);
    add(nodes, 0, 1.0);
    let size = nodes as usize + 1;
    let a = Sparse::coo(&array(values)?, &[&array(rows)?, &array(columns)?], &[size, size])?;
    let b = zeros(size, DType::F64)?;
    b.set(s![nodes], 5.0)?;
    let x = linalg::spsolve(&a, &b, ())?;
    println!("the current is {:.4} A", -x.index(s![nodes])?.item::<f64>()?);
    assert!(allclose(&x.index(s![..nodes])?, &(arange(nodes, 0, -1)? * (5.0 / nodes as f64)), ())?);
    Ok(())
}
