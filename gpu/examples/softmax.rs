//! Softmax of each row, and the cross entropy of labels.

use cuprum::prelude::*;

/// Returns the softmax along the last axis; the maximum is subtracted first to avoid overflow.
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

    // One-hot labels select the probability of each row's label.
    let chosen = labels.expand_dims(-1)?.equal(arange(0, 3, 1)?)?;
    let entropy = -(probabilities.log()?.maximum(-1e9)? * chosen).sum(-1)?.mean(())?;
    let entropy = entropy.item::<f32>()?;
    println!("cross entropy {entropy:.4}");
    // The expected value: the negative logarithm of a label's probability.
    let e = |x: f32| x.exp();
    let by_hand = [(1.0 + e(-1.0) + e(-1.9)).ln(), 2f32.ln(), (1.0 + e(-1.0) + e(-2.0)).ln()];
    assert!((entropy - by_hand.iter().sum::<f32>() / 3.0).abs() < 1e-5);
    Ok(())
}
