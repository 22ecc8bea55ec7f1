//! PageRank of a graph of links: power iteration with a sparse matrix.

use cuprum::prelude::*;
use cuprum::scipy::sparse::{Format, Sparse};

const DAMPING: f64 = 0.85;

fn main() -> Result<()> {
    // Page k links to the pages k / 2 and k / 3, as far as they are others.
    let n: usize = 60;
    let links: Vec<(usize, usize)> = (1..n).flat_map(|k| [(k, k / 2), (k, k / 3)]).collect();
    let sources = array(links.iter().map(|link| link.0 as i64).collect::<Vec<_>>())?;
    let targets = array(links.iter().map(|link| link.1 as i64).collect::<Vec<_>>())?;

    let weights = full(links.len(), 0.5, ())?;
    let transition = Sparse::coo(&weights, &[&targets, &sources], &[n, n])?.to_format(Format::Csr)?;
    let linked = arange(0, n, 1)?.greater(0)?;
    let mut rank = full(n, 1.0 / n as f64, ())?;
    for step in 1.. {
        // From page 0, which has no links, one goes to any page.
        let lost = where_(&linked, 0.0, &rank)?.sum(())? / n as f64;
        let next = DAMPING * (transition.matmul_dense(&rank)? + lost) + (1.0 - DAMPING) / n as f64;
        let change = (&next - &rank).abs()?.sum(())?.item::<f64>()?;
        rank = next;
        if change < 1e-12 {
            println!("{step} steps");
            break;
        }
    }
    let best = (-&rank).argsort(())?.index(s![..5])?;
    println!("best pages {best}\nwith ranks {:.3}", rank.take(&best, ())?);
    assert!((rank.sum(())?.item::<f64>()? - 1.0).abs() < 1e-9);
    assert_eq!(best.to_vec::<i64>()?[..2], [0, 1]);
    Ok(())
}
