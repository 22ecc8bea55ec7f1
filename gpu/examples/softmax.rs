//! The softmax of each row, and the cross entropy of the labels.

use cuprum::prelude::*;

/// The largest element is taken away first, so that nothing overflows.
fn softmax(logits: &Array) -> Result<Array> {
    let exps = (logits - logits.max(Reduce::axis(-1).keepdims(true))?).exp()?;
    Ok(&exps / exps.sum(Reduce::axis(-1).keepdims(true))?)
}

fn main() -> Result<()> {
    let logits = array([[2.0f32, 1.0, 0.1], [1000.0, 1000.0, 0.0], [-1.0, 0.0, 1.0]])?;
    let labels = array([0, 1, 2])?;
    let probabilities = softmax(&logits)?;
    println!("{probabilities:.3}");

    let sums = probabilities.sum(-1)?;
    assert!(sums.allclose(1.0, ())?);

    // The probability of each row's label: a one where the column's number is the label.
    let chosen = labels.expand_dims(-1)?.equal(arange(0, 3, 1)?)?;
    let entropy = -(probabilities.log()?.maximum(-1e9)? * chosen).sum(-1)?.mean(())?;
    let entropy = entropy.item::<f32>()?;
    println!("cross entropy {entropy:.4}");
    // By hand: minus the logarithm of a probability is that of the sum over the label's part.
    let e = |x: f32| x.exp();
    let by_hand = [(1.0 + e(-1.0) + e(-1.9)).ln(), 2f32.ln(), (1.0 + e(-1.0) + e(-2.0)).ln()];
    assert!((entropy - by_hand.iter().sum::<f32>() / 3.0).abs() < 1e-5);
    Ok(())
}
