//! Waves behind a wall with two slits: one step is captured in a graph, which is launched again and again.

use cuprum::cuda::graph;
use cuprum::prelude::*;
use cuprum::sin;

const N: usize = 48;

/// The heights of a membrane now and one step before, the time, and where the wall is open.
struct Waves {
    now: Array,
    before: Array,
    time: Array,
    open: Array,
}

impl Waves {
    fn new() -> Result<Waves> {
        let open = ones([N, N], DType::F32)?;
        open.set(s![.., 16], 0)?;
        open.set(s![18..21, 16], 1)?;
        open.set(s![27..30, 16], 1)?;
        let still = || zeros([N, N], DType::F32);
        Ok(Waves { now: still()?, before: still()?, time: zeros((), DType::F32)?, open })
    }

    fn step(&self) -> Result<()> {
        let u = &self.now;
        let around =
            u.part(s![2.., 1..-1]) + u.part(s![..-2, 1..-1]) + u.part(s![1..-1, 2..]) + u.part(s![1..-1, ..-2]);
        let after = u * 2.0 - &self.before;
        let middle = after.part(s![1..-1, 1..-1]);
        middle.assign(&middle + (around - u.part(s![1..-1, 1..-1]) * 4.0) * 0.25)?;
        let after = after * &self.open;
        self.time.assign(&self.time + 1.0)?;
        // The left edge moves up and down.
        after.set(s![.., 0], sin(&self.time * 0.5)?)?;
        self.before.assign(u)?;
        self.now.assign(after)
    }
}

fn main() -> Result<()> {
    let (waves, plain) = (Waves::new()?, Waves::new()?);
    let (step, ()) = graph::capture(|| waves.step())?;
    for _ in 0..60 {
        step.launch()?;
        plain.step()?;
    }
    println!("heights along the last column\n{:.2}", waves.now.index(s![..;6, 24])?);
    assert_eq!(waves.now.to_vec::<f32>()?, plain.now.to_vec::<f32>()?);
    assert!(waves.now.index(s![.., 20..])?.abs()?.max(())?.item::<f32>()? > 0.05);
    Ok(())
}
