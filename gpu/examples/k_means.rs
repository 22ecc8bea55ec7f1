//! K-means clustering by Lloyd's algorithm: points are assigned to the nearest centre, and centres move to the mean of
//! their points.

use cuprum::prelude::*;

/// Returns three clusters of points around known centres.
fn points() -> Result<Array> {
    let centres = [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]];
    // A spiral around each centre in place of random noise.
    let around = |[x, y]: [f64; 2], i: i32| {
        let (angle, radius) = (2.4 * f64::from(i), 0.2 * f64::from(i).sqrt());
        [x + radius * angle.cos(), y + radius * angle.sin()]
    };
    array((0..150).map(|i| around(centres[i as usize % 3], i / 3)).collect::<Vec<_>>())
}

/// Returns the index of the nearest centre to each point.
fn nearest(points: &Array, centres: &Array) -> Result<Array> {
    // Shapes (points, 1, 2) and (centres, 2) broadcast to all pairs.
    let apart = points.expand_dims(1)? - centres;
    (&apart * &apart).sum(-1)?.argmin(1)
}

fn main() -> Result<()> {
    let points = points()?;
    let mut centres = points.index(s![..3])?.copy(())?;
    for _ in 0..10 {
        let labels = nearest(&points, &centres)?;
        let moved = centres.copy(())?;
        for k in 0..3 {
            let own = points.mask(labels.equal(k)?)?;
            moved.set(s![k], own.mean(0)?)?;
        }
        let step = (&moved - &centres).abs()?.max(())?.item::<f64>()?;
        centres = moved;
        if step < 1e-9 {
            break;
        }
    }
    let sizes = nearest(&points, &centres)?.bincount(())?;
    println!("centres\n{centres:.1}\nsizes {sizes}");
    assert_eq!(sizes.to_vec::<usize>()?, [50, 50, 50]);
    Ok(())
}
