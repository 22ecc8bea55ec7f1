//! Join of two tables by a key, and a sum by group: the price of each order's product.

use cuprum::prelude::*;
use cuprum::{isin, unique};

fn main() -> Result<()> {
    // Product numbers, unsorted, and prices.
    let products = array([40, 10, 30, 20])?;
    let prices = array([4.0, 1.0, 3.0, 2.0])?;
    // Orders: product numbers and amounts. One product is unknown.
    let ordered = array([10, 30, 30, 99, 20, 10])?;
    let amounts = array([5, 1, 2, 7, 1, 1])?;

    let known = isin(&ordered, &products, ())?;
    let (ordered, amounts) = (ordered.mask(&known)?, amounts.mask(&known)?);

    // The position of each order's product among the sorted products, and from it the row of the table.
    let order = products.argsort(())?;
    let position = products.take(&order, ())?.searchsorted(&ordered, ())?;
    let price = prices.take(order.take(&position, ())?, ())?;
    let cost = &amounts * price;
    println!("costs {cost}");
    assert_eq!(cost.to_vec::<f64>()?, [5.0, 3.0, 6.0, 2.0, 1.0]);

    // Sums of the costs, grouped by product.
    let groups = unique(&ordered, cuprum::UniqueOptions::new().return_inverse(true))?;
    let inverse = groups.inverse.expect("the inverse was requested");
    let sums = inverse.bincount(&cost)?;
    println!("products {}\nsums     {sums}", groups.values);
    assert_eq!(groups.values.to_vec::<i32>()?, [10, 20, 30]);
    assert_eq!(sums.to_vec::<f64>()?, [6.0, 2.0, 9.0]);
    Ok(())
}
